"""Figures of docs/emulation.md."""
