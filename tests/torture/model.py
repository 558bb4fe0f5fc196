"""The model of a match: dictionaries, and a learner that observes everything in the order of the commits."""

import json
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from firstmover.core.errors import Conflict, InvalidInput
from firstmover.core.files import canonical_json
from firstmover.core.records import Feedback
from firstmover.matches.setup import Setting

Told = tuple[str, float]
"""Demand and congestion."""

Row = tuple[float, float, float]
"""Numbers of an action: north, south and units."""

REWARDS: tuple[dict[str, Any], ...] = (
    {"value": "units", "responses": {"congestion": -2.0}},
    {"value": "units", "responses": {"congestion": -0.5}},
    {"value": 3.0, "responses": {"congestion": 1.0}},
)
"""Rewards in the words of a configuration; a match begins with the first."""


@lru_cache(maxsize=1000)
def first_learner(
    fields: str, menu: tuple[tuple[str, Row], ...], reward: int, levels: tuple[tuple[str, float], ...]
) -> Any:
    """The learner of a new match that has this menu, reward and these levels from the start."""
    config = json.loads(fields)
    rows = [{"label": label, "north": row[0], "south": row[1], "units": row[2]} for label, row in menu]
    types = [{"name": "demand", "levels": dict(levels)}]
    config |= {"menu": config["menu"] | {"rows": rows}, "reward": REWARDS[reward], "types": types}
    stored = canonical_json(Setting.of(config).stored())
    return Setting.restored(json.loads(stored)).learner()  # levels are in the order of the journal


def ambiguous(menu: dict[str, Row], reward: int) -> bool:
    """Whether two actions have the same features and different rewards."""
    rows = set(menu.values())
    return REWARDS[reward]["value"] == "units" and len({row[:2] for row in rows}) < len(rows)


@dataclass
class ModelRound:
    """One round: its action and how it stands; `known` actions were on the menu when it was asked, some `retired`."""

    action: int
    strategy: bytes
    number: int
    known: int
    retired: frozenset[int] = frozenset()
    without: tuple[int, ...] = ()
    told: Told | None = None
    played: int | None = None
    void: bool = False
    closed: int | None = None
    delay: int | None = None
    reward: int = 0

    @property
    def status(self) -> str:
        return "void" if self.void else "pending" if self.told is None else "told"

    @property
    def action_played(self) -> int:
        return self.action if self.played is None else self.played


