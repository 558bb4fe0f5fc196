"""Rehearsals from a table to figures: each policy's part, refusals, and the same figures for the same seed."""

import csv
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from firstmover.beliefs.fitted import FittedBelief
from firstmover.core.errors import InvalidInput
from firstmover.games import GAMES
from firstmover.matches.rehearsal import EVERY, Rehearsal, _rules, rehearse
from firstmover.matches.setup import Setting
from firstmover.simulation.seasons import Seasons

PRICES = ("2.0", "2.5", "3.0", "3.5")
SHOP: dict[str, Any] = {
    "title": "shop",
    "menu": {"label": "label", "features": ["price"], "rows": [{"label": p, "price": float(p)} for p in PRICES]},
    "reward": {"responses": {"sold": "price"}},
    "responses": [{"name": "sold", "lower": 0.0}],
    "types": [{"name": "day", "levels": ["week", "weekend"], "known": "before"}],
}


def table(folder: Path, rows: int = 40, *, explained: bool = True, seed: int = 0) -> Path:
    """Prices that were mostly too low: demand falls by 2 per unit, so that 3.5 earns the most."""
    rng = np.random.default_rng(seed)
    path = folder / "sales.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["price", "day", "sold"])
        for _ in range(rows):
            price, weekend = rng.choice([2.0, 2.0, 2.0, 2.0, 2.5, 3.0, 3.5]), rng.random() < 0.3
            mean = 16 - 2 * price + 6 * weekend if explained else 10.0
            sold = max(0.0, mean + rng.standard_normal() * (0.5 if explained else 4.0))
            writer.writerow([price, "weekend" if weekend else "week", round(sold, 2)])
    return path


@pytest.fixture(scope="module")
def rehearsal(tmp_path_factory: pytest.TempPathFactory) -> Rehearsal:
    return rehearse(SHOP, table(tmp_path_factory.mktemp("rehearsal")), seasons=11, rounds=16)


def test_every_policy_plays_the_same_seasons(rehearsal: Rehearsal) -> None:
    assert rehearsal.match.earned.shape == (11, 16)
    assert rehearsal.floored_early.earned.shape == (11, 12)
    assert rehearsal.floored.earned.shape == (2, 16)  # seasons 0 and 10
    assert [gain.name for gain in rehearsal.others] == ["best single action", "StackelUCB", "Exp3"]
    present = rehearsal.match.present
    assert np.array_equal(rehearsal.floored_early.present, present[:, :12])
    assert np.array_equal(rehearsal.floored.present, present[::EVERY])
    assert np.array_equal(rehearsal.others[1].present, present[::EVERY])


def test_the_oracle_is_never_behind_and_the_learner_finds_the_better_price(rehearsal: Rehearsal) -> None:
    for gain in (rehearsal.match, rehearsal.others[0]):
        assert (rehearsal.oracle.earned >= gain.earned - 1e-9).all()
    assert rehearsal.match.relative.mean() > 0.05
    assert 0.9 < rehearsal.of_oracle <= 1
    assert rehearsal.of_oracle_late >= rehearsal.of_oracle - 0.02
    assert rehearsal.match.per_round > rehearsal.others[2].per_round  # Exp3


def test_the_floor_lies_below_what_was_played_most_of_late(rehearsal: Rehearsal) -> None:
    assert rehearsal.baseline == "2.0"  # 5 of the last 10 rows, as is 3.5, which stands behind it
    assert rehearsal.at_least == 0.95
    cost = 1 - rehearsal.floored.earned.mean() / rehearsal.match.earned[::EVERY].mean()
    assert rehearsal.floor_cost == pytest.approx(cost)


def test_of_late_is_the_last_quarter_of_the_history() -> None:
    """2.0 was played in 12 rounds, then 3.0 in three of the last four."""
    played = np.array([0] * 12 + [2, 3, 2, 2])
    past = SimpleNamespace(nearest=lambda _: played, responses=played)
    plain, floored = _rules(Setting.of(SHOP), past)  # type: ignore[arg-type]
    assert plain is None
    assert floored.floor is not None
    assert floored.floor.baseline == 2


def test_figures_by_name_are_those_of_the_record(rehearsal: Rehearsal) -> None:
    figures = rehearsal.as_dict()
    assert figures["share_of_oracle"] == rehearsal.of_oracle
    assert figures["rounds_used"] == 40
    assert figures["present_per_round"] == pytest.approx(rehearsal.match.present.mean())
    assert figures["recorded_per_round"] == pytest.approx(rehearsal.recorded)
    assert figures["present_per_round"] == pytest.approx(figures["recorded_per_round"], rel=0.1)
    assert figures["held_out"]["refusal"] is None


