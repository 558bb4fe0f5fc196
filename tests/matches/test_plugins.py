"""A learner, a game and a kernel of a plugin file are played by name in a match and found when it is reopened."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.core import plugins
from firstmover.core.errors import FirstmoverError, InvalidInput
from firstmover.learners import LEARNERS
from firstmover.matches import Match

PLUGIN = """
from dataclasses import dataclass, replace

import numpy as np
from sklearn.gaussian_process.kernels import RationalQuadratic

from firstmover.core.contracts import Game
from firstmover.core.documents import Specification
from firstmover.core.records import Box
from firstmover.games import GAMES, GameEntry, increasing
from firstmover.kernels import KERNELS, KernelEntry
from firstmover.learners import LEARNERS, LearnerEntry


def stall() -> Game:
    reward = increasing(lambda price, sold: price[:, 0] * sold[:, 0])
    types = np.array([[0.0], [1.0]])
    return Game("stall", np.arange(1.0, 5.0)[:, None], reward, Box([0.0], [10.0]), (0.0, 40.0), types)


class Decay(Specification):
    factor: float = 0.5


@dataclass(frozen=True)
class Fading:
    game: Game
    factor: float
    totals: np.ndarray

    @property
    def strategy(self):
        weights = 1.0 + self.totals
        return weights / weights.sum()

    def observe(self, feedback):
        seen = self.game.check(feedback)
        reward = self.game.reward(self.game.actions[[seen.action]], seen.response[None])[0]
        return replace(self, totals=self.factor * self.totals + reward * (np.arange(4) == seen.action))


class Tails(Specification):
    reach: float = 1.0


GAMES.add("stall", GameEntry("a stall", build=stall, kernel=9.0 * RationalQuadratic(2.0)))
KERNELS.add("tails", KernelEntry("heavy tails", lambda reach: 9.0 * RationalQuadratic(reach), Tails))
LEARNERS.add("fading", LearnerEntry("old rewards fade", lambda s, p: Fading(s.game, p.factor, np.zeros(4)), Decay))
"""

STALL: dict[str, Any] = {
    "menu": {"game": "stall"},
    "learner": {"name": "fading", "factor": 0.25},
    "kernel": {"name": "tails", "reach": 3.0},
}


@pytest.fixture
def plugin(tmp_path: Path) -> Iterator[Path]:
    """The path of the plugin file; what it added is removed afterwards."""
    path = tmp_path / "stall.py"
    path.write_text(PLUGIN, "utf-8")
    yield path
    for table, name in plugins._LOADED.pop(str(path)).added:
        table.remove(name)


def test_a_plugin_is_played_stored_with_the_match_and_loaded_in_another_process(tmp_path: Path, plugin: Path) -> None:
    store = tmp_path / "matches.db"
    with Match.create(store, "stall", STALL | {"plugins": [str(plugin)]}) as match:
        assert match.setting.config.plugins == [str(plugin)]
        for number in range(4):
            decision = match.ask()
            match.tell(decision.round_id, str(1 + number % 2), 2.0 + number)
        assert match.learner().factor == 0.25
        assert match.setting.kernel().k2.length_scale == 3.0
        strategy = match.state().strategy
        found = match.verify()
    with Match.open(store, "stall") as again:
        np.testing.assert_array_equal(again.state().strategy, strategy)
    code = f"from firstmover import Match; print(Match.open({str(store)!r}, 'stall').verify().state_hash)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == found.state_hash


REMEMBERING = """
from dataclasses import dataclass, replace

from firstmover.learners import LEARNERS, LearnerEntry, StackelUCB


@dataclass(frozen=True, eq=False, repr=False)
class Remembering(StackelUCB):
    told: tuple[float, ...] = ()

    @property
    def strategy(self):
        return self.weights.strategy if len(self.told) % 2 == 0 else self.weights.strategy[::-1]

    def observe(self, feedback):
        return replace(super().observe(feedback), told=(*self.told, float(feedback.response[0])))


