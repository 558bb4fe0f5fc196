"""Certificates of matches: which rounds, actions and rewards count, and where there is none."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.beliefs import LemmaWidth
from firstmover.core.errors import InvalidInput
from firstmover.matches import Match
from firstmover.matches import certificate as module
from firstmover.matches.certificate import MatchCertificate
from firstmover.theory.certificate import NormBound, estimated_certificate, proved_certificate
from firstmover.theory.compared_rounds import Played
from tests.matches.played import ROUTES, answer
from tests.matches.test_changes import ANYTIME, MORE, SHOP, play, sold
from tests.matches.test_commitment import INSPECTIONS

LEMMA = ANYTIME | {"confidence": {"rkhs_norm_bound": 4.0, "noise_std": 1.0, "failure_probability": 0.05}}


def shop(folder: Path, config: Any = SHOP, rounds: int = 30) -> Match:
    match = Match.create(folder / "m.db", "shop", config)
    play(match, 0, rounds)
    return match


def rounds_of(match: Match) -> Played:
    """The told rounds from the history of a match."""
    setting, told = match.setting, [each for each in match.history() if each.status == "told"]
    return Played(
        np.array([each.action_played for each in told]),
        np.array([setting.types.vector(each.opponent_type) for each in told]),
        np.array([setting.responses.vector(each.response) for each in told]),
        np.ones(len(told), dtype=bool),
    )


def test_an_estimate_is_that_of_the_belief(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With fixed draws: demand has a cliff, and half of all draws raise the alarm of heavy tails, which is remarked."""
    rng = np.random.default_rng(2)
    monkeypatch.setattr("firstmover.matches.commands.system_uniform", lambda: float(rng.random()))
    with shop(tmp_path) as match:
        found = match.certificate()
        expected = estimated_certificate(match.setting.game, match.state().learning.belief, rounds_of(match), 0.9)
        assert (found.loss, found.expected, found.rounds, found.confidence) == (
            *(expected.loss, expected.expected),
            *(30, 0.9),
        )
        assert found.per_round == found.loss / 30
        assert not found.proved
        assert found.remarks == ()
        said = f"With 90% confidence you have lost at most {found.loss:.4g} against the best fixed action"
        assert found.lines()[0] == f"{said}, {found.per_round:.4g} per round (an estimate)."
        assert match.status().certificate == found.lines()[0]
        assert found.lines()[0] in match.status().lines()
        assert MatchCertificate(**found.as_dict()) == found


def test_a_theorem_has_the_assumptions_of_the_configuration(tmp_path: Path) -> None:
    with shop(tmp_path, LEMMA) as match:
        found, width = match.certificate(), match.setting.confidence
        assert isinstance(width, LemmaWidth)
        expected = proved_certificate(match.setting.game, match.setting.kernel(), rounds_of(match), NormBound.of(width))
        assert (found.loss, found.proved, found.confidence) == (expected.loss, True, 0.95)
        assert "if the norm of the responses and their noise are as configured" in found.sentence


def test_it_bounds_what_was_lost(tmp_path: Path) -> None:
    """The true demand is known here: it is that of `sold`."""
    for config in (SHOP, ANYTIME, LEMMA):
        folder = tmp_path / str(id(config))
        folder.mkdir()
        with shop(folder, config, 20) as match:
            kinds, prices = [str(each.opponent_type["customers"]) for each in match.history()], (1.0, 2.0, 3.0, 4.0)
            totals = [sum(price * sold(kind, price) for kind in kinds) for price in prices]
            earned = sum(each.reward or 0.0 for each in match.history())
            assert max(totals) - earned <= match.certificate().loss + 1e-6


def test_a_constant_width_and_fitted_hyperparameters_are_estimates(tmp_path: Path) -> None:
    with shop(tmp_path, ANYTIME) as match:
        assert not match.certificate().proved
    fitted = LEMMA | {"hyperparameters": {"source": "schedule", "every": 50}}
    with Match.create(tmp_path / "f.db", "shop", fitted) as match:
        play(match, 0, 8)
        assert not match.certificate().proved


def test_what_was_played_counts_not_what_was_advised(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "shop", SHOP) as match:
        for number in range(10):
            match.ask(f"r{number}")
            match.tell(f"r{number}", "visitors", sold("visitors", 1.0), played="1")
        found = match.certificate()
        expected = estimated_certificate(match.setting.game, match.state().learning.belief, rounds_of(match), 0.9)
        assert found.loss == expected.loss
        assert "Estimates from fewer than 30 observations are often too small." in found.remarks
        assert "10 rounds with another action than advised: what was played counts." in found.remarks
        assert match.status().certificate is None


