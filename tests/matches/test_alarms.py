"""Alarms and forecasts of a match: they follow from the journal, and say nothing that is not known."""

import tomllib
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.matches import Match
from firstmover.matches.forecast import forecast, intervals
from firstmover.matches.learner_state import Learning
from firstmover.matches.template import template
from tests.matches.played import ROUTES, answer, new, play, reopened


def kiosk(folder: Path, monkeypatch: pytest.MonkeyPatch, rounds: int) -> tuple[Match, float, float]:
    """A match of the pricing template with the day's temperature as one more type, its earnings, and the best price's.

    The template's kernel has a length scale of 1 in every type: days of other temperatures are unrelated.
    """
    config = tomllib.loads(template("pricing"))
    config["types"].append({"name": "temperature", "unit": "°C"})
    config["kernel"] = {
        "name": "product",
        "action": {"name": "rbf", "length_scale": 2.0, "variance": 900.0},
        "opponent_type": {"name": "rbf", "length_scale": 1.0},
    }
    config |= {"regularization": 9.0, "confidence": {"width": 1.5}, "learner": "anytime"}
    config["hyperparameters"] = {"source": "schedule", "every": 25, "at_least": 20}
    rng, prices, earned = np.random.default_rng(0), np.arange(8.0, 15.0), np.zeros(7)
    monkeypatch.setattr("firstmover.matches.commands.system_uniform", lambda: float(rng.random()))
    match, total = Match.create(folder / "kiosk.db", "kiosk", config), 0.0
    for _ in range(rounds):
        decision = match.ask()
        temperature, customers = float(np.round(rng.uniform(-5, 35), 1)), ("residents", "tourists")[rng.integers(2)]
        most, slope = (70.0, 20.0) if customers == "residents" else (60.0, 11.0)
        demand = np.clip(most + temperature - 20 - slope * (prices - 8), 0, 100)
        sold = float(np.clip(np.round(demand[decision.action] + rng.normal(0, 3)), 0, 100))
        match.tell(decision.round_id, {"customers": customers, "temperature": temperature}, sold)
        total, earned = total + (prices[decision.action] - 6) * sold, earned + (prices - 6) * demand
    return match, total, float(earned.max())


def test_a_type_in_degrees_that_spoils_the_learner_raises_an_alarm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, total, best = kiosk(tmp_path, monkeypatch, 100)
    assert total < 0.15 * best
    status = match.status()
    (alarm,) = [alarm for alarm in status.alarms if alarm.name == "not generalising"]
    assert alarm.since == "71"
    assert f"Alarm: {alarm}" in status.lines()
    assert Match.open(tmp_path / "kiosk.db", "kiosk").status() == status


def test_an_outlier_names_its_round_and_ends_with_its_correction(tmp_path: Path) -> None:
    match = new(tmp_path, responses=[{"name": "congestion"}])
    play(match, range(25))
    decision = match.ask("tuesday")
    demand, congestion = answer(decision, 25)
    match.tell("tuesday", demand, 1e6 * (1 + congestion))
    (alarm,) = [alarm for alarm in match.status().alarms if alarm.name == "outlier"]
    assert alarm.since == "tuesday"
    match.correct("tuesday", demand, congestion, reason="misplaced comma")
    assert "outlier" not in [alarm.name for alarm in match.status().alarms]


HISTORY = [
    {"action": action, "type": kind, "response": 3.0 + i % 4}
    for i, (action, kind) in enumerate([("north", "low"), ("south", "high"), ("north", "high")] * 4)
]


@pytest.mark.parametrize("learner", ["stackelucb", "auto"])
@pytest.mark.parametrize("history", [[], HISTORY])
def test_a_response_of_another_order_of_magnitude_is_an_outlier_at_once(
    tmp_path: Path, learner: str, history: list[dict[str, Any]]
) -> None:
    """A given kernel knows in the first round what to expect, a fitted one after three observations."""
    config = {"learner": "auto"} if learner == "auto" else {}
    left_out = {"kernel", "regularization", "confidence", "strategy", "horizon"} if config else set()
    config |= {name: value for name, value in ROUTES.items() if name not in left_out}
    match = Match.create(tmp_path / "matches.db", "roads", config | {"responses": [{"name": "congestion"}]})
    if history:
        match.import_history(history, again=True)
    elif learner == "auto":
        play(match, range(3))
    decision = match.ask("tuesday")
    assert match.tell("tuesday", answer(decision, 9)[0], 1e12)
    for reader in (match, Match.open(tmp_path / "matches.db", "roads")):
        (alarm,) = [alarm for alarm in reader.status().alarms if alarm.name == "outlier"]
        assert (alarm.since, alarm.remedy) == ("tuesday", "Check what was recorded, and correct it if it is wrong.")
    match.correct("tuesday", *answer(decision, 9), reason="typing error")
    assert "outlier" not in [alarm.name for alarm in match.status().alarms]


