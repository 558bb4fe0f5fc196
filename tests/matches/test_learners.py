"""Any learner of the table that needs no oracle can be played live, by its name."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.learners import DEFAULT_LEARNER, LEARNERS, StackelUCB
from firstmover.matches import Match, MatchConfig
from firstmover.matches.setup import ASSUMPTIONS, Setting, completed
from tests.matches.played import ROUTES, new, play, reopened

PLAIN: dict[str, Any] = {name: value for name, value in ROUTES.items() if name != "strategy"}
"""A configuration that names neither learner nor weights."""

BARE = ("title", "menu", "reward", "responses", "types")
"""What a person knows of a match."""

ORACLES = ["hedge", "optimum", "best-offline", "utility-oful", "utility-exp2"]
MIXED = {
    "menu": {"rows": [{"label": "a", "x": 0.5, "y": 0.5}, {"label": "b", "x": 0.0, "y": 1.0}]},
    "reward": {"responses": {"congestion": -2.0}},
}
"""A menu of mixed strategies."""

ONE_TYPE = {"types": [{"name": "demand", "levels": {"low": 0.0}}]}


def test_a_new_match_with_a_kernel_plays_anytime_and_writes_it_down(tmp_path: Path) -> None:
    match = Match.create(tmp_path / "matches.db", "roads", PLAIN)
    assert match.setting.config.learner == {"name": "anytime"}
    assert match.setting.stored()["config"]["learner"] == {"name": "anytime"}
    assert match.learner().strategy.round(3).tolist() == [0.0, 0.333, 0.333, 0.333]  # 10 units without congestion


@pytest.mark.parametrize("given", [{"menu": {"game": "shore"}}, {name: PLAIN[name] for name in BARE}])
def test_without_kernel_lambda_and_beta_the_default_learner_is_played(given: dict[str, Any]) -> None:
    assert completed(MatchConfig.read(given)).learner == {"name": DEFAULT_LEARNER}
    assert completed(MatchConfig.read({**given, "confidence": {"width": 1.0}})).learner == {"name": "anytime"}


@pytest.mark.parametrize("left_out", ["kernel", "regularization", "confidence"])
def test_on_a_menu_of_ones_own_all_three_assumptions_are_given_or_none(left_out: str) -> None:
    for learner in ("anytime", "exp3"):
        config = {name: value for name, value in PLAIN.items() if name != left_out} | {"learner": learner, "horizon": 9}
        with pytest.raises(InvalidInput, match=rf"^{left_out} is missing: learner '{learner}' needs kernel, regulariz"):
            Setting.of(config)
    with pytest.raises(InvalidInput, match=r"^kernel is missing: learner 'gp-mw' needs kernel, regularization and"):
        Setting.of({name: PLAIN[name] for name in BARE} | {"learner": "gp-mw"})


@pytest.mark.parametrize("given", [{"strategy": "adahedge"}, {"horizon": 50}])
def test_a_match_that_names_weights_or_a_horizon_plays_algorithm_1(given: dict[str, Any]) -> None:
    assert Setting.of(PLAIN | given).config.learner == {"name": "stackelucb"}


@pytest.mark.parametrize("name", sorted(set(LEARNERS) - {*ORACLES, "commitment", "growing", "choice", "choice-mw"}))
def test_every_learner_without_an_oracle_is_played_verified_and_reopened(tmp_path: Path, name: str) -> None:
    changes = ONE_TYPE if LEARNERS[name].single_type else {}
    given = {"name": name, "action": 2} if name == "fixed" else name
    left_out = ASSUMPTIONS if LEARNERS[name].fits else ()
    plain = {field: value for field, value in PLAIN.items() if field not in left_out}
    config = plain | changes | {"learner": given, "horizon": 20}
    match = Match.create(tmp_path / "matches.db", "roads", config)
    rounds = range(0, 8, 2) if changes else range(4)  # the demand of even rounds is low
    play(match, rounds)
    match.import_history([{"action": "north", "type": "low", "response": 7.0}])
    strategy, belief = match.learner().strategy, match.state().learning.belief.information_gain
    match.close()
    with reopened(tmp_path) as again:
        assert again.verify().exact == 4
        np.testing.assert_array_equal(again.state().strategy, strategy)  # from the snapshot
        np.testing.assert_array_equal(again.learner().strategy, strategy)
        assert again.state().learning.belief.information_gain == pytest.approx(belief, abs=1e-12)
        play(again, range(8, 10, 2))
        assert again.verify().rounds == 5


def test_choices_among_places_are_played_live(tmp_path: Path) -> None:
    config = {"menu": {"game": "wildlife"}, "learner": "choice-mw", "horizon": 9}
    with Match.create(tmp_path / "matches.db", "roads", config) as match:
        decision = match.ask("a")
        match.tell("a", "1", [2.5, 0.5])
        assert decision.strategy.shape == match.learner().strategy.shape == (525,)


def test_parameters_of_the_learner_replace_the_assumptions_of_the_match() -> None:
    learner = {"name": "stackelucb", "confidence_width": 0.25, "regularization": 4.0, "strategy": "follow-the-leader"}
    setting = Setting.of(PLAIN | {"learner": learner | {"kernel": {"name": "linear"}}})
    built = setting.learner()
    assert isinstance(built, StackelUCB)
    assert (built.confidence(0.0), setting.confidence(0.0), setting.regularization) == (0.25, 0.25, 4.0)
    assert setting.strategy == "follow-the-leader"
    assert type(built.weights).__name__ == "FollowTheLeader"
    assert setting.kernel().is_stationary() is False


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"learner": "hedge"}, "learner 'hedge' needs true_rewards, which only a simulation has: choose another, such"),
        ({"learner": "optimum"}, "learner 'optimum' needs true_rewards and future_types, which only a simulation has"),
        ({"learner": "commitment"}, "learner 'commitment' cannot play game 'two roads': choose another, such as"),
        ({"learner": "growing", **MIXED}, "learner 'growing' adds mixtures to the menu, which a match does not record"),
        ({"learner": "choice"}, "learner 'choice' cannot play game 'two roads': choose another"),
        ({"learner": "single-type"}, "game 'two roads' has 2 types: this learner needs exactly one known type"),
        ({"learner": "exp3"}, "horizon is not given: this learner needs it"),
        ({"learner": "anytme"}, "Unknown learner 'anytme': did you mean 'anytime'"),
        ({"learner": {"name": "anytime", "beta": 2}}, "Unknown parameter of learner 'anytime' 'beta'"),
        ({"learner": {"name": "anytime", "confidence_width": -1.0}}, "confidence_width of learner 'anytime' is -1.0"),
        ({"learner": {"name": "uniform", "beta": 2}}, "learner 'uniform' takes no parameters: leave beta out"),
        ({"learner": "fixed"}, "action of learner 'fixed' is missing: write fixed:ACTION"),
        ({"learner": "anytime", "strategy": "adahedge"}, "learner 'anytime' takes no strategy: leave 'adahedge' out"),
        ({"learner": 3}, "learner is 3: give a name, or a table with a name and parameters"),
        ({"learner": {"confidence_width": 1.0}}, "learner is {'confidence_width': 1.0}: give a name"),
    ],
)
def test_a_learner_that_cannot_play_is_refused_in_one_sentence(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=rf"^{sentence}"):
        Setting.of(PLAIN | changes)


def test_a_shorthand_names_a_learner_of_a_match(tmp_path: Path) -> None:
    assert new(tmp_path, strategy=None, learner="fixed:2").ask("a").action == 2


def test_a_configuration_from_before_learners_were_named_keeps_its_hash() -> None:
    stored = Setting.of(ROUTES).stored()
    del stored["config"]["learner"]
    old = Setting.restored(stored)
    assert old.stored() == stored
    assert type(old.learner()) is StackelUCB
    assert old.learner().strategy.tolist() == [0.25] * 4
