"""A menu too large for one machine: the actions divided over actors of a Ray cluster."""

from firstmover.sharded.belief import ShardedBelief
from firstmover.sharded.shards import InThisProcess, OnRay
from firstmover.sharded.stackelucb import ShardedStackelUCB

__all__ = ["InThisProcess", "OnRay", "ShardedBelief", "ShardedStackelUCB"]
