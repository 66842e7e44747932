"""Scenarios as environments of Gymnasium and PettingZoo, and what has been learned in them.

Gymnasium makes them by name: `multihop/Sender`, `multihop/Node`, `multihop/Network`.
"""

from multihop.gym.needed import EXTRA as EXTRA
from multihop.gym.parallel import AgentsEnv as AgentsEnv
from multihop.gym.play import AgentError as AgentError
from multihop.gym.play import play as play
from multihop.gym.policy import Layer as Layer
from multihop.gym.policy import Policy as Policy
from multihop.gym.quantities import QUANTITIES as QUANTITIES
from multihop.gym.quantities import Quantity as Quantity
from multihop.gym.single import NetworkEnv as NetworkEnv
from multihop.gym.single import node_env as node_env
from multihop.gym.single import sender_env as sender_env
from multihop.gym.steered import Plan as Plan
from multihop.gym.vector import VectorNetworks as VectorNetworks
from multihop.gym.vector import register

register()
