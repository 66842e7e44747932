"""OwnDcar, a scheme for multihop, which finds the engine in own_dcar._engine."""