@dataclass
class Model:
    """All rounds by name, all that was learnt by the moment of its commit, and the setting as it is."""

    config: dict[str, Any]
    rounds: dict[str, ModelRound] = field(default_factory=dict)
    imports: dict[int, tuple[tuple[int, Told], ...]] = field(default_factory=dict)
    records: dict[str, tuple[int, Told]] = field(default_factory=dict)
    outside: dict[int, tuple[tuple[int, Told], ...]] = field(default_factory=dict)
    menu: dict[str, Row] = field(default_factory=dict)
    retired: set[int] = field(default_factory=set)
    levels: dict[str, float] = field(default_factory=dict)
    reward: int = 0
    name: str = "roads"
    archived: bool = False
    moment: int = 0

    def __post_init__(self) -> None:
        rows = self.config["menu"]["rows"]
        self.menu = {row["label"]: (row["north"], row["south"], row["units"]) for row in rows}
        [demand] = self.config["types"]
        self.levels = dict(demand["levels"])

    @property
    def labels(self) -> list[str]:
        return list(self.menu)

    def next_name(self, wanted: str | None) -> str:
        """The round that an ask is about."""
        if wanted is not None:
            return wanted
        waiting = [name for name, played in self.rounds.items() if played.status == "pending"]
        free = (str(number) for number in range(len(self.rounds) + 1, 1000) if str(number) not in self.rounds)
        return waiting[-1] if waiting else next(free)

    def closed(self, mask: tuple[int, ...] | None, allowed: bool) -> set[int]:
        """The actions that are closed by a mask, which names those that are allowed or those that are not."""
        named = set(mask or ())
        return set(range(len(self.menu))) - named if allowed and mask is not None else named

    def refused(self, name: str, mask: tuple[int, ...] | None, allowed: bool) -> type[Exception] | None:
        """The error of an ask of this name with a mask; None if it is answered."""
        if max(mask or (0,)) >= len(self.menu):
            return InvalidInput
        closed, before = self.closed(mask, allowed), self.rounds.get(name)
        if before is not None:
            then = {i for i in closed if i < before.known} | before.retired
            return None if mask is None or then == set(before.without) else Conflict
        return InvalidInput if self.archived or len(closed | self.retired) == len(self.menu) else None

    def asked(self, name: str, action: int, strategy: bytes, mask: tuple[int, ...] | None, allowed: bool) -> str:
        """What an ask of this name was: new or the same; the action may only be new if the round is."""
        if name in self.rounds:
            before = self.rounds[name]
            return "same" if (before.action, before.strategy) == (action, strategy) else "drawn again"
        without = tuple(sorted(self.closed(mask, allowed) | self.retired))
        assert action not in without
        self.check_strategy(strategy, without)
        played = ModelRound(action, strategy, len(self.rounds) + 1, len(self.menu), frozenset(self.retired), without)
        self.rounds[name] = played
        return "new"

    def check_strategy(self, strategy: bytes, without: tuple[int, ...]) -> None:
        """p_t follows from what was told, in the setting as it is."""
        expected = self.learner().strategy
        if without:
            expected = np.where(np.isin(np.arange(len(expected)), without), 0.0, expected)
            if not expected.any():
                expected = np.where(np.isin(np.arange(len(expected)), without), 0.0, 1.0)
            expected = expected / expected.sum()
        assert strategy == expected.tobytes(), "p_t does not follow from what was told"

    def known(self, action: int | None, told: Told | None = None) -> bool:
        """Whether the action is on the menu, and the level one of the type."""
        return (action or 0) < len(self.menu) and (told is None or told[0] in self.levels)

    def close(self, name: str, told: Told | None, action: int | None = None) -> str:
        """What a tell, perhaps of another action, or with None a void, amounts to: new, same, or an error."""
        played = self.rounds.get(name)
        if played is None or not self.known(action, told):
            return "InvalidInput"
        other = None if action == played.action else action
        if played.status != "pending":
            return "same" if (played.told, played.played) == (told, other) else "Conflict"
        if self.archived:
            return "InvalidInput"
        self.moment += 1
        played.told, played.void, played.closed, played.played = told, told is None, self.moment, other
        played.delay, played.reward = len(self.rounds) - played.number, self.reward
        return "new"

    def correct(self, name: str, told: Told | None, action: int | None = None) -> str:
        """What a correction, perhaps of the action, amounts to."""
        played = self.rounds.get(name)
        if played is None or played.status == "pending" or not self.known(action, told):
            return "InvalidInput"
        other = played.played if action is None else action
        other = None if other == played.action else other
        if (played.told, played.played) == (told, other):
            return "same"
        if self.archived:
            return "InvalidInput"
        played.told, played.void, played.played = told, told is None, other
        return "new"

    def record(self, name: str, row: tuple[int, Told]) -> str:
        """What an observation outside of rounds amounts to."""
        if not self.known(*row):
            return "InvalidInput"
        if name in self.records:
            return "same" if self.records[name] == row else "Conflict"
        if self.archived:
            return "InvalidInput"
        self.moment += 1
        self.records[name] = row
        self.outside[self.moment] = (row,)
        return "new"

    def rename(self, name: str) -> str:
        """What another name amounts to; the name `taken` is that of another match."""
        before, self.name = self.name, self.name if name == "taken" else name
        return "Conflict" if name == "taken" else "same" if name == before else "new"

    def archive(self, archived: bool) -> str:
        """What ending the match, or going on, amounts to."""
        before, self.archived = self.archived, archived
        return "same" if archived == before else "new"

    def take_in(self, rows: tuple[tuple[int, Told], ...]) -> str:
        """What an import amounts to: all rows are new or none is."""
        if not all(self.known(*row) for row in rows):
            return "InvalidInput"
        if rows in self.imports.values():
            return "same"
        if self.archived:
            return "InvalidInput"
        self.moment += 1
        self.imports[self.moment] = rows
        return "new"

    def add(self, rows: tuple[tuple[str, Row], ...]) -> str:
        """What adding actions amounts to: the first row that does not fit refuses all."""
        for label, row in rows:
            if self.menu.get(label, row) != row:
                return "Conflict"
            if label in self.menu and self.labels.index(label) in self.retired:
                return "InvalidInput"
        new = {label: row for label, row in rows if label not in self.menu}
        return "InvalidInput" if ambiguous(self.menu | new, self.reward) else self._changed(self.menu, new)

    def retire(self, action: int, retired: bool) -> str:
        """What retiring an action, or letting it be played again, amounts to."""
        if not self.known(action):
            return "InvalidInput"
        if (action in self.retired) == retired:
            return "same"
        if self.archived or (retired and len(self.retired) == len(self.menu) - 1):
            return "InvalidInput"
        self.retired ^= {action}
        return "new"

    def set_reward(self, number: int) -> str:
        """What another reward amounts to."""
        if number == self.reward:
            return "same"
        if self.archived or ambiguous(self.menu, number):
            return "InvalidInput"
        self.reward = number
        return "new"

    def add_levels(self, levels: dict[str, float]) -> str:
        """What further levels of the type amount to."""
        if any(self.levels.get(level, number) != number for level, number in levels.items()):
            return "Conflict"
        return self._changed(self.levels, {each: number for each, number in levels.items() if each not in self.levels})

    def _changed(self, before: dict[str, Any], new: dict[str, Any]) -> str:
        if new and self.archived:
            return "InvalidInput"
        before |= new
        return "new" if new else "same"

    def earned(self, played: ModelRound) -> float | None:
        """The reward of a round, as it was defined when the round was closed."""
        if played.told is None:
            return None
        spec = REWARDS[played.reward]
        units = self.menu[self.labels[played.action_played]][2]
        return (units if spec["value"] == "units" else spec["value"]) + spec["responses"]["congestion"] * played.told[1]

    def learner(self) -> Any:
        """The learner of the setting as it is that met all this in the order of the commits."""
        steps: dict[int, Any] = self.imports | self.outside
        steps |= {played.closed: played for played in self.rounds.values() if played.told}
        learner = first_learner(
            json.dumps(self.config), tuple(self.menu.items()), self.reward, tuple(self.levels.items())
        )
        for moment in sorted(steps):
            if isinstance(steps[moment], ModelRound):
                learner = learner.observe(self._feedback(steps[moment]))
                continue
            for action, (level, congestion) in steps[moment]:
                seen = learner.belief.condition(action, np.array([self.levels[level]]), np.array([congestion]))
                learner = replace(learner, belief=seen)
        return learner

    def _feedback(self, played: ModelRound) -> Feedback:
        """A round as the learner sees it: actions that were added since, and those that were closed, were asleep."""
        assert played.told is not None
        level, congestion = played.told
        menu = np.arange(len(self.menu))
        allowed = (menu < played.known) & ~np.isin(menu, played.without)
        return Feedback(played.action_played, [self.levels[level]], [congestion], allowed)  # type: ignore[arg-type]


class FittedModel(Model):
    """The model of a match whose learner fits itself: p_t is left to a replay of the journal."""

    def check_strategy(self, strategy: bytes, without: tuple[int, ...]) -> None:
        """Nothing outside of the allowed actions."""
        assert not np.frombuffer(strategy)[list(without)].any()