LEARNERS.add(
    "remembering",
    LearnerEntry(
        "has more than weights and belief",
        lambda s, _: Remembering(s.game, s.belief(), s.confidence, s.weights()),
        response_belief=True,
    ),
)
"""


def test_a_learner_with_more_state_than_weights_and_belief_is_replayed(tmp_path: Path, plugin: Path) -> None:
    plugin.write_text(REMEMBERING, "utf-8")
    config = {"menu": {"game": "shore"}, "learner": "remembering", "plugins": [str(plugin)]}
    with Match.create(tmp_path / "matches.db", "m", config) as match:
        for number in range(5):
            match.tell(match.ask().round_id, "3", 0.1 * number)
        expected = match.learner()
    with Match.open(tmp_path / "matches.db", "m") as again:
        assert again.state().content is not None
        assert again.learner().told == expected.told == (0.0, 0.1, 0.2, pytest.approx(0.3), 0.4)
        np.testing.assert_array_equal(again.learner().strategy, expected.strategy)
        assert again.verify().exact == 5


def test_a_loaded_plugin_is_written_down_without_being_named(tmp_path: Path, plugin: Path) -> None:
    plugins.load_plugins([str(plugin)])
    with Match.create(tmp_path / "matches.db", "stall", STALL) as match:
        assert match.setting.config.plugins == [str(plugin)]


def test_a_configuration_file_names_a_plugin_beside_it(tmp_path: Path, plugin: Path) -> None:
    (tmp_path / "match.toml").write_text(
        'plugins = ["stall.py"]\nlearner = "fading"\n[menu]\ngame = "stall"\n', "utf-8"
    )
    with Match.create(tmp_path / "matches.db", "stall", tmp_path / "match.toml") as match:
        assert match.setting.config.plugins == [str(plugin)]
        assert match.learner().factor == 0.5


def test_the_parameters_of_a_plugin_are_checked(tmp_path: Path, plugin: Path) -> None:
    for changes, sentence in (
        ({"learner": {"name": "fading", "factr": 1.0}}, "Unknown parameter of learner 'fading' 'factr'"),
        ({"kernel": {"name": "tails", "reach": "far"}}, "reach of kernel 'tails' is 'far'"),
    ):
        with pytest.raises(InvalidInput, match=sentence):
            Match.create(tmp_path / "matches.db", "stall", STALL | {"plugins": [str(plugin)]} | changes)
    assert "fading" in LEARNERS


def test_a_plugin_that_is_gone_is_named(tmp_path: Path, plugin: Path) -> None:
    Match.create(tmp_path / "matches.db", "stall", STALL | {"plugins": [str(plugin)]}).close()
    plugin.rename(tmp_path / "moved.py")
    with pytest.raises(InvalidInput, match=r"plugin file '.*stall\.py' cannot be read"):
        Match.open(tmp_path / "matches.db", "stall")


def test_a_plugin_that_changed_is_not_called_damage(tmp_path: Path, plugin: Path) -> None:
    store = tmp_path / "matches.db"
    with Match.create(store, "stall", STALL | {"plugins": [str(plugin)]}) as match:
        for number in range(4):
            match.tell(match.ask().round_id, "1", 2.0 + number)
        match.ask()
    text = plugin.read_text("utf-8")
    plugin.write_text(text.replace("weights / weights.sum()", "weights[::-1] / weights.sum()"), "utf-8")
    with Match.open(store, "stall") as changed:
        with pytest.raises(FirstmoverError, match="its plugins or its libraries changed since: verify with those that"):
            changed.verify()
        np.testing.assert_array_equal(changed.state().strategy, changed.learner().strategy)  # no snapshot of old code
    plugin.write_text(text, "utf-8")
    with Match.open(store, "stall") as restored:
        assert restored.verify().exact == 5
