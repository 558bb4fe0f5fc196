"""What is expected if an action is played: the forecast of every view, counts by hand, and refusals."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from firstmover.cli.application import app
from firstmover.core.errors import InvalidInput
from firstmover.matches import Match
from firstmover.matches.forecast import forecast
from firstmover.matches.what_if import WhatIf
from tests.matches.test_changes import ANYTIME, SHOP
from tests.matches.test_commitment import INSPECTIONS
from tests.matches.test_explanation import ONE, started, weekdays
from tests.matches.test_influence import rows_off_the_menu


@pytest.mark.parametrize("config", [ONE, SHOP, ANYTIME], ids=["one type", "auto", "anytime"])
def test_it_agrees_with_the_forecast_and_the_explanation(tmp_path: Path, config: Any) -> None:
    with started(tmp_path, config, 10) as match:
        decision = match.ask("now")
        why = match.explain()
        for each in why.candidates:
            found = match.what_if(each.label)
            assert found.expected == each
            assert found.advised.probability == decision.strategy.max()
            learning, index = match.state().learning, match.setting.menu.index(each.label)
            for one in found.forecasts:
                shown = forecast(learning, index, match.setting.types.vector(one.opponent_type))
                assert tuple(response.observed for response in one.responses) == shown.responses
                assert one.reward == shown.reward
            assert WhatIf.from_dict(json.loads(json.dumps(found.as_dict()))) == found
            assert all("\n" not in line for line in found.lines())


def test_bands_by_hand(tmp_path: Path) -> None:
    """μ ± 1.645 σ for the mean, μ ± 1.645 √(σ² + λ) for what is observed, where λ may be widened."""
    with started(tmp_path, ONE, 9) as match:
        found = match.what_if("3")
        belief: Any = match.state().learning.belief
        mean, std = (part[2, 0] for part in belief.predict(np.empty(0)))
        [response] = found.forecasts[0].responses
        assert found.coverage == pytest.approx(0.9)
        half = 1.6448536 * std
        assert (response.mean.lower, response.mean.upper) == pytest.approx((mean - half, mean + half))
        half = 1.6448536 * np.sqrt(std**2 + belief.band_variance[0])
        assert (response.observed.lower, response.observed.upper) == pytest.approx((mean - half, mean + half))
        assert found.expected.expected == pytest.approx(3 * mean)
        assert f"sold {mean:.4g} (from " in "\n".join(found.lines())


def test_observations_are_counted(tmp_path: Path) -> None:
    """The menu is 1, 2, 3, 4; of prices 1, 2.5, 3, 3.5, 4, and then 3.25, only 3.25 is within 0.3 of 3."""
    with Match.create(tmp_path / "m.db", "shop", ONE) as match:
        match.import_history([*rows_off_the_menu(), {"features": {"price": 3.25}, "type": {}, "response": 14.0}])
        found = match.what_if("3")
        assert (found.observations, found.in_context, found.near) == (1, 1, 1)
        assert found.lines()[-1] == "1 observation of '3' so far, and 1 of actions near it."


def test_the_context_decides(tmp_path: Path) -> None:
    with weekdays(tmp_path) as match:
        monday, saturday = (match.what_if("2.0", {"weekday": day}) for day in ("mon", "sat"))
        assert monday.expected.expected < saturday.expected.expected
        assert monday.observations == saturday.observations == monday.in_context + saturday.in_context
        assert "in this context" in monday.lines()[-1]
        sunday = match.what_if("1.0", "sun")
        assert not sunday.allowed
        assert sunday.expected.probability == 0
        assert "'1.0' is retired, or closed in this context: it would not be advised." in sunday.lines()
        assert sunday.best.label != "1.0"
        with pytest.raises(InvalidInput, match="context is missing: give weekday, known before the action"):
            match.what_if("2.0")
        with pytest.raises(InvalidInput, match="fri"):
            match.what_if("2.0", "fri")


def test_the_floor_is_asked(tmp_path: Path) -> None:
    config = ONE | {"floor": {"baseline": "3", "at_least": 0.95, "tolerance": 0.0}}
    with started(tmp_path, config, 9) as match:
        baseline, dear = match.what_if("3"), match.what_if("1")
        assert (baseline.permitted, baseline.risk) == (True, 0.0)
        assert dear.permitted is False
        assert dear.risk is not None
        assert dear.risk > 0.05
        assert any(line.startswith("The floor does not permit it: its risk") for line in dear.lines())
        assert match.what_if("1").permitted is False
    (tmp_path / "free").mkdir()
    with started(tmp_path / "free", ONE, 4) as match:
        assert (match.what_if("1").permitted, match.what_if("1").risk) == (None, None)


def test_refusals(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "shop", SHOP) as match:
        with pytest.raises(InvalidInput, match="Nothing was observed yet: every action is open"):
            match.what_if("3")
        with pytest.raises(InvalidInput, match="action '9'"):
            match.what_if("9")
        with pytest.raises(InvalidInput, match="no type of this match is known before the action"):
            match.what_if("3", {"weekday": "mon"})
        match.ask("now")
        match.tell("now", "locals", 3.0)
        match.retire("2")
        assert match.what_if("2").allowed is False
    with (
        Match.open(tmp_path / "m.db", "shop", read_only=True) as reader,
        pytest.raises(InvalidInput, match="read-only"),
    ):
        reader.what_if("3")
    with (
        Match.create(tmp_path / "m.db", "commits", INSPECTIONS) as match,
        pytest.raises(InvalidInput, match="A commitment to a mixture is not explained"),
    ):
        match.what_if(0)


def test_the_command_prints_sentences_or_json(tmp_path: Path) -> None:
    store = str(tmp_path / "m.db")
    with weekdays(tmp_path) as match:
        lines = match.what_if("3.0", "sat").lines()
        record = match.what_if("3.0", "sat").as_dict()
    run = CliRunner()
    arguments = ["match", "what-if", "shop", "3.0", "--context", "weekday=sat", "--store", store]
    assert run.invoke(app, arguments).output.splitlines() == lines
    assert json.loads(run.invoke(app, [*arguments, "--json"]).output) == json.loads(json.dumps(record))
    refused = run.invoke(app, ["match", "what-if", "shop", "3.0", "--store", store])
    assert refused.exit_code == 2
    assert "context is missing" in refused.output
