"""Rounds of a match: the decision that an ask returns, and the one record of a round."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

from firstmover.core.arrays import Vector
from firstmover.core.errors import InvalidInput
from firstmover.core.files import canonical_json
from firstmover.core.html_repr import Bars, card, number
from firstmover.core.records import ShortRepr
from firstmover.matches.value_schema import Values

if TYPE_CHECKING:
    from firstmover.matches.explanation import Explanation

Status = Literal["pending", "told", "void"]

COLUMNS = [
    *("round_id", "status", "action", "label", "probability", "played", "played_label"),
    *("reward", "delay", "closed", "corrections", "reason", "asked_at"),
]
"""Columns of a table of rounds; one for each type and response follows."""


class _Bound:
    """A record with a binding to its match, which is in no field, nor in `vars` or a copy."""

    __slots__ = ("_explain",)

    def __getstate__(self) -> dict[str, Any]:
        return dict(vars(self))


@dataclass(frozen=True, eq=False, repr=False)
class Decision(ShortRepr, _Bound):
    """The action of a round by index, label and features, its probability, and p_t.

    Where the opponent sees p_t, the round is a commitment to it: `commitment` has the share of each action by label,
    the label is that mixture in words, the features are those of the mixture, and `action` is one drawn from it.
    """

    round_id: str
    action: int
    label: str
    features: dict[str, float]
    probability: float
    strategy: Vector
    commitment: dict[str, float] | None = None

    def explained_by(self, explain: "Callable[[str], Explanation]") -> Self:
        """Return the decision after it was bound to the match that made it; the binding is no part of the record."""
        object.__setattr__(self, "_explain", explain)
        return self

    def explain(self) -> "Explanation":
        """Return why this action was advised, by what the match knows now; the round must be pending."""
        explain = getattr(self, "_explain", None)
        if explain is None:
            raise InvalidInput(
                f"This record of round {self.round_id!r} is a copy without its match: call explain({self.round_id!r}) "
                "of the match."
            )
        found: Explanation = explain(self.round_id)
        return found

    def _repr_html_(self) -> str:
        features = {name: number(value) for name, value in self.features.items()}
        rows = {"play": f"{self.label} (action {self.action})", "probability": f"{self.probability:.1%}", **features}
        return card(f"Round {self.round_id}", rows, Bars.of(self.strategy).draw())


class MatchRound(NamedTuple):
    """One round of a match; the strategy that its action was drawn from is in the journal.

    `number` is its place in the order of asks, from 1. `asked` and `closed` are the numbers of the events that asked
    for it and that closed it; `closed` is 0 while it is pending. `action` and `probability` are None where a reader
    may not see them yet. `delay` counts the rounds that were asked after this one before it was closed. `recorded`
    holds type and response as canonical JSON, and is empty unless the round was told. `committed` is p_t, packed, where
    the round is a commitment to it, and empty otherwise. `played` is the action that was played instead of the advised
    one; None if that was played. `context` is the part of the type that was known when the round was asked, and
    `without` the actions that were not allowed. `Match.history` fills in both labels and `reward`: r(x, y) of the
    action that was played, or the mean over the mixture of a commitment.
    """

    round_id: str
    number: int
    asked: int
    action: int | None
    probability: float | None
    asked_at: str
    status: Status = "pending"
    closed: int = 0
    delay: int = 0
    recorded: str = ""
    reason: str = ""
    corrections: int = 0
    label: str | None = None
    reward: float | None = None
    committed: str = ""
    played: int | None = None
    played_label: str | None = None
    context: Values | None = None
    without: tuple[int, ...] = ()

    @property
    def action_played(self) -> int | None:
        """The action of the round: the advised one, or the one that was played instead."""
        return self.action if self.played is None else self.played

    @property
    def observed(self) -> tuple[Values | None, Values | None]:
        """Type and response by name; both None unless the round was told."""
        if not self.recorded:
            return None, None
        content = json.loads(self.recorded)
        return content["type"], content["response"]

    @property
    def opponent_type(self) -> Values | None:
        """The type by name; None unless the round was told."""
        return self.observed[0]

    @property
    def response(self) -> Values | None:
        """The response by name; None unless the round was told."""
        return self.observed[1]

    def as_dict(self) -> dict[str, Any]:
        """All of it by name, type and response as tables of names and values."""
        opponent_type, response = self.observed
        fields = self._asdict() | {"opponent_type": opponent_type, "response": response}
        del fields["recorded"], fields["committed"]
        return fields

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> "MatchRound":
        """Return the round that `as_dict` described."""
        values = dict(fields) | {"without": tuple(fields["without"])}
        observed = {"type": values.pop("opponent_type"), "response": values.pop("response")}
        return cls(**values, recorded="" if observed["response"] is None else canonical_json(observed))

    def row(self) -> dict[str, Any]:
        """One flat row for tables: without numbers of events, and with a column for each type and response."""
        fields = self.as_dict()
        types, responses = fields.pop("opponent_type") or {}, fields.pop("response") or {}
        values = {f"type {name}": value for name, value in types.items()}
        values |= {f"response {name}": value for name, value in responses.items()}
        return {name: fields[name] for name in COLUMNS} | values
