"""`compare` with names, and with a game, an opponent and learners built in Python."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.gaussian_process.kernels import RBF

import firstmover
from firstmover import Box, Game, InvalidInput, Opponent, RandomTypes, increasing
from firstmover.core.arrays import Vector
from firstmover.core.records import Feedback

TYPES = np.array([[0.4], [0.8]])
GAME = Game(
    name="ice cream",
    actions=np.linspace(0.1, 1.0, 19)[:, None],
    reward=increasing(lambda price, share: price[:, 0] * share[:, 0]),
    response_domain=Box([0.0], [1.0]),
    reward_range=(0.0, 1.0),
    types=TYPES,
)
GUESTS = Opponent(RandomTypes(TYPES), lambda prices, patience: 1 / (1 + np.exp(12 * (prices - patience))), 0.05)


@dataclass(frozen=True)
class Sweeping:
    """Plays the actions in turn."""

    n: int
    t: int = 0

    @property
    def strategy(self) -> Vector:
        return np.eye(self.n)[self.t % self.n]

    def observe(self, feedback: Feedback) -> "Sweeping":  # noqa: ARG002 - it learns nothing
        return replace(self, t=self.t + 1)


def test_objects_are_compared_plotted_and_tested() -> None:
    learners = {"mine": Sweeping(19), "ours": {"name": "stackelucb", "confidence_width": 0.5}, "exp3": "exp3"}
    found = firstmover.compare(GAME, GUESTS, learners, rounds=60, seeds=4, kernel=RBF(0.3))
    assert found.table["learner"].to_list() == ["mine", "ours", "exp3"]
    assert found.table["seeds"].to_list() == [4, 4, 4]
    assert found.tests.select("first", "second", "seeds").rows() == [
        ("mine", "ours", 4),
        ("mine", "exp3", 4),
        ("ours", "exp3", 4),
    ]
    first = found.tests.row(0, named=True)
    assert first["difference"] > 0
    assert first["p"] <= first["p_holm"] <= 1
    assert isinstance(found.plot(), Figure)
    assert "ice cream, 60 rounds, 4 seeds" in repr(found)


def test_workers_give_the_same_results_also_for_functions_of_a_notebook() -> None:
    learners = {"mine": Sweeping(19), "exp3": "exp3"}
    alone, shared = (
        firstmover.compare(GAME, GUESTS, learners, rounds=20, seeds=[3, 5], workers=workers) for workers in (1, 2)
    )
    assert alone.rounds.equals(shared.rounds)


class Counting:
    """Updates itself in place and plays the action of its number of rounds."""

    def __init__(self) -> None:
        self.seen = 0

    @property
    def strategy(self) -> Vector:
        return np.eye(24)[self.seen % 24]

    def observe(self, _feedback: Feedback) -> "Counting":
        self.seen += 1
        return self


def test_a_learner_that_updates_in_place_is_copied_for_every_seed() -> None:
    learner = Counting()
    found = firstmover.compare("shore", "random", {"mine": learner}, rounds=10, seeds=3)
    assert learner.seen == 0
    assert found.rounds.filter(t=1)["action"].to_list() == [0, 0, 0]


def test_names_and_objects_mix() -> None:
    opponent = Opponent(RandomTypes(np.array([[0.5]])), lambda x, _: np.full((len(x), 1), 0.5))
    found = firstmover.compare("shore", opponent, {"sweeping": Sweeping(24), "hedge": "hedge"}, rounds=9, seeds=2)
    assert found.rounds["true_response_0"].unique().to_list() == [0.5]


def test_what_cannot_be_compared_is_one_sentence() -> None:
    with pytest.raises(InvalidInput, match="opponent is 'random', and the game an object"):
        firstmover.compare(GAME, "random", ["exp3"], rounds=5)
    with pytest.raises(InvalidInput, match="learner 'stackelucb' has no kernel for game 'ice cream': give one"):
        firstmover.compare(GAME, GUESTS, ["stackelucb"], rounds=5)
    for learners in ({}, "exp3"):
        with pytest.raises(InvalidInput, match="give a list of names, or a table of labels and learners"):
            firstmover.compare(GAME, GUESTS, learners, rounds=5)
    with pytest.raises(InvalidInput, match=r"learner 'mine' is \{'nme': 'exp3'\}: give a table with a name"):
        firstmover.compare("shore", "random", {"mine": {"nme": "exp3"}}, rounds=5)
    with pytest.raises(InvalidInput, match="rounds is 0: give 1 or more"):
        firstmover.compare("shore", "random", ["exp3"], rounds=0)
    with pytest.raises(InvalidInput, match="learner 'mine' is 3: give a learner, a name, or a table"):
        firstmover.compare(GAME, GUESTS, {"mine": 3}, rounds=5)  # type: ignore[dict-item]
