"""Actions that were not allowed are credited with what the strategy earned, by every learner with weights."""

import numpy as np
import pytest

from firstmover.beliefs import ConstantWidth
from firstmover.core.contracts import decided
from firstmover.core.records import Feedback
from firstmover.games import GAMES
from firstmover.learners import LEARNERS, Setup
from firstmover.learners.optimistic import credited
from firstmover.simulation import true_rewards


def test_sleeping_actions_are_credited_with_the_expected_reward_of_the_others() -> None:
    class Half:
        strategy = np.array([0.5, 0.25, 0.25])

    rewards = np.array([2.0, 5.0, 100.0])
    mask = np.array([True, True, False])
    assert credited(Half(), rewards, mask).tolist() == [2.0, 5.0, 2.0 * 2 / 3 + 5.0 / 3]  # type: ignore[arg-type]
    assert credited(Half(), rewards, None) is rewards  # type: ignore[arg-type]
    only = credited(Half(), rewards, np.array([False, True, False]))  # type: ignore[arg-type]
    assert only.tolist() == [5.0, 5.0, 5.0]


@pytest.mark.parametrize("name", ["stackelucb", "anytime", "gp-mw", "hedge"])
def test_a_sleeping_action_keeps_its_share_of_the_weight(name: str) -> None:
    """With the strategy's reward as credit, p of a sleeping action changes by the rate alone, never past its peers."""
    entry = GAMES["shore"]
    game = entry.build()
    kinds = game.types
    assert kinds is not None
    behaviour = entry.behaviour(game)
    truth = true_rewards(game, behaviour.respond)
    setup = Setup(game, entry.kernel, entry.regularization, ConstantWidth(1.0), horizon=50, true_rewards=truth)
    found, parameters = LEARNERS.resolve(name, {})
    learner = found.build(setup, parameters)
    mask = np.ones(game.n_actions, dtype=bool)
    mask[[3, 8]] = False
    before = learner.strategy[[3, 8]]
    for t in range(8):
        action = int(np.argmax(decided(learner, None, mask)))
        kind = kinds[t % len(kinds)]
        response = behaviour.respond(game.actions[[action]], kind)[0]
        learner = learner.observe(Feedback(action, kind, response, mask))
    assert learner.strategy[3] == learner.strategy[8] != before[0]
    assert before[0] == before[1]
