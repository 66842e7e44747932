"""Veno, a scheme for multihop, which finds the engine in veno._engine."""
