"""Greedy, a scheme for multihop, which finds the engine in greedy._engine."""
