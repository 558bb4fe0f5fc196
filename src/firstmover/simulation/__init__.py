"""Simulated play: opponents whose types arrive in some order, the game loop, regret."""

from firstmover.games.opponent import Behaviour, Opponent, responses_of, true_rewards
from firstmover.simulation.arrivals import (
    Adversary,
    AdversaryInContext,
    Committed,
    Cyclic,
    RandomTypes,
    Sampled,
    Scripted,
    single,
)
from firstmover.simulation.hindsight import Regret, policy_regret, ranking_regret, regret
from firstmover.simulation.loop import play, play_many, play_run
from firstmover.simulation.opponents import OPPONENTS, OpponentEntry, opponent_for

__all__ = [
    "OPPONENTS",
    "Adversary",
    "AdversaryInContext",
    "Behaviour",
    "Committed",
    "Cyclic",
    "Opponent",
    "OpponentEntry",
    "RandomTypes",
    "Regret",
    "Sampled",
    "Scripted",
    "opponent_for",
    "play",
    "play_many",
    "play_run",
    "policy_regret",
    "ranking_regret",
    "regret",
    "responses_of",
    "single",
    "true_rewards",
]
