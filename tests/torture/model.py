"""The model of a match: dictionaries, and a learner that is told everything in order."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from firstmover.core.errors import Conflict, InvalidInput
from firstmover.learners import StackelUCB
from firstmover.matches.setup import Setting

Told = tuple[str, float]
"""Demand and congestion."""


@dataclass
class ModelRound:
    """One round: its action, and how it stands."""

    action: int
    strategy: bytes
    number: int
    without: tuple[int, ...] = ()
    told: Told | None = None
    played: int | None = None
    void: bool = False
    closed: int | None = None
    delay: int | None = None

    @property
    def status(self) -> str:
        return "void" if self.void else "pending" if self.told is None else "told"


@dataclass
class Model:
    """All rounds by name, and all that was learnt, by the moment of its commit."""

    setting: Setting
    rounds: dict[str, ModelRound] = field(default_factory=dict)
    imports: dict[int, tuple[tuple[int, Told], ...]] = field(default_factory=dict)
    records: dict[str, tuple[int, Told]] = field(default_factory=dict)
    outside: dict[int, tuple[tuple[int, Told], ...]] = field(default_factory=dict)
    name: str = "roads"
    archived: bool = False
    moment: int = 0

    def next_name(self, wanted: str | None) -> str:
        """The round that an ask is about."""
        if wanted is not None:
            return wanted
        waiting = [name for name, played in self.rounds.items() if played.status == "pending"]
        free = (str(number) for number in range(len(self.rounds) + 1, 1000) if str(number) not in self.rounds)
        return waiting[-1] if waiting else next(free)

    def refused(self, name: str, without: tuple[int, ...] | None) -> type[Exception] | None:
        """The error of an ask of this name that does not allow some actions; None if it is answered."""
        if name in self.rounds:
            return None if without in (None, self.rounds[name].without) else Conflict
        return InvalidInput if self.archived or len(without or ()) == len(self.setting.menu.labels) else None

    def asked(self, name: str, action: int, strategy: bytes, without: tuple[int, ...] | None = None) -> str:
        """What an ask of this name was: new or the same; the action may only be new if the round is."""
        if name in self.rounds:
            before = self.rounds[name]
            return "same" if (before.action, before.strategy) == (action, strategy) else "drawn again"
        expected = self.learner().strategy
        if without:
            expected = np.where(np.isin(np.arange(len(expected)), without), 0.0, expected)
            expected = expected / expected.sum()
        assert strategy == expected.tobytes(), "p_t does not follow from what was told"
        assert action not in (without or ())
        self.rounds[name] = ModelRound(action, strategy, len(self.rounds) + 1, without or ())
        return "new"

    def close(self, name: str, told: Told | None, action: int | None = None) -> str:
        """What a tell, perhaps of another action, or with None a void, amounts to: new, same, or an error."""
        played = self.rounds.get(name)
        if played is None:
            return "InvalidInput"
        other = None if action == played.action else action
        if played.status != "pending":
            return "same" if (played.told, played.played) == (told, other) else "Conflict"
        if self.archived:
            return "InvalidInput"
        self.moment += 1
        played.told, played.void, played.closed, played.played = told, told is None, self.moment, other
        played.delay = len(self.rounds) - played.number
        return "new"

    def correct(self, name: str, told: Told | None, action: int | None = None) -> str:
        """What a correction, perhaps of the action, amounts to."""
        played = self.rounds.get(name)
        if played is None or played.status == "pending":
            return "InvalidInput"
        other = played.played if action is None else action
        other = None if told is None or other == played.action else other
        if (played.told, played.played) == (told, other):
            return "same"
        if self.archived:
            return "InvalidInput"
        played.told, played.void, played.played = told, told is None, other
        return "new"

    def record(self, name: str, row: tuple[int, Told]) -> str:
        """What an observation outside of rounds amounts to."""
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
        if rows in self.imports.values():
            return "same"
        if self.archived:
            return "InvalidInput"
        self.moment += 1
        self.imports[self.moment] = rows
        return "new"

    def learner(self) -> StackelUCB:
        """The learner that met all this in the order of the commits."""
        steps: dict[int, Any] = self.imports | self.outside
        told = [played for played in self.rounds.values() if played.told]
        steps |= {r.closed: (r.action if r.played is None else r.played, r.told) for r in told if r.closed is not None}
        learner = self.setting.learner()
        for moment in sorted(steps):
            if moment in self.imports or moment in self.outside:
                for action, told in steps[moment]:
                    feedback = self._feedback(action, told)
                    seen = learner.belief.condition(action, feedback.opponent_type, feedback.response)
                    learner = StackelUCB(learner.game, seen, learner.confidence, learner.weights)
            else:
                learner = learner.observe(self._feedback(*steps[moment]))
        return learner

    def _feedback(self, action: int, told: Told) -> Any:
        return self.setting.feedback(action, {"demand": told[0]}, {"congestion": told[1]})
