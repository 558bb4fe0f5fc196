"""Live matches about a city: the written configuration has the menu and the rewards of the simulated game."""

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.cli import app
from firstmover.games.routing.city_game import CityParameters, game_of
from firstmover.games.routing.city_match import match_document
from firstmover.games.routing.network import sioux_falls
from firstmover.matches import Match
from firstmover.matches.setup import Setting
from tests.cli.running import runner

NETWORK = sioux_falls().pairs_with_demand().scaled(0.01)
CASES: dict[str, dict[str, Any]] = {
    "tolls": {"leader": {"kind": "tolls", "links": [[10, 16], [16, 10]], "levels": [0.0, 2.5]}},
    "revenue": {
        "leader": {"kind": "tolls", "links": [[10, 16], [16, 10]], "levels": [0.0, 2.5]},
        "goal": "revenue",
        "trade_off": 3.0,
    },
    "fleet": {"leader": {"kind": "fleet", "origin": 12, "destination": 18, "units": 300.0, "groups": 2}},
    "detectors": {
        "leader": {"kind": "closures", "links": [[10, 16]]},
        "goal": "congestion",
        "detectors": [[[10, 15]], [[9, 10], [10, 9]]],
    },
    "signals": {"leader": {"kind": "signals", "first": [[10, 16]], "second": [[8, 16]], "shares": [0.4, 0.6]}},
}


@pytest.mark.parametrize("given", CASES.values(), ids=CASES.keys())
def test_a_live_match_has_the_menu_and_rewards_of_the_simulation(given: dict[str, Any], tmp_path: Path) -> None:
    parameters = CityParameters.read(given | {"levels": (0.5, 1.0)})
    game = game_of(NETWORK, parameters)
    setting = Setting.of(tomllib.loads(match_document(game, parameters)))
    live = setting.game
    used = game.actions.any(axis=0)
    np.testing.assert_array_equal(live.actions, game.actions[:, used])
    y = np.random.default_rng(0).uniform(0, 9, (game.n_actions, game.n_outputs))
    np.testing.assert_allclose(live.reward(live.actions, y), game.reward(game.actions, y))
    assert live.congestion == game.congestion
    assert live.types is not None
    assert live.types.tolist() == [[0.5], [1.0]]
    match = Match.create(tmp_path / "m.db", "city", setting.config)
    decision = match.ask("monday")
    assert decision.label in setting.menu.labels
    match.tell("monday", "50 %", [1.0] * game.n_outputs)
    assert match.verify().exact == 1


def test_a_match_is_begun_by_commands(tmp_path: Path) -> None:
    document = tmp_path / "leader.toml"
    document.write_text('goal = "time"\nlevels = [1.0]\n[leader]\nkind = "closures"\nlinks = [[10, 16]]\n')
    out = tmp_path / "match.toml"
    args = ["city", "match", "sioux-falls", "--document", str(document), "--out", str(out)]
    done = runner.invoke(app, args)
    assert done.exit_code == 0, done.output
    assert "firstmover match new NAME --config" in done.output
    assert tomllib.loads(out.read_text())["menu"]["rows"][1] == {"label": "10→16 closed", "10→16": 1.0}
    again = runner.invoke(app, args)
    assert again.exit_code != 0
    assert "exists: give --out another file." in again.output
    begun = runner.invoke(app, ["match", "new", "roads", "--config", str(out), "--store", str(tmp_path / "m.db")])
    assert begun.exit_code == 0, begun.output


def test_leading_is_compared_by_a_command(tmp_path: Path) -> None:
    document = tmp_path / "leader.toml"
    document.write_text('levels = [1.0]\n[leader]\nkind = "tolls"\nlinks = [[10, 16]]\nlevels = [0.0, 5.0]\n')
    done = runner.invoke(app, ["city", "leading", "sioux-falls", "--document", str(document)])
    assert done.exit_code == 0, done.output
    assert "The price of anarchy is 1.0397." in done.output  # 74.802 over 71.943, in units of 10⁵
    assert "with the best action: 10→16 5" in done.output
    document.write_text('[leader]\nkind = "parade"\n')
    refused = runner.invoke(app, ["city", "leading", "sioux-falls", "--document", str(document)])
    assert refused.exit_code != 0
    assert "Traceback" not in refused.output
