from math import erf, sqrt
from pathlib import Path

import numpy as np
import pytest

from firstmover.beliefs.fitting import fit_kernel
from firstmover.core.errors import InvalidInput, PrecisionLost
from firstmover.core.numerics import fingerprint, sample_action, system_uniform
from firstmover.kernels import bind
from firstmover.matches import Match, commands, state_hash
from firstmover.matches.learner_state import Learning, fitted_theta
from tests.matches.played import ROUTES, new, play


def test_the_words_say_what_the_figures_are(tmp_path: Path) -> None:
    match = new(tmp_path)
    empty = match.status()
    assert (empty.asked, empty.favoured, empty.effective_actions) == (0, None, pytest.approx(4.0))
    assert "Calibration: no response was told yet; 68% should lie inside their bounds." in empty.lines()
    play(match, range(3))
    match.ask("late")
    match.ask("later")
    match.void("later", "lost")
    lines = match.status().lines()
    assert lines[0] == "5 rounds asked: 3 told, 1 pending (late), 1 void; 0 corrected."
    assert lines[2] == "Total delay: 1, the rounds asked while others were pending."
    assert any("Theorem 1 assumes that each is told before the next" in line for line in lines)
    assert any("constant β" in line for line in lines)


def test_calibration_counts_what_lay_within_beta_standard_deviations_of_a_noisy_response(tmp_path: Path) -> None:
    """At the first round μ = 0 and σ² = k = 9, λ = 1: a response is inside up to β √10 = 3.16."""
    for response, inside in [(3.1, 1), (3.2, 0)]:
        folder = tmp_path / str(response)
        folder.mkdir()
        match = new(folder)
        match.ask("a")
        match.tell("a", "low", response)
        status = match.status()
        assert (status.inside, status.counted) == (inside, 1)
        assert status.nominal == pytest.approx(erf(1 / sqrt(2)))


def test_bounds_that_miss_too_often_raise_an_alarm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firstmover.matches.commands.sample_action", lambda _strategy, _number: 1)
    match = new(tmp_path)
    for number in range(8):
        match.ask(str(number))
        match.tell(str(number), "low", 20.0 * (number % 2))
    status = match.status()
    assert (status.inside, status.counted) == (1, 8)  # the first, 0, is what was expected
    (alarm,) = status.alarms
    assert (alarm.name, alarm.since) == ("calibration", "0")
    assert alarm.measured == "Of the last 8 responses 12% lay inside their 90 % bands."
    assert f"Alarm: {alarm}" in status.lines()


def test_the_lemma_and_what_else_weakens_or_keeps_the_guarantee(tmp_path: Path) -> None:
    lemma = {"rkhs_norm_bound": 3.0, "noise_std": 1.0, "failure_probability": 0.05}
    match = new(tmp_path, confidence=lemma, horizon=2)
    play(match, range(2))
    assert match.status().cautions == ()
    assert match.status().lines()[-1] == "Nothing weakens the guarantee."
    assert match.status().nominal == 0.95
    play(match, range(2, 3))
    assert match.status().cautions == ("3 rounds exceed the horizon of 2, for which the learning rate was set.",)
    follower = Match.create(tmp_path / "matches.db", "f", ROUTES | {"strategy": "follow-the-leader"})
    assert any("follow-the-leader has no guarantee" in caution for caution in follower.status().cautions)


def test_the_favoured_action_is_the_best_by_the_belief(tmp_path: Path) -> None:
    match = new(tmp_path)
    match.import_history(
        [{"action": a, "type": "low", "response": y} for a, y in [("north", 9.0), ("south", 0.5), ("both", 6.0)] * 4]
    )
    assert match.status().favoured == "south"


def test_hyperparameters_from_history_are_fitted_once_an_import(tmp_path: Path) -> None:
    match = new(tmp_path, hyperparameters={"source": "history", "at_least": 4})
    few = [{"action": a, "type": "low", "response": float(a)} for a in range(3)]
    match.import_history(few)
    assert match.status().refits == 0
    match.import_history([{"action": a, "type": "high", "response": 2.0 * a} for a in range(4)])
    match.ask()
    event = next(e for e in match.journal.read() if e.kind == "refitted")
    assert (match.status().refits, event.payload["observations"]) == (1, 7)
    before = match.setting.kernel()
    assert match.setting.kernel(event.payload["theta"]).theta.tolist() == event.payload["theta"]
    assert event.payload["theta"] != before.theta.tolist()
    assert any("hyperparameters come from the data" in caution for caution in match.status().cautions)


def test_a_schedule_counts_tells_and_not_imported_rows(tmp_path: Path) -> None:
    match = new(tmp_path, hyperparameters={"source": "schedule", "every": 3, "at_least": 2})
    match.import_history([{"action": a % 4, "type": "low", "response": float(a)} for a in range(7)])
    play(match, range(2))
    assert match.status().refits == 0
    play(match, range(2, 6))
    fits = [event.payload for event in match.journal.read() if event.kind == "refitted"]
    assert [fit["observations"] for fit in fits] == [7 + 3, 7 + 6]