def test_actions_are_compared_where_they_could_have_been_played(tmp_path: Path) -> None:
    """Action 6 was added after ten rounds, action 4 closed in the last one, and action 1 retired."""
    with shop(tmp_path, SHOP, 10) as match:
        match.add_actions(MORE)
        match.ask("last", without=["4"])
        match.tell("last", "locals", 12.0)
        match.retire("1")
        allowed = module._played(match.state()).allowed
        assert allowed.sum(axis=0).tolist() == [0, 11, 11, 10, 1, 1]
        assert any("rounds in which it was on the menu" in remark for remark in match.certificate().remarks)


COMPARED = "An action is compared over the rounds in which it was on the menu and allowed; retired ones are left out."


@pytest.mark.parametrize("change", ["none", "closed in one round", "added", "retired"])
def test_any_change_of_the_menu_is_remarked(tmp_path: Path, change: str) -> None:
    with shop(tmp_path, SHOP, 10) as match:
        if change == "added":
            match.add_actions(MORE)
        match.ask("last", without=["4"] if change == "closed in one round" else [])
        match.tell("last", "locals", 12.0)
        if change == "retired":
            match.retire("1")
        assert (COMPARED in match.certificate().remarks) == (change != "none")


def test_imported_rows_inform_and_are_no_rounds(tmp_path: Path) -> None:
    """Also those with actions off the menu, and those with unknown types."""
    rows: list[dict[str, Any]] = [
        {"action": "1", "customers": "locals", "sold": 12.0},
        {"action": "3", "customers": "visitors", "sold": 14.0},
        {"price": 2.5, "customers": "locals", "sold": 11.0},
    ]
    with Match.create(tmp_path / "m.db", "shop", SHOP) as match:
        match.import_history(rows)
        with pytest.raises(InvalidInput, match="no round was told"):
            match.certificate()
        assert match.status().certificate is None
        play(match, 0, 8)
        played = module._played(match.state())
        assert played.rounds.tolist() == [False] * 3 + [True] * 8
        assert played.actions[2] == 4, "the number of an action off the menu"
        assert match.certificate().rounds == 8


def test_changed_rewards_void_rounds_and_costs_are_told(tmp_path: Path) -> None:
    with shop(tmp_path, SHOP | {"change_cost": 0.1}) as match:
        match.ask("void")
        match.void("void", "closed")
        match.set_reward({"value": 1.0, "responses": {"sold": "price"}})
        remarks = match.certificate().remarks
        assert "1 void round left out." in remarks
        assert "All rounds count by the present reward." in remarks
        assert "Costs of changing the action are left out." in remarks


def test_a_reader_has_it_too(tmp_path: Path) -> None:
    with shop(tmp_path) as match:
        loss = match.certificate().loss
        match.ask("pending")
    with Match.open(tmp_path / "m.db", "shop", read_only=True) as reader:
        assert reader.certificate().loss == loss


def test_commitments_and_places_have_none(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "quays", INSPECTIONS) as match:
        with pytest.raises(InvalidInput, match="this match has commitments or places"):
            match.certificate()
        assert match.status().certificate is None


def test_learners_without_a_belief_have_that_of_the_match(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "routes", ROUTES | {"learner": "uniform", "strategy": None}) as match:
        for number in range(6):
            demand, congestion = answer(match.ask(f"r{number}"), number)
            match.tell(f"r{number}", {"demand": demand}, {"congestion": congestion})
        assert match.certificate().rounds == 6


def test_the_status_leaves_out_what_takes_long_and_says_what_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with shop(tmp_path) as match:
        monkeypatch.setattr(module, "MOST_PAIRS", 7)
        assert match.status().certificate is None
        monkeypatch.setattr(module, "MOST_PAIRS", 8)
        assert match.status().certificate is not None
        monkeypatch.setattr(module, "MOST_SUMS", 3)
        assert match.status().certificate is None
    wrong = LEMMA | {"confidence": {"rkhs_norm_bound": 0.001, "noise_std": 0.001, "failure_probability": 0.05}}
    monkeypatch.undo()
    with Match.create(tmp_path / "w.db", "shop", wrong) as match:
        play(match, 0, 6)
        assert str(match.status().certificate).startswith("No certificate of what was lost: the responses contradict")