def test_the_first_response_is_an_outlier_as_soon_as_others_show_it(tmp_path: Path) -> None:
    left_out = {"kernel", "regularization", "confidence", "strategy", "horizon"}
    config = {name: value for name, value in ROUTES.items() if name not in left_out} | {"learner": "auto"}
    match = Match.create(tmp_path / "matches.db", "roads", config | {"responses": [{"name": "congestion"}]})
    match.tell("monday", answer(match.ask("monday"), 0)[0], 1e12)
    assert match.status().alarms == ()
    play(match, range(1, 4))
    assert [alarm.since for alarm in match.status().alarms if alarm.name == "outlier"] == ["monday"]


def test_the_monitor_of_a_snapshot_is_that_of_a_replay(tmp_path: Path) -> None:
    match = new(tmp_path)
    match.import_history([{"action": "north", "type": "low", "response": 3.0}])
    play(match, range(60))
    state = reopened(tmp_path).state()
    assert state.content is not None
    restored = Learning.restored(state.setting, state.steps, state.content).monitor
    replayed = state.corrected_learning(state.rounds["r59"]).monitor
    assert restored is not None
    assert replayed is not None
    assert restored.rounds == 60
    assert restored.numbers.tobytes() == replayed.numbers.tobytes()


@pytest.mark.parametrize("learner", ["exp3", "uniform"])
def test_a_learner_without_a_belief_says_nothing_about_widths_and_calibration(tmp_path: Path, learner: str) -> None:
    config = {name: value for name, value in ROUTES.items() if name != "strategy"} | {"learner": learner, "horizon": 20}
    match = Match.create(tmp_path / "matches.db", "roads", config)
    play(match, range(20))
    status = match.status()
    assert (status.nominal, status.favoured, status.alarms, status.cautions) == (None, None, (), ())
    text = "\n".join(status.lines())
    assert "Alarms are not computed for this learner: it has no model of the responses as numbers." in text
    assert not any(word in text for word in ("β", "alibration", "hyperparameters", "guarantee"))


def test_before_any_data_the_domain_is_shown_and_no_mean(tmp_path: Path) -> None:
    match = new(tmp_path)
    shown = forecast(match.state().learning, 1, np.zeros(1))
    assert [asdict(response) for response in shown.responses] == [{"mean": None, "lower": 0.0, "upper": 20.0}]
    assert asdict(shown.reward) == {"mean": None, "lower": 10.0 - 40.0, "upper": 10.0}
    assert match.status().favoured is None


def test_an_infinite_domain_has_no_ends(tmp_path: Path) -> None:
    match = new(tmp_path, responses=[{"name": "congestion", "lower": 0.0}])
    shown = forecast(match.state().learning, 1, np.zeros(1))
    assert asdict(shown.responses[0]) == {"mean": None, "lower": 0.0, "upper": None}
    assert asdict(shown.reward) == {"mean": None, "lower": None, "upper": None}


def test_actions_far_from_all_observations_stay_unknown(tmp_path: Path) -> None:
    """With a length scale of 2 the roads, 10 apart, say nothing about each other; 5 apart, exp(−6.25) of k."""
    kernel: dict[str, Any] = {"name": "rbf", "length_scale": 2.0, "variance": 9.0}
    match = new(tmp_path, kernel=kernel)
    match.import_history([{"action": "north", "type": "low", "response": 4.0}])
    learning = match.state().learning
    mean, lower, upper = intervals(learning, np.zeros(1))
    assert np.isnan(mean[:, 0]).tolist() == [True, False, True, True]
    assert (lower[2, 0], upper[2, 0]) == (0.0, 20.0)
    prediction = learning.belief.predict(np.zeros(1))
    reach = np.sqrt(prediction.std[1] ** 2 + 1)
    assert mean[1, 0] == prediction.mean[1, 0]
    assert (lower[1, 0], upper[1, 0]) == (pytest.approx(mean[1, 0] - reach), pytest.approx(mean[1, 0] + reach))
    assert match.status().favoured == "north"  # 2: nothing is known of the others, whatever a mean of 0 would earn
