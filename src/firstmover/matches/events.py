"""Events of a journal, each bound to the one before by its hash."""

import base64
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from firstmover.core.arrays import Vector
from firstmover.core.errors import DamagedStore, InvalidInput, shown
from firstmover.core.files import canonical_json, text_hash

Kind = Literal[
    "created",
    "changed",
    "asked",
    "told",
    "voided",
    "corrected",
    "imported",
    "recorded",
    "refitted",
    "renamed",
    "archived",
    "scheduled",
    "restored",
]
KINDS: tuple[Kind, ...] = get_args(Kind)

GENESIS = "0" * 64
"""The hash before the first event."""


def utc_clock() -> str:
    """The time of day, for people; nothing depends on it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def packed(vector: Vector) -> str:
    """Encode float64 numbers, little-endian, in base64: exact, and fast to decode.

    >>> packed(np.array([0.25, 0.75])), unpacked(packed(np.array([0.25, 0.75])))
    ('AAAAAAAA0D8AAAAAAADoPw==', array([0.25, 0.75]))
    """
    return base64.b64encode(np.ascontiguousarray(vector, dtype="<f8").tobytes()).decode()


def unpacked(text: str) -> Vector:
    """Decode the numbers that `packed` encoded."""
    return np.frombuffer(base64.b64decode(text, validate=True), dtype="<f8").astype(float)


@dataclass(frozen=True)
class Draft:
    """An event to be recorded; at most one event of a match holds a `claim`, which settles races."""

    kind: Kind
    payload: dict[str, Any]
    round_id: str | None = None
    claim: str | None = None


class Event(NamedTuple):
    """One row of a journal: hash = SHA-256 of everything else, including the hash before it.

    `clock` is for people; the order is that of `sequence`. `text` is the payload as canonical JSON. `actor` names who
    caused the event: a token of the service, or a user of the operating system; None in events of version 1, whose
    hashes do not contain it.
    """

    sequence: int
    kind: Kind
    round_id: str | None
    claim: str | None
    clock: str
    text: str
    previous: str
    hash: str
    actor: str | None

    @classmethod
    def following(cls, previous: str, sequence: int, clock: str, draft: Draft, actor: str | None) -> "Event":
        """The event of a draft after the one with the hash `previous`."""
        text = canonical_json(draft.payload)
        mark = _hash(previous, sequence, clock, draft.kind, draft.round_id, draft.claim, text, actor)
        return cls(sequence, draft.kind, draft.round_id, draft.claim, clock, text, previous, mark, actor)

    @property
    def payload(self) -> dict[str, Any]:
        """The content, parsed at each access."""
        content: dict[str, Any] = json.loads(self.text)
        return content

    @property
    def drawn(self) -> dict[str, Any]:
        """The content of an ask without p_t, which comes after what is needed and is most of the text."""
        content: dict[str, Any] = json.loads(self.text.partition(',"strategy":')[0] + "}")
        return content

    def check(self, previous: str, sequence: int) -> "Event":
        """Return the event, or raise DamagedStore if it was changed or does not follow the one before.

        An event of a later version, of a kind that is not known here, raises InvalidInput.
        """
        texts = (self.clock, self.kind, self.round_id, self.claim, self.text, self.actor)
        sound = self.sequence == sequence and self.previous == previous
        if not (sound and set(map(type, texts)) <= _TYPES and self.hash == _hash(previous, sequence, *texts)):
            raise DamagedStore(
                f"Event {sequence} of the journal is not what was recorded: the store is damaged; restore a copy."
            )
        if self.kind not in KINDS:
            raise InvalidInput(
                f"Event {sequence} of the journal is of the kind {shown(self.kind)}, which a later version of "
                "firstmover records: update firstmover; nothing was written."
            )
        return self


_TYPES = {str, type(None)}


def _hash(  # noqa: PLR0917 - the fields of an event
    previous: str,
    sequence: int,
    clock: str,
    kind: str,
    round_id: str | None,
    claim: str | None,
    text: str,
    actor: str | None,
) -> str:
    """SHA-256 of the fields, one per line: none holds a line break; version 1 has no line of the actor."""
    fields = f"{previous}\n{sequence}\n{clock}\n{kind}\n{round_id or ''}\n{claim or ''}\n{text}"
    return text_hash(fields if actor is None else f"{fields}\n{actor}")
