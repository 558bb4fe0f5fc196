"""A named learner against a named opponent: the exact actions of a seed."""

from dataclasses import replace

import numpy as np
import pytest

from firstmover.beliefs import ConstantWidth
from firstmover.games import GAMES
from firstmover.learners import LEARNERS, Setup
from firstmover.simulation import opponent_for, true_rewards
from firstmover.simulation.loop import play_run


@pytest.mark.parametrize(
    ("learner", "strategy", "opponent", "actions"),
    [
        ("stackelucb", "fixed-rate", "cyclic", [19, 1, 14, 21, 18, 4, 1, 19, 1, 8, 8, 22]),
        ("stackelucb", "adahedge", "adversary", [19, 1, 12, 19, 19, 1, 1, 12, 4, 8, 12, 15]),
        ("stackelucb", "follow-the-leader", "adversary", [0, 19, 19, 1, 8, 8, 12, 12, 1, 23, 23, 12]),
        ("hedge", "fixed-rate", "random", [19, 1, 11, 23, 22, 4, 1, 23, 12, 19, 22, 23]),
        ("exp3", "fixed-rate", "random", [19, 1, 14, 20, 17, 4, 2, 17, 1, 7, 12, 20]),
        ("gp-mw", "fixed-rate", "cyclic", [19, 1, 14, 20, 17, 3, 1, 17, 1, 4, 6, 21]),
        ("single-type", "adahedge", "single", [19, 19, 19, 19, 19, 19, 1, 19, 19, 19, 19, 19]),
        ("gp-ucb", "adahedge", "single", [0, 10, 19, 23, 17, 21, 5, 23, 23, 23, 23, 23]),
    ],
)
def test_twelve_rounds_on_the_shore(learner: str, strategy: str, opponent: str, actions: list[int]) -> None:
    entry = GAMES["shore"]
    game = entry.build()
    if LEARNERS[learner].single_type:
        game = replace(game, types=game.types[:1])
    answers = opponent_for("shore", game, opponent)
    setup = Setup(
        game=game,
        kernel=entry.kernel,
        regularization=entry.regularization,
        confidence=ConstantWidth(entry.confidence_width),
        strategy=strategy,
        horizon=12,
        true_rewards=true_rewards(game, answers.respond),
    )
    run = play_run(game, answers, LEARNERS[learner].build(setup), 12, seed=7)
    np.testing.assert_array_equal(run.actions, actions)
