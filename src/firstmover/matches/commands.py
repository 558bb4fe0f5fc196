"""What would be recorded next, decided from the state alone: nothing here writes."""

import json
from collections import Counter
from math import isfinite
from typing import Any

import numpy as np

from firstmover.core.errors import Conflict, InvalidInput, shown
from firstmover.core.files import canonical_json, text_hash
from firstmover.core.numerics import fingerprint, sample_action, system_uniform
from firstmover.matches.events import Draft, packed
from firstmover.matches.learner_state import Learning
from firstmover.matches.round_rows import reward_of
from firstmover.matches.round_table import Played, Step
from firstmover.matches.state import State

Prepared = tuple[Draft | None, Learning | None]
"""What to record next, None if nothing, and what it makes of the learner, None if nothing is learnt."""

NOTHING: Prepared = (None, None)


def chosen_round(state: State, wanted: str | None) -> str:
    """The round that is asked for; without an id the one that waits, asked last, else the next by number."""
    if wanted is not None:
        return wanted
    if state.pending:
        return next(reversed(state.pending))
    number = len(state.rounds) + 1
    while str(number) in state.rounds:
        number += 1
    return str(number)


def asking(state: State, wanted: str | None) -> Prepared:
    """A round with its p_t, the number that the operating system drew, and the action that follows from both."""
    round_id = chosen_round(state, wanted)
    if round_id in state.rounds:
        return NOTHING
    strategy, number = state.strategy, system_uniform()
    action = sample_action(strategy, number)
    payload = {
        "action": action,
        "probability": float(strategy[action]),
        "strategy": packed(strategy),
        "uniform": number,
        "config": state.setting.mark,
        "fingerprint": fingerprint(),
    }
    return Draft("asked", payload, round_id, f"asked:{round_id}"), None


def telling(state: State, round_id: str, values: dict[str, Any]) -> Prepared:
    """What was observed in a round, unless it is recorded already; a learner that refuses it refuses the tell."""
    played = asked_round(state, round_id)
    if played.status != "pending":
        check_same(played, values)
        return NOTHING
    check_finite(state, played, values)
    step = Step(state.sequence + 1, canonical_json(values), 1, played.action)
    return Draft("told", values, round_id, f"closed:{round_id}"), state.next_learning(step)


def voiding(state: State, round_id: str, reason: str) -> Prepared:
    """That nothing will be observed in a round."""
    played = asked_round(state, round_id)
    if played.status != "pending":
        check_same(played, {"type": None, "response": None})
        return NOTHING
    return Draft("voided", {"reason": reason}, round_id, f"closed:{round_id}"), None


def correcting(state: State, round_id: str, payload: dict[str, Any]) -> Prepared:
    """Other values for a round that is closed."""
    played = asked_round(state, round_id)
    if played.status == "pending":
        raise InvalidInput(f"round {round_id!r} was not told yet: tell it, or declare it void.")
    if played.observed == (payload["type"], payload["response"]):
        return NOTHING
    if payload["response"] is not None:
        check_finite(state, played, payload)
    return Draft("corrected", payload, round_id), state.corrected_learning(round_id, payload)


def importing(state: State, rows: list[dict[str, Any]], source: str, again: bool) -> Prepared:
    """Rows that were observed elsewhere, unless they are recorded already."""
    payload = {"rows": rows, "source": source}
    text = canonical_json(payload)
    claim = f"imported:{text_hash(text)}"
    if claim in state.imports:
        return NOTHING
    if not again:
        check_grown(state, rows)
    step = Step(state.sequence + 1, text, len(rows))
    return Draft("imported", payload, claim=claim), state.next_learning(step)


def check_grown(state: State, rows: list[dict[str, Any]]) -> None:
    """Nothing, unless all rows of an earlier import are among these: they would count twice, and for good."""
    given = Counter(map(canonical_json, rows))
    for step in state.steps:
        if step.size and step.action is None:
            earlier = json.loads(step.text)
            if Counter(map(canonical_json, earlier["rows"])) <= given:
                named = f" from {shown(earlier['source'])}" if earlier["source"] else ""
                raise Conflict(
                    f"history holds {'the row' if step.size == 1 else f'all {step.size:,} rows'} imported before{named}"
                    ": nothing was changed; give the new rows alone, or say that all was observed once more (again)."
                )


def checked_name(what: str, name: object) -> str:
    """A name that can stand in a line of its own, and in an address."""
    if not isinstance(name, str) or not 1 <= len(name) <= 80 or not name.isprintable() or name != name.strip():
        raise InvalidInput(f"{what} is {shown(name)}: give 1 to 80 printable characters, without blanks at the ends.")
    if name in (".", ".."):
        raise InvalidInput(f"{what} is {name!r}: give another, since browsers take this for a way through folders.")
    return name


def checked_text(what: str, text: object, most: int) -> str:
    """Words that can be written to any file."""
    if not isinstance(text, str) or len(text) > most or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise InvalidInput(f"{what} is {shown(text)}: give a text in UTF-8 of at most {most} characters.")
    return text


def checked_reason(reason: object) -> str:
    """A reason in words."""
    if not isinstance(reason, str) or not reason.strip():
        found = "empty" if isinstance(reason, str) else shown(reason)
        raise InvalidInput(f"reason is {found}: say in a few words why.")
    return checked_text("reason", reason.strip(), 500)


def asked_round(state: State, round_id: str) -> Played:
    """A round that was asked, or the refusal."""
    if round_id not in state.rounds:
        waiting = ", ".join(repr(name) for name in list(state.pending)[:5]) or "none"
        raise InvalidInput(
            f"round {shown(round_id)} was never asked: ask for it first, or tell a round that waits ({waiting})."
        )
    return state.rounds[round_id]


def check_same(played: Played, values: dict[str, Any]) -> None:
    """Nothing, when a closed round is closed again in the same way; else the conflict."""
    if played.observed == (values["type"], values["response"]):
        return
    was = "declared void" if played.status == "void" else f"told {said(*played.observed)}"
    now = "void" if values["response"] is None else said(values["type"], values["response"])
    raise Conflict(
        f"round {played.round_id!r} was {was}, and now {now} is given: nothing was changed; if what was recorded is "
        "wrong, use correct, with a reason.",
        {"opponent_type": played.opponent_type, "response": played.response},
        {"opponent_type": values["type"], "response": values["response"]},
    )


def check_finite(state: State, played: Played, values: dict[str, Any]) -> None:
    """A reward that is no number would stand in every table of the match."""
    with np.errstate(all="ignore"):
        reward = reward_of(state, played.action, values["response"])
    if not isfinite(reward):
        raise InvalidInput(
            f"round {played.round_id!r} would have the reward {reward} at {said(values['type'], values['response'])}: "
            "nothing was recorded; give what was measured, or ends (lower, upper) for the response in the next match."
        )


def said(opponent_type: dict[str, Any] | None, response: dict[str, Any] | None) -> str:
    """Values as a person gave them.

    >>> said({"demand": "high"}, {"congestion": 3.2})
    'demand=high, congestion=3.2'
    """
    entries = [*(opponent_type or {}).items(), *(response or {}).items()]
    return ", ".join(f"{name}={value}" for name, value in entries)
