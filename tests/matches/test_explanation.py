"""Explanations: numbers as the belief has them, and turning points that hold when they are observed."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.matches import Match
from tests.matches.test_changes import ANYTIME, SHOP, play

ONE = SHOP | {"types": []}


def sold(price: float) -> float:
    return 40.0 - 8.0 * price


def started(folder: Path, config: Any, rounds: int = 8) -> Match:
    match = Match.create(folder / "m.db", "shop", config)
    if config["types"]:
        play(match, 0, rounds)
        return match
    for number in range(rounds):
        decision = match.ask(f"r{number}")
        match.tell(f"r{number}", None, sold(decision.features["price"]) + (-1) ** number)
    return match


@pytest.mark.parametrize("config", [ONE, SHOP, ANYTIME], ids=["one type", "auto", "anytime"])
def test_candidates_are_those_of_the_belief(tmp_path: Path, config: Any) -> None:
    with started(tmp_path, config) as match:
        decision = match.ask("now")
        found = match.explain()
        assert (found.round_id, found.action) == ("now", decision.label)
        assert found.candidates[0].probability == decision.probability
        assert len(found.candidates) == 3
        for each in found.candidates:
            assert each.lower <= each.expected <= each.upper
        assert found.as_dict()["candidates"][0]["label"] == decision.label
        assert all("\n" not in line for line in found.lines())


def test_expected_rewards_by_hand(tmp_path: Path) -> None:
    with started(tmp_path, ONE) as match:
        match.ask("now")
        mean = match.state().learning.belief.predict(np.empty(0)).mean[:, 0]
        for each in match.explain().candidates:
            price = float(each.label)
            assert each.expected == pytest.approx(price * np.clip(mean[int(price) - 1], 0, 60))


@pytest.mark.parametrize("side", ["below", "above"])
def test_a_turning_point_turns_the_advice(tmp_path: Path, side: str) -> None:
    """Told a response just beyond it, the match advises the named action; just before it, the expected one."""
    turned = 0
    for rounds in (4, 5, 6, 7, 9):
        for beyond in (True, False):
            folder = tmp_path / f"{rounds} {beyond}"
            folder.mkdir()
            with started(folder, ONE, rounds) as match:
                match.ask("now")
                found = match.explain()
                turn = getattr(found, side)
                if turn is None:
                    break
                gap = 1e-3 * (turn[0] - found.expected_response)
                learner = match.state().learning.learner
                action = match.setting.menu.labels.index(found.action)
                response = np.array([turn[0] + (gap if beyond else -gap)])
                after = learner.learn(match.setting.feedback(action, {}, {"sold": float(response[0])}))  # type: ignore[attr-defined]
                advised = match.setting.menu.labels[int(np.argmax(after.strategy))]
                assert advised == (turn[1] if beyond else found.next_action)
                turned += 1
    assert turned >= 2


def test_weights_of_observations_give_the_mean(tmp_path: Path) -> None:
    with started(tmp_path, SHOP, 12) as match:
        belief: Any = match.state().learning.belief
        kind = match.setting.types.vector({"customers": "locals"})
        weights = belief.influence(2, kind)
        centre, unit = belief.last.responses[0]
        scaled = (np.array([seen.response[0] for seen in belief.seen]) - centre) / unit
        likeliest = int(np.argmax(belief.last.weights[belief.last.counting]))
        assert centre + unit * weights @ scaled == pytest.approx(belief._each(kind)[likeliest].mean[2, 0])
        match.ask("now")
        named = [each.weight for each in match.explain().influences]
        assert len(named) == 3
        assert np.all(np.diff(np.abs(named)) <= 0)


def test_refusals(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "shop", SHOP) as match:
        with pytest.raises(InvalidInput, match="No round is pending"):
            match.explain()
        match.ask("now")
        with pytest.raises(InvalidInput, match="Nothing was observed yet"):
            match.explain()
        match.tell("now", "locals", 3.0)
        with pytest.raises(InvalidInput, match="'now' is closed"):
            match.explain("now")
    with (
        Match.open(tmp_path / "m.db", "shop", read_only=True) as reader,
        pytest.raises(InvalidInput, match="read-only"),
    ):
        reader.explain()
