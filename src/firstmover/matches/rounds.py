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

    Parameters
    ----------
    round_id
        Name of the round.
    action
        Index of the action; one drawn from the mixture if the round is a commitment to it.
    label
        The action in words, or the mixture.
    features
        By name, of the action or the mixture.
    probability
        p_t of the action.
    strategy
        p_t (n,).
    commitment
        Where the opponent sees p_t: the share of each action by label; otherwise None.

    Examples
    --------
    >>> import tempfile
    >>> from firstmover import Match
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bay = Match.create(f"{folder}/a.db", "bay", {"menu": {"game": "shore"}})
    ...     decision = bay.ask("monday")
    >>> decision.round_id, decision.strategy.shape
    ('monday', (24,))
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
        """Return why this action was advised, by what the match knows now; the round must be pending.

        Returns
        -------
        Explanation
            The expected rewards and the actions that were compared.

        Raises
        ------
        InvalidInput
            If this is a copy without its match, or the round is not pending.
        """
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

    Parameters
    ----------
    round_id
        Name of the round.
    number
        Its place in the order of asks, from 1.
    asked
        Number of the event that asked for it.
    action
        Index of the advised action; None where a reader may not see it yet.
    probability
        Of that action; None in the same case.
    asked_at
        Time in UTC.
    status
        "pending", "told" or "void".
    closed
        Number of the event that closed it; 0 while it is pending.
    delay
        The rounds that were asked after this one before it was closed.
    recorded
        Type and response as canonical JSON; empty unless the round was told.
    reason
        Given with a void round, a correction or another action.
    corrections
        How often it was corrected.
    label
        Of the action; `Match.history` fills it in.
    reward
        r(x, y) of the action that was played, or the mean over the mixture of a commitment; from `Match.history`.
    committed
        p_t, packed, where the round is a commitment to it; empty otherwise.
    played
        The action that was played instead of the advised one; None if that was played.
    played_label
        Its label.
    context
        The part of the type that was known when the round was asked.
    without
        The actions that were not allowed.

    Examples
    --------
    >>> from firstmover.matches import MatchRound
    >>> one = MatchRound("monday", 1, asked=2, action=3, probability=0.5, asked_at="2026-01-05T08:00:00Z")
    >>> one.status, one.action_played, one.response
    ('pending', 3, None)
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