def test_a_refit_uses_the_latest_observations(tmp_path: Path) -> None:
    """Five of the eleven: the last two imported rows and three tells."""
    match = new(tmp_path, hyperparameters={"source": "schedule", "every": 3, "at_least": 3, "at_most": 5})
    match.import_history([{"action": a % 4, "type": "low", "response": float(a % 5)} for a in range(8)])
    play(match, range(3))
    [event] = [event for event in match.journal.read() if event.kind == "refitted"]
    seen = [match.setting.feedback(a, {"demand": "low"}, {"congestion": y}) for a, y in ((2, 1.0), (3, 2.0))]
    seen += [match.setting.feedback(told.action, told.opponent_type, told.response) for told in match.history()]
    points = np.array([np.append(match.setting.game.actions[each.action], each.opponent_type) for each in seen])
    latest = fit_kernel(bind(match.setting.kernel(), 2), points, np.array([each.response for each in seen]), 1.0)
    assert event.payload["observations"] == 5
    assert event.payload["theta"] == pytest.approx(latest.kernel.theta, rel=1e-9)
    assert event.payload["log_likelihood"] == pytest.approx(latest.log_likelihood)


def test_a_refit_keeps_the_weights_and_builds_the_belief_anew(tmp_path: Path) -> None:
    match = new(tmp_path, hyperparameters={"source": "schedule", "every": 6, "at_least": 6})
    play(match, range(5))
    match.ask("r5")
    match.tell("r5", "high", 4.0)
    state = match.state()
    theta = fitted_theta(state.steps[-1:])
    assert theta is not None
    before = Learning.start(match.setting)
    for step in state.steps[:-1]:
        before = before.after(step, ())
    assert match.learner().strategy.tobytes() == before.learner.strategy.tobytes()
    belief = match.setting.belief(theta)
    for played in state.rounds.values():
        seen = match.setting.feedback(played.action, played.opponent_type, played.response)
        belief = belief.condition(seen.action, seen.opponent_type, seen.response)
    found = match.learner().belief.predict(np.array([1.0]))
    assert found.mean.tobytes() == belief.predict(np.array([1.0])).mean.tobytes()


def test_a_kernel_that_the_learner_refuses_is_not_used_and_the_event_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = new(tmp_path, hyperparameters={"source": "schedule", "every": 3, "at_least": 3})
    fitted = commands._fitted
    monkeypatch.setattr(commands, "_fitted", lambda *given: fitted(*given) | {"theta": [80.0, 0.0]})
    play(match, range(3))
    event = next(e for e in match.journal.read() if e.kind == "refitted")
    assert event.payload["theta"] == match.setting.kernel().theta.tolist()
    assert event.payload["remarks"][-1].startswith("not used: ")
    assert match.verify().state_hash == state_hash(match.state())


def test_what_the_learner_refuses_is_not_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    match = new(tmp_path)
    match.ask("a")

    def refuse(*_: object) -> None:
        raise PrecisionLost("no")

    with monkeypatch.context() as patch:
        patch.setattr(Learning, "after", refuse)
        with pytest.raises(PrecisionLost):
            match.tell("a", "low", 1.0)
    assert match.status().pending == ("a",)


def test_actions_are_drawn_as_often_as_their_probability_says() -> None:
    """Pearson's statistic of 3 degrees of freedom exceeds 30.7 with probability 1e-6."""
    p = np.array([0.1, 0.0, 0.5, 0.15, 0.25])
    counts = np.bincount([sample_action(p, system_uniform()) for _ in range(20_000)], minlength=5)
    assert counts[1] == 0
    expected = 20_000 * p[p > 0]
    assert np.sum((counts[p > 0] - expected) ** 2 / expected) < 30.7


def test_the_draw_takes_the_first_action_whose_distribution_function_exceeds_the_number() -> None:
    p = np.array([0.25, 0.25, 0.5])
    assert [sample_action(p, u) for u in (0.0, 0.2499, 0.25, 0.4999, 0.5, 1 - 2**-53)] == [0, 0, 1, 1, 2, 2]
    short = np.array([0.3, 0.3, 0.3999999, 0.0])
    assert sample_action(short, 1 - 2**-53) == 2


def test_import_rows_are_refused_by_number(tmp_path: Path) -> None:
    match = new(tmp_path)
    good = {"action": "north", "type": "low", "response": 1.0}
    for row, sentence in [
        ({"type": "low", "response": 1.0}, "row 2 has no 'action'"),
        (good | {"action": "noth"}, "row 2: Unknown action 'noth': did you mean 'north'"),
        (good | {"response": "1 min"}, "row 2: response 'congestion' is '1 min'"),
    ]:
        with pytest.raises(InvalidInput, match=sentence):
            match.import_history([good, row])
    with pytest.raises(InvalidInput, match="history has no rows"):
        match.import_history([])
    assert match.state().sequence == 1


def test_the_fingerprint_names_what_bits_depend_on() -> None:
    plain = fingerprint()
    assert all(word in plain for word in ("python 3.", "numpy ", "scipy ", "scikit-learn ", "firstmover ", "1 thread"))
