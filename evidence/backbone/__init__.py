"""Meshes of several radios, channels and antennas."""
