from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.beliefs import posterior
from firstmover.core.arrays import Vector
from firstmover.figures.live import LIVE, Trace, json_values, map_of
from firstmover.figures.live.learning import _means, learning_curves
from firstmover.figures.live.trace import MOST_POINTS, Series, entropy
from firstmover.kernels import kernel_from
from firstmover.matches import Journal, Match
from tests.matches.played import ROUTES, new, play

MENU = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0], [5.0, 5.0]])
UNITS = np.array([0.0, 10.0, 10.0, 10.0])


def series(trace: Trace) -> dict[str, Any]:
    found = trace.series
    return {
        "reward": found.reward,
        "optimistic": found.optimistic,
        "entropy": found.entropy,
        "regret": found.regret,
        "errors": [error.tolist() for error in found.errors],
        "strategies": [p.tolist() for p in found.strategies],
    }


def test_what_was_believed_before_each_round_against_the_plain_equations(tmp_path: Path) -> None:
    match = new(tmp_path)
    play(match, range(8))
    trace, kernel = Trace(match.journal), kernel_from(ROUTES["kernel"])
    pairs, responses = np.empty((0, 3)), np.empty((0, 1))
    for t, view in enumerate(match.history()):
        assert view.action is not None
        assert view.response is not None
        z = np.append(MENU[view.action], {"low": 0.0, "high": 1.0}[(view.opponent_type or {})["demand"]])[None]
        y = view.response["congestion"]
        found = posterior(kernel, 1.0, pairs, responses, z)
        mean, std = found.mean[0, 0], found.std[0]
        # r = units − 2 y falls in y, so that optimism takes the lower end of [μ − σ, μ + σ], cut to [0, 20] (β = 1).
        low = np.clip(mean - std, 0.0, 20.0)
        assert trace.series.optimistic[t] == pytest.approx(UNITS[view.action] - 2 * low, abs=1e-9)
        assert trace.series.errors[t][0] == pytest.approx((y - mean) / np.sqrt(std**2 + 1.0), abs=1e-9)
        assert trace.series.reward[t] == pytest.approx(UNITS[view.action] - 2 * y)
        pairs, responses = np.vstack([pairs, z]), np.vstack([responses, [[y]]])
    health = match.status()
    assert sum(abs(error[0]) <= 1.0 for error in trace.series.errors) == health.inside
    assert learning_curves(trace).calibration.counts == health.counted == 8


def test_following_round_by_round_is_reading_all_at_once_whatever_is_recorded(tmp_path: Path) -> None:
    match = new(tmp_path)
    trace = Trace(match.journal)
    for step in (
        lambda: play(match, range(3)),
        lambda: match.ask("late"),
        lambda: match.import_history([{"action": "both", "type": "low", "response": 2.0}]),
        lambda: play(match, range(3, 5)),
        lambda: match.void("late", "rain"),
        lambda: match.correct("late", "high", 7.0, reason="found it"),
        lambda: play(match, range(5, 6)),
        lambda: match.correct("r1", reason="a mistake"),
        lambda: play(match, range(6, 8)),
    ):
        step()
        trace.follow()
        assert series(trace) == series(Trace(match.journal))
    assert len(trace.series.reward) == match.status().told == 8
    assert trace.learning.belief.information_gain == pytest.approx(match.learner().belief.information_gain)


def test_a_refit_is_followed(tmp_path: Path) -> None:
    schedule = {"source": "schedule", "every": 4, "at_least": 4}
    match = new(tmp_path, hyperparameters=schedule)
    trace = Trace(match.journal)
    for number in range(9):
        play(match, range(number, number + 1))
        trace.follow()
    assert match.status().refits >= 1
    assert series(trace) == series(Trace(match.journal))
    assert sum(abs(error[0]) <= 1.0 for error in trace.series.errors) == match.status().inside


def test_points_are_thinned_by_powers_of_two_and_blocks_are_averaged() -> None:
    found = Series()
    for t in range(1, 1101):
        found.add(np.zeros(1), np.array([1.0, t]) / (1 + t))
    assert MOST_POINTS == 500
    assert found.every == 4  # 1100 / 2 = 550 points are too many
    assert [round(1 / p[0]) - 1 for p in found.strategies[:3]] == [1, 5, 9]
    assert len(found.strategies) == 275


