"""Figures of docs/use/emulation.md."""
