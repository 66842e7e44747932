"""Balance, a scheme for multihop, which finds the engine in balance._engine."""