def test_equal_seeds_repeat_exactly(tmp_path: Path) -> None:
    path = table(tmp_path)
    first, again = (rehearse(SHOP, path, seasons=2, rounds=4, seed=3).as_dict() for _ in range(2))
    assert first == again
    assert rehearse(SHOP, path, seasons=2, rounds=4, seed=4).as_dict() != first


def test_another_model_and_a_floor_of_the_configuration(tmp_path: Path) -> None:
    config = SHOP | {"floor": {"baseline": "2.5", "at_least": 0.9}}
    found = rehearse(config, table(tmp_path), model="LinearRegression", seasons=2, rounds=4)
    assert (found.model, found.baseline, found.at_least) == ("LinearRegression", "2.5", 0.9)


def test_a_long_history_keeps_its_hyperparameters_in_a_season(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, counts = table(tmp_path, rows=60), []
    fit = FittedBelief.fit
    monkeypatch.setattr(FittedBelief, "fit", lambda belief: counts.append(belief.count) or fit(belief))
    rehearse(SHOP, path, seasons=2, rounds=24)
    assert max(counts) == 60  # fits of the history alone; the next one would be due after 80 rounds
    counts.clear()
    rehearse(SHOP, table(tmp_path, rows=40), seasons=2, rounds=24)
    assert max(counts) > 40


def test_the_noise_of_a_season_holds_the_errors_of_forecasts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    factors = []
    drawn = Seasons.drawn

    def noted(*given: Any, noise_factor: Any, **more: Any) -> Any:
        factors.append(noise_factor)
        return drawn(*given, noise_factor=noise_factor, **more)

    monkeypatch.setattr(Seasons, "drawn", noted)
    found = rehearse(SHOP, table(tmp_path), seasons=2, rounds=2)
    assert factors[0] == pytest.approx(np.maximum(1.0, found.held_out.width / 1.95996), rel=1e-5)


def test_progress_is_told(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    rehearse(SHOP, table(tmp_path), seasons=2, rounds=2, watch=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2)]


LEVELS = {
    **SHOP,
    "types": [{"name": "day", "levels": ["week", "weekend"]}],
    "responses": [{"name": "sold", "levels": ["few", "many"]}],
    "reward": {"responses": {"sold": {"few": 0.0, "many": 1.0}}},
}


@pytest.mark.parametrize(
    ("config", "options", "words"),
    [
        (SHOP, {"seasons": 1}, "seasons is 1"),
        (SHOP, {"rounds": 0}, "rounds is 0"),
        (SHOP, {"model": "RandomForestRegresor"}, "RandomForestRegressor"),
        (SHOP, {"model": "MultiOutputRegressor"}, "needs an estimator of its own"),
        (LEVELS, {}, "one of some levels"),
    ],
)
def test_bad_input_is_one_sentence(tmp_path: Path, config: Any, options: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words) as error:
        rehearse(config, table(tmp_path), **options)
    assert "\n" not in str(error.value)


def test_a_table_that_explains_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no better than a constant"):
        rehearse(SHOP, table(tmp_path, explained=False, seed=1), seasons=2, rounds=2)


def test_a_short_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="history has 12 rounds"):
        rehearse(SHOP, table(tmp_path, rows=12), seasons=2, rounds=2)


def test_a_type_that_follows_from_the_decision_is_refused(tmp_path: Path) -> None:
    path = table(tmp_path)
    rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([[*rows[0], "cars"], *([*row, str(20 - 4 * float(row[0]))] for row in rows[1:])])
    config = SHOP | {"types": [*SHOP["types"], {"name": "cars"}]}
    with pytest.raises(InvalidInput, match=r"type 'cars' moves with what you decide \(100% of its variation\)"):
        rehearse(config, path, seasons=2, rounds=2)


def test_a_built_in_game_is_rehearsed() -> None:
    game = GAMES["shore"].build()
    rng, past = np.random.default_rng(0), []
    for _ in range(30):
        action, kind = int(rng.integers(game.n_actions)), int(rng.integers(len(game.types)))
        response = float(np.clip(0.3 + 0.5 * np.sin(action / 4) * (kind + 1) / len(game.types), 0, 1))
        past.append({"action": action, "type": {"type": str(kind + 1)}, "response": {"y1": response}})
    found = rehearse({"menu": {"game": "shore"}}, past, seasons=2, rounds=2)
    assert found.match.earned.shape == (2, 2)
