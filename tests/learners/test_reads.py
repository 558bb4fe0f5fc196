"""What a learner's line of the table says that it reads is what its builder looks at."""

from dataclasses import replace
from typing import Any

import pytest

from firstmover.core.errors import InvalidInput
from firstmover.learners import LEARNERS, Setup
from firstmover.runs import ExperimentSpec, plan_of
from firstmover.runs.setup import Stage
from firstmover.strategies import MultiplicativeWeights

LOOKED_AT = {
    "kernel": "kernel",
    "regularization": "regularization",
    "confidence": "confidence_width",
    "strategy": "strategy",
    "rate_factor": "rate_factor",
}
ARENAS = [("shore", "random"), ("shore", "single"), ("wildlife", "single"), ("patrols", "commitment")]


class Spy(Setup):
    seen: set[str]

    def __getattribute__(self, name: str) -> Any:
        if name in LOOKED_AT:
            object.__getattribute__(self, "seen").add(LOOKED_AT[name])
        return super().__getattribute__(name)

    def using(self, parameters: Any) -> Setup:
        """Forget the fields that copying the setup read: only the builder counts."""
        found = super().using(parameters)
        object.__getattribute__(self, "seen").clear()
        return found


def spied(learner: str, game: str, opponent: str, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    name = "fixed:0" if learner == "fixed" else learner
    spec = ExperimentSpec.read({"game": game, "opponent": opponent, "rounds": 2, "seeds": 1, "learners": [name]})
    task = plan_of(spec).tasks[0]
    seen: set[str] = set()

    def spying(**fields: Any) -> Setup:
        spy = Spy(**fields)
        object.__setattr__(spy, "seen", seen)
        return spy

    with monkeypatch.context() as patched:
        patched.setattr(Spy, "seen", seen, raising=False)
        patched.setattr("firstmover.runs.setup.Setup", spying)
        task.stage()
    return seen


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_learner_reads_what_the_table_says(learner: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for game, opponent in ARENAS:
        try:
            seen = spied(learner, game, opponent, monkeypatch)
        except InvalidInput:
            continue
        assert seen == set(LEARNERS.takes(learner)) & set(LOOKED_AT.values())
        return
    raise AssertionError("no arena suits it: add one")


def test_the_rate_factor_multiplies_the_rate() -> None:
    weights = MultiplicativeWeights.start(2, (0.0, 1.0), horizon=50)
    assert replace(weights, rate_factor=3.0).learning_rate == 3.0 * weights.learning_rate


def staged(**fields: Any) -> Stage:
    return plan_of(ExperimentSpec.read({"rounds": 9, "seeds": 1} | fields)).tasks[0].stage()


def test_the_rate_factor_of_a_specification_reaches_the_learner() -> None:
    slow = staged(game="shore", learners=[{"name": "hedge", "rate_factor": 0.5}]).learner
    plain = staged(game="shore", learners=["hedge"]).learner
    assert slow.weights.learning_rate == 0.5 * plain.weights.learning_rate  # type: ignore[attr-defined]


def test_parameters_of_a_game_reach_it() -> None:
    parameters = {"horizon": 100, "noise_std": 0.3}
    small = staged(game="harbour", learners=["uniform"], game_parameters=parameters)
    plain = staged(game="harbour", learners=["uniform"])
    assert small.game.n_actions < plain.game.n_actions
    assert (small.opponent.noise_std, plain.opponent.noise_std) == (0.3, 0.05)
