"""A full check of a match: the file, the chain, and a replay of every decision."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from firstmover.core.errors import Conflict, DamagedStore, FirstmoverError, InvalidInput, shown
from firstmover.core.files import canonical_json, text_hash
from firstmover.core.numerics import fingerprint, one_thread, sample_action
from firstmover.matches.events import Event, packed, unpacked
from firstmover.matches.learner_state import snapshot_content
from firstmover.matches.rounds import MatchRound
from firstmover.matches.state import State, inconsistent

if TYPE_CHECKING:
    from firstmover.matches.journal import Journal

HASH = re.compile("[0-9a-f]{64}")
"""A hash of an event, as it is printed."""

TOLERANCE = 1e-9
"""Largest difference of a replayed probability where code, libraries or processor differ from the recorded ones."""


@dataclass(frozen=True)
class Verification:
    """The result of a check by replay.

    Parameters
    ----------
    events, rounds
        How many were checked.
    exact
        Rounds whose p_t is bit-identical.
    largest_difference
        Of any probability.
    head
        Hash of the last event; a copy kept elsewhere proves later that no earlier event was changed or lost.
    state_hash
        Hash of all rounds and of the learner.
    restores
        How often the store was restored from a backup.

    Examples
    --------
    >>> import tempfile
    >>> from firstmover import Match
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bay = Match.create(f"{folder}/a.db", "bay", {"menu": {"game": "shore"}})
    ...     decision = bay.ask("monday")
    ...     found = bay.verify()
    >>> found.events, found.rounds, found.largest_difference
    (2, 1, 0.0)
    """

    events: int
    rounds: int
    exact: int
    largest_difference: float
    head: str
    state_hash: str
    restores: int


def verified(journal: "Journal", head: str | None = None) -> Verification:
    """Replay a journal from its first event, or raise DamagedStore for one that does not follow from those before.

    If a `head` is given and no event has this hash, raise Conflict.
    """
    if head is not None and not (isinstance(head, str) and HASH.fullmatch(head)):
        raise InvalidInput(f"head is {shown(head)}: give all 64 digits that firstmover match receipt printed.")
    journal.check()
    events = journal.read()
    state, exact, largest = State.created(next(events)), 0, 0.0
    known = head in (None, state.mark)
    for event in events:
        known = known or event.hash == head
        if event.kind == "asked":
            try:
                difference = _replayed(state, event)
            except FirstmoverError:
                raise
            except (LookupError, TypeError, ValueError) as error:
                raise inconsistent(event, error) from error
            exact, largest = exact + (difference == 0), max(largest, difference)
        state.apply(event)
    if not known:
        raise Conflict(
            f"No event has the hash {shown(head)}: the store was replaced by an older copy, or the hash is another "
            "match's; put the newer store back, or restore the latest backup.",
            {"head": state.mark},
            {"head": head},
        )
    content, learning = snapshot_content(journal.snapshot(), *state.learnt), state.learning
    expected = learning.stored_weights(), packed(learning.learner.strategy), learning.table
    if content is not None and (content["weights"], content["strategy"], content["table"]) != expected:
        raise DamagedStore("The snapshot does not follow from the journal: the store is damaged; restore a copy.")
    if journal.stored_name() != state.name:
        raise DamagedStore(f"The name of the match is not {state.name!r}, as recorded: restore the store from a copy.")
    hashes = state.mark, state_hash(state)
    return Verification(state.sequence, len(state.rounds), exact, largest, *hashes, len(state.restores))


def _replayed(state: State, event: Event) -> float:
    """The largest difference between the recorded p_t of a round and the one that the events before it lead to."""
    payload = event.payload
    recorded = unpacked(payload["strategy"])
    now = state.decide(payload.get("context"), payload.get("not_allowed", ()))
    difference = float(np.max(np.abs(recorded - now))) if recorded.shape == now.shape else np.inf
    allowed = 0.0 if payload["fingerprint"] == fingerprint() else TOLERANCE
    action = sample_action(recorded, payload["uniform"])
    follows = action == payload["action"] and payload["probability"] == recorded[action]
    if not (difference <= allowed and follows and payload["config"] == state.setting.mark):
        other = "firstmover, its plugins or its libraries changed since: verify with those that played it, or "
        raise DamagedStore(
            f"round {event.round_id!r} does not follow from the events before it (p_t differs by {difference:.3g}): "
            f"{other if allowed else ''}restore the store from a copy."
        )
    return difference


def _later_fields(played: MatchRound) -> list[Any]:
    """The action that was played instead of the advised one, context and mask; empty in rounds without any."""
    found = [] if played.played is None else [played.played]
    return found if played.context is None and not played.without else [*found, played.context, played.without]


def state_hash(state: State) -> str:
    """Return a hash of all rounds and of the learner; equal journals have equal hashes.

    Parameters
    ----------
    state
        As `Match.state` returns it.

    Returns
    -------
    str
        64 hexadecimal digits.

    Raises
    ------
    InvalidInput
        If a number of the state is NaN or infinite.

    Examples
    --------
    >>> import tempfile
    >>> from firstmover import Match
    >>> from firstmover.matches import state_hash
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bay = Match.create(f"{folder}/a.db", "bay", {"menu": {"game": "shore"}})
    ...     print(len(state_hash(bay.state())))
    64
    """
    rounds = [
        [p.round_id, p.status, p.action, p.probability, *p.observed, p.delay, p.corrections, *_later_fields(p)]
        for p in state.rounds.values()
    ]
    with one_thread():
        return text_hash(canonical_json([rounds, state.learning.digest()]))
