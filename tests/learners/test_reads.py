"""What a learner's line of the table says that it reads is what its builder looks at."""

from dataclasses import replace
from typing import Any

import pytest

from firstmover.core.errors import InvalidInput
from firstmover.learners import LEARNERS, Setup
from firstmover.runs.experiment_spec import ExperimentSpec
from firstmover.runs.setup import learner_for, scene
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


def spied(learner: str, game: str, opponent: str, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    name = "fixed:0" if learner == "fixed" else learner
    spec = ExperimentSpec.read({"game": game, "opponent": opponent, "rounds": 2, "seeds": 1, "learners": [name]})
    what, who = scene(spec)
    seen: set[str] = set()

    def spying(**fields: Any) -> Setup:
        spy = Spy(**fields)
        object.__setattr__(spy, "seen", seen)
        return spy

    with monkeypatch.context() as patched:
        patched.setattr(Spy, "seen", seen, raising=False)
        patched.setattr("firstmover.runs.setup.Setup", spying)
        learner_for(spec, spec.learners[0], what, who, seed=0)
    return seen


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_learner_reads_what_the_table_says(learner: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for game, opponent in ARENAS:
        try:
            seen = spied(learner, game, opponent, monkeypatch)
        except InvalidInput:
            continue
        assert seen == set(LEARNERS.takes(learner)) - {"action"}
        return
    raise AssertionError("no arena suits it: add one")


def test_the_rate_factor_multiplies_the_rate() -> None:
    weights = MultiplicativeWeights.start(2, (0.0, 1.0), horizon=50)
    assert replace(weights, rate_factor=3.0).learning_rate == 3.0 * weights.learning_rate


def test_the_rate_factor_of_a_specification_reaches_the_learner() -> None:
    spec = ExperimentSpec.read(
        {"game": "shore", "rounds": 9, "seeds": 1, "learners": [{"name": "hedge", "rate_factor": 0.5}]}
    )
    game, opponent = scene(spec)
    slow = learner_for(spec, spec.learners[0], game, opponent, 0)
    plain = learner_for(spec, spec.learners[0].model_copy(update={"rate_factor": None}), game, opponent, 0)
    assert slow.weights.learning_rate == 0.5 * plain.weights.learning_rate  # type: ignore[attr-defined]


def test_parameters_of_a_game_reach_it() -> None:
    fields = {"game": "harbour", "rounds": 9, "seeds": 1, "learners": ["uniform"]}
    small = scene(ExperimentSpec.read(fields | {"game_parameters": {"horizon": 100, "noise_std": 0.3}}))
    plain = scene(ExperimentSpec.read(fields))
    assert small[0].n_actions < plain[0].n_actions
    assert (small[1].noise_std, plain[1].noise_std) == (0.3, 0.05)