def test_curves_worked_by_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firstmover.figures.live.trace.MOST_POINTS", 2)
    match = new(tmp_path)
    play(match, range(3))
    curves = learning_curves(trace := Trace(match.journal))
    r = trace.series.reward
    assert curves.every == 2
    assert curves.t.tolist() == [1, 3]
    np.testing.assert_allclose(curves.reward, [(r[0] + r[1]) / 2, r[2]])
    np.testing.assert_allclose(curves.average_reward, [(r[0] + r[1]) / 2, sum(r) / 3])
    assert curves.entropy[0] == pytest.approx(entropy(trace.series.strategies[0]))
    assert curves.largest_entropy == pytest.approx(np.log(4))
    assert curves.likeliest.p.shape == (4, 2)
    np.testing.assert_allclose(curves.likeliest.p.sum(axis=0), 1.0)


def test_regret_is_that_of_the_best_fixed_action_in_hindsight(tmp_path: Path) -> None:
    def truth(opponent_type: Vector) -> Vector:
        return np.array([0.0, 3.0, 1.0, 2.0]) if opponent_type[0] == 0.0 else np.array([0.0, -4.0, 1.0, 2.0])

    match = new(tmp_path)
    play(match, range(4))  # low, high, low, high
    trace = Trace(match.journal, truth)
    earned, totals = 0.0, np.zeros(4)
    for t, view in enumerate(match.history()):
        assert view.action is not None
        now = truth(np.array([t % 2.0]))
        earned, totals = earned + now[view.action], totals + now
        assert trace.series.regret[t] == pytest.approx(max(totals) - earned)
    curves = learning_curves(trace)
    assert curves.regret is not None
    np.testing.assert_allclose(curves.regret, np.array(trace.series.regret) / [1, 2, 3, 4])
    assert learning_curves(Trace(match.journal)).regret is None


def test_a_reader_sees_nothing_of_a_pending_action(tmp_path: Path) -> None:
    configs: dict[str, dict[str, Any]] = {
        "roads": ROUTES,
        "price": ROUTES | {"menu": ROUTES["menu"] | {"features": ["north"], "rows": ROUTES["menu"]["rows"][:2]}},
        "park": {"menu": {"game": "wildlife"}, "horizon": 10},
    }
    for name, config in configs.items():
        match = Match.create(tmp_path / f"{name}.db", name, config)
        told = ("1", [1.2, 3.4]) if name == "park" else ("low", 3.0)
        match.tell(match.ask("told").round_id, *told)
        match.ask("waits")
        trace = Trace(match.journal)
        rounds = trace.state.rounds
        shown = []
        for action in (0, 1):
            rounds["waits"] = rounds["waits"]._replace(action=action, probability=0.1 * action)
            shown.append((json_values(map_of(trace, reveal=False)), json_values(learning_curves(trace))))
        assert shown[0] == shown[1]
        owner = []
        for action in (0, 1):
            rounds["waits"] = rounds["waits"]._replace(action=action)
            owner.append(json_values(map_of(trace, reveal=True)))
        assert owner[0] != owner[1]


def test_before_the_first_round_there_is_a_picture_too(tmp_path: Path) -> None:
    match = new(tmp_path)
    trace = Trace(Journal.open(tmp_path / "matches.db", "roads", read_only=True))
    for entry in LIVE.values():
        assert json_values(entry.record(trace))
    assert learning_curves(trace).rounds == 0
    np.testing.assert_allclose(trace.strategy, 0.25)
    trace.journal.close()
    match.close()


def test_means_leave_out_rounds_without_a_finite_value() -> None:
    starts, ends = np.array([0, 2, 3]), np.array([2, 3, 5])
    points, averages = _means([np.inf, np.inf, 4.0, 1.0, 3.0], starts, ends)
    assert np.array_equal(points, [np.nan, 4.0, 2.0], equal_nan=True)
    assert np.array_equal(averages, [np.nan, 4.0, 8 / 3], equal_nan=True)
