"""The next event of a match, decided from its state alone: nothing here writes."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from math import isfinite
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from firstmover.core.errors import Conflict, FirstmoverError, InvalidInput, shown
from firstmover.core.files import canonical_json, text_hash
from firstmover.core.numerics import fingerprint, one_thread, sample_action, system_uniform
from firstmover.matches.changes import Change
from firstmover.matches.events import Draft, Event, packed, unpacked
from firstmover.matches.exported_rounds import no_journal, outside_rows, round_key
from firstmover.matches.learner_state import Fits, Learning, fitted_theta, observations, rows_of
from firstmover.matches.rounds import MatchRound
from firstmover.matches.schedule import Schedule
from firstmover.matches.setup import Setting
from firstmover.matches.state import State, corrected
from firstmover.matches.value_schema import Values

Prepared = tuple[Draft | None, Learning | None]
"""The event to record, None if there is none, and the learner after it, None if it stays the same."""

NOTHING: Prepared = (None, None)

Actions = Iterable[str | int]
"""Actions by label or index."""


def chosen_round(state: State, wanted: str | None) -> str:
    """The round that is asked for; without an id, the pending one that was asked last, else the next number."""
    if wanted is not None:
        return wanted
    if state.pending:
        return next(reversed(state.pending))
    number = len(state.rounds) + 1
    while str(number) in state.rounds:
        number += 1
    return str(number)


def listed(name: str, actions: Actions | None) -> list[str | int] | None:
    """Return actions as a list, since an ask may be repeated; None if there are none."""
    if actions is None:
        return None
    if isinstance(actions, Iterable) and not isinstance(actions, str):
        with suppress(TypeError):  # of an array without axes
            return list(actions)
    raise InvalidInput(f"{name} is {shown(actions)}: give a list of actions.")


def masked(setting: Setting, allowed: Actions | None, without: Actions | None) -> list[int] | None:
    """The actions that an ask does not allow; None if it says nothing about them."""
    given = without if allowed is None else allowed
    if given is None:
        return None
    if allowed is not None and without is not None:
        raise InvalidInput("allowed and without are both given: give one of them.")
    named, menu = {setting.menu.index(action) for action in given}, range(len(setting.menu.labels))
    return sorted(named if allowed is None else set(menu) - named)


def asking(
    state: State, wanted: str | None, context: Values | None = None, without: Sequence[int] | None = None
) -> Prepared:
    """A round with its p_t, a uniform number from the operating system, and the action that follows from both.

    A round that was asked before has its context and mask: others are a conflict, none need be given.
    """
    round_id = chosen_round(state, wanted)
    if round_id in state.rounds:
        check_same_ask(state, state.rounds[round_id], context, without)
        return NOTHING
    if context is None and state.setting.context.specs:
        names = ", ".join(state.setting.context.names)
        raise InvalidInput(f"context is missing for round {round_id!r}: give {names}, known before the action.")
    closed = not_allowed(state, context, without)
    strategy, number = state.decide(context, closed), system_uniform()
    action = sample_action(strategy, number)
    payload = {
        "action": action,
        "probability": float(strategy[action]),
        "strategy": packed(strategy),
        "uniform": number,
        "config": state.setting.mark,
        "fingerprint": fingerprint(),
    }
    payload |= {} if context is None else {"context": context}
    payload |= {"not_allowed": closed} if closed else {}
    return Draft("asked", payload, round_id, f"asked:{round_id}"), None


def not_allowed(state: State, context: Values | None, without: Sequence[int] | None) -> list[int]:
    """The actions that are closed in a new round, by the caller or by standing rules; raise if none is left."""
    setting = state.setting
    ruled_out = setting.closed(context or {})
    closed = sorted({*(without or ()), *ruled_out})
    if len(closed) == len(setting.menu.labels):
        retired = len(setting.menu.retired)
        raise InvalidInput(
            f"No action of the menu is allowed in this round: {retired} of {len(closed)} are retired, "
            f"{len(ruled_out) - retired} more are closed by a rule of the configuration, and "
            f"{len(closed) - len(ruled_out)} more by this ask; allow at least one."
        )
    if closed and setting.commits:
        raise InvalidInput("This match commits to a mixture of all actions: leave allowed and without out.")
    return closed


def check_same_ask(state: State, played: MatchRound, context: Values | None, without: Sequence[int] | None) -> None:
    """Raise Conflict if a round is asked again in another context, or with other actions allowed."""
    then = state.setting.at(played.asked)
    closed = None if without is None else sorted({*without, *then.closed(played.context or {})})
    closed = None if closed is None else [i for i in closed if i < len(then.menu.labels)]
    if context is not None and context != played.context:
        was, now = (f"with {in_words(each, None) or 'no context'}" for each in (played.context, context))
    elif closed is not None and tuple(closed) != played.without:
        labels = state.setting.menu.labels
        was, now = (f"without {', '.join(labels[i] for i in each) or 'a mask'}" for each in (played.without, closed))
    else:
        return
    raise Conflict(
        f"round {played.round_id!r} was asked {was}, and now {now}: nothing was changed; name another round, or leave "
        "context, allowed and without out.",
        {"context": played.context, "without": list(played.without)},
        {"context": context, "without": closed},
    )


def pending_round(state: State, wanted: str | None) -> MatchRound:
    """A round that is not closed yet; without an id, the one that was asked last."""
    if wanted is None and not state.pending:
        raise InvalidInput("No round is pending: ask for one.")
    played = asked_round(state, next(reversed(state.pending)) if wanted is None else wanted)
    if played.status != "pending":
        raise InvalidInput(f"round {played.round_id!r} is closed: name one that is pending.")
    return played


def telling(state: State, round_id: str, values: dict[str, Any]) -> Prepared:
    """Type and response of a round, unless they are recorded already; an error of the learner rejects the tell."""
    played = asked_round(state, round_id)
    values = with_commitment(played, values)
    if values.get("played") == played.action:
        del values["played"]
    if played.status != "pending":
        check_same(state, played, values)
        return NOTHING
    step = played._replace(status="told", recorded=canonical_json(values), played=values.get("played"))
    check_finite(state, step)
    return Draft("told", values, round_id, f"closed:{round_id}"), state.next_learning(step)


def voiding(state: State, round_id: str, reason: str) -> Prepared:
    """The declaration that nothing will be observed in a round."""
    played = asked_round(state, round_id)
    if played.status != "pending":
        check_same(state, played, {"type": None, "response": None})
        return NOTHING
    return Draft("voided", {"reason": reason}, round_id, f"closed:{round_id}"), None


def correcting(state: State, round_id: str, payload: dict[str, Any]) -> Prepared:
    """Other values for a closed round."""
    played = asked_round(state, round_id)
    if played.status == "pending":
        raise InvalidInput(f"round {round_id!r} is still pending: tell it, or declare it void.")
    payload = with_commitment(played, payload)
    after = corrected(played, payload)
    if (played.observed, played.played) == (after.observed, after.played):
        return NOTHING
    if payload["response"] is not None:
        check_finite(state, after)
    return Draft("corrected", payload, round_id), state.corrected_learning(after)


def changing(state: State, change: Callable[[Setting], Change], reason: str | None) -> Prepared:
    """The whole new setting, unless nothing in it is new; an error of the learner rejects it."""
    with one_thread():
        setting, what = change(state.setting)
    if not what:
        return NOTHING
    payload = {"what": what, **setting.stored()} | ({} if reason is None else {"reason": reason})
    now = Setting.restored(json.loads(canonical_json(payload))).following(state.setting, state.sequence + 1)
    return Draft("changed", payload), state.changed_learning(now)


def recording(state: State, record_id: str, row: dict[str, Any], reason: str | None) -> Prepared:
    """An observation outside of the rounds of the match, unless it is recorded already."""
    known = state.records.get(record_id)
    if known is not None and known != row:
        raise Conflict(
            f"record {record_id!r} has other values: nothing was changed; give this observation another id.",
            known,
            row,
        )
    if known is not None:
        return NOTHING
    payload = {"rows": [row]} | ({} if reason is None else {"reason": reason})
    draft = Draft("recorded", payload, record_id, f"recorded:{record_id}")
    return draft, state.next_learning(draft)


def importing(
    state: State,
    rows: list[dict[str, Any]],
    source: str,
    *,
    again: bool,
    reading: dict[str, Any] | None,
    rounds: bool,
    fits: Fits,
) -> Prepared:
    """Rows that were observed elsewhere, without those that are on record, and how they were read.

    `rounds` of a match are learnt with fits between them: those of its journal or, if there are rows before or some are
    left out, those that are due here.
    """
    payload: dict[str, Any] = {"rows": rows, "source": source}
    claim = f"imported:{text_hash(canonical_json(payload))}"
    if claim in state.imports:
        return NOTHING
    payload["rows"] = new = rows if again else unrecorded(state, rows)
    if not new:
        return NOTHING
    if rounds and (state.steps or len(new) < len(rows) or not fits):
        fits = scheduled_fits(state, new)
    more = {"reading": reading, "fits": [list(fit) for fit in fits], "on_record": len(rows) - len(new)}
    payload |= {name: value for name, value in more.items() if value}
    draft = Draft("imported", payload, claim=claim)
    try:
        return draft, state.next_learning(draft)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        state.forget()
        if isinstance(error, FirstmoverError) or not fits:
            raise
        raise no_journal() from None


def scheduled_fits(state: State, rows: list[dict[str, Any]]) -> Fits:
    """The fits that are due while rounds of a match are learnt one by one, as that match did."""
    fits: list[tuple[int, dict[str, Any]]] = []
    if not state.setting.refits or state.setting.config.hyperparameters.source != "config":
        return fits
    learning = state.learning
    state.forget()  # it shares buffers with the learner that continues here
    with one_thread():
        for number, row in enumerate(rows, start=1):
            learning = learning.after(Draft("imported", {"rows": [row]}))
            with suppress(ArithmeticError, LinAlgError):  # the rows go on with the old hyperparameters
                if learning.fit_due:
                    fit = learning.fit()
                    learning = learning.after(Draft("refitted", fit))
                    fits.append((number, fit))
    return fits


def unrecorded(state: State, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows that are not on record: those of a new id and, without ids, those that are there more often than before.

    Equal rows of one import are different observations.
    """
    steps = (step for step in state.steps if isinstance(step, Event) and step.kind in ("imported", "recorded"))
    before = [row for step in steps for row in outside_rows(step)]
    ids = {
        round_key(played.asked_at, played.round_id): _content(*rows_of(played)[0]) if played.status == "told" else ""
        for played in state.rounds.values()
    }
    ids |= {row["id"]: _content(**row) for row in before if "id" in row}
    on_record, known, new = set(ids), Counter(canonical_json(row) for row in before), []
    for row in rows:
        if "id" in row:
            content = _content(**row)
            if ids.get(row["id"], content) != content:
                there = "than those on record" if row["id"] in on_record else "in two places"
                raise Conflict(
                    f"history has other values for the row {shown(row['id'])} {there}: nothing was changed; correct "
                    "the file, or leave its column of ids out."
                )
            found = row["id"] in ids
            ids[row["id"]] = content
        else:
            key = canonical_json(row)
            found = known[key] > 0
            known[key] -= found
        new += [] if found else [row]
    return new


def _content(action: Any = None, type: Any = None, response: Any = None, features: Any = None, **_: Any) -> str:
    """What was observed in a row, for comparison."""
    return canonical_json([action, type, response, features])


def refitting(state: State) -> Prepared:
    """New hyperparameters, if a refit is due: by the learner's own schedule, or by that of the configuration."""
    if state.archived:
        return NOTHING
    if state.setting.config.hyperparameters.source != "config":
        return _kernel_refit(state)
    if not state.fit_due:
        return NOTHING
    try:
        with one_thread():
            draft = Draft("refitted", state.learning.fit(), claim=f"refitted:{len(state.refits) + 1}")
        return draft, state.next_learning(draft)
    except (FirstmoverError, ArithmeticError, LinAlgError):
        state.forget()
        return NOTHING  # the rounds go on with the old hyperparameters, and the next one tries again


def _kernel_refit(state: State) -> Prepared:
    """The kernel with the largest marginal likelihood of the latest observations, if a refit is due.

    It is due after each import, or after every `every` tells. λ is fixed: it is the variance of the noise in the
    likelihood. If the learner rejects the fitted kernel, the event keeps the old one and states the reason.
    """
    spec = state.setting.config.hyperparameters
    done = len(state.imports) if spec.source == "history" else state.told // spec.every
    claim = f"refitted:{'history' if spec.source == 'history' else 'told'}:{done}"
    few = state.told + len(state.records) + sum(state.imports.values()) < spec.at_least
    if few or not done or claim in state.refits:
        return NOTHING
    kernel = state.setting.kernel(fitted_theta(state.steps))
    found = _fitted(state, kernel)
    try:
        learning = state.next_learning(Draft("refitted", found))
    except FirstmoverError as error:
        found |= {"theta": kernel.theta.tolist(), "remarks": [*found["remarks"], f"not used: {error}"]}
        learning = state.next_learning(Draft("refitted", found))
    return Draft("refitted", found, claim=claim), learning


def _fitted(state: State, kernel: Any) -> dict[str, Any]:
    """The payload of a refit that starts from this kernel."""
    from firstmover.beliefs.fitting import fit_kernel
    from firstmover.kernels import bind

    game, spec = state.setting.game, state.setting.config.hyperparameters
    seen = list(observations(state.setting, state.steps))[-spec.at_most :]
    points = np.array([np.append(game.actions[f.action], f.opponent_type) for f in seen])
    responses = np.array([f.response for f in seen])
    with one_thread():
        fit = fit_kernel(bind(kernel, game.actions.shape[1]), points, responses, state.setting.regularization)
    return {
        "theta": fit.kernel.theta.tolist(),
        "kernel": str(fit.kernel),
        "log_likelihood": fit.log_likelihood,
        "observations": len(seen),
        "remarks": list(fit.remarks),
    }


def renaming(state: State, name: str) -> Prepared:
    """Another name of the match."""
    return NOTHING if name == state.name else (Draft("renamed", {"name": name}), None)


def archiving(state: State, archived: bool) -> Prepared:
    """That the match ends, or goes on."""
    return NOTHING if archived == state.archived else (Draft("archived", {"archived": archived}), None)


def scheduling(state: State, schedule: Schedule | None) -> Prepared:
    """Another schedule of rounds, or none."""
    if schedule == state.schedule:
        return NOTHING
    return Draft("scheduled", {"schedule": None if schedule is None else schedule.model_dump(mode="json")}), None


def check_not_archived(state: State, draft: Draft) -> None:
    """Raise InvalidInput if an archived match would record something about its rounds."""
    if state.archived and draft.kind not in ("archived", "renamed"):
        raise InvalidInput(f"match {state.name!r} is archived: nothing was recorded; unarchive it to go on.")


def checked_text(what: str, text: object, most: int) -> str:
    """Return a text that can be encoded in UTF-8."""
    if not isinstance(text, str) or len(text) > most or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise InvalidInput(f"{what} is {shown(text)}: give a text in UTF-8 of at most {most} characters.")
    return text


def checked_reason(reason: object) -> str:
    """Return a reason, without blanks at the ends."""
    if not isinstance(reason, str) or not reason.strip():
        found = "empty" if isinstance(reason, str) else shown(reason)
        raise InvalidInput(f"reason is {found}: say in a few words why.")
    return checked_text("reason", reason.strip(), 500)


def asked_round(state: State, round_id: str) -> MatchRound:
    """Return a round that was asked, or raise InvalidInput."""
    if not isinstance(round_id, str) or round_id not in state.rounds:
        waiting = ", ".join(repr(name) for name in list(state.pending)[:5]) or "none"
        raise InvalidInput(
            f"round {shown(round_id)} was never asked: ask for it first, or name a pending round ({waiting})."
        )
    return state.rounds[round_id]


def with_commitment(played: MatchRound, values: dict[str, Any]) -> dict[str, Any]:
    """The values of a round with the mixture as the type, if the round is a commitment and no type was told."""
    if played.committed and "played" in values:
        raise InvalidInput(
            f"played is given for round {played.round_id!r}, which commits to a mixture: declare the round void, and "
            "record what was done instead."
        )
    if not played.committed or values["type"] or values["response"] is None:
        return values
    return values | {"type": {"type": unpacked(played.committed).tolist()}}


def check_context(round_id: str, context: Values, told: Values) -> None:
    """Raise Conflict if a round is told with another context than it was asked with."""
    given = {name: told[name] for name in context}
    if given != context:
        raise Conflict(
            f"round {round_id!r} was asked with {in_words(context, None)}, and now {in_words(given, None)} is given: "
            "nothing was changed; tell the rest, and correct the context afterwards, with a reason.",
            context,
            given,
        )


def check_same(state: State, played: MatchRound, values: dict[str, Any]) -> None:
    """Raise Conflict if a closed round is closed again with other values, or as another action."""
    other = values.get("played")
    if (*played.observed, played.played) == (values["type"], values["response"], other):
        return
    recorded: dict[str, Any] = {"opponent_type": played.opponent_type, "response": played.response}
    given = {"opponent_type": values["type"], "response": values["response"]}
    was = "declared void" if played.status == "void" else f"told {in_words(*played.observed)}"
    now = "void" if values["response"] is None else in_words(values["type"], values["response"])
    if played.played != other:
        labels, before = state.setting.menu.labels, played.played
        recorded["played"], given["played"] = (None if i is None else labels[i] for i in (before, other))
        was += "" if before is None else f", played={labels[before]}"
        now += "" if other is None else f", played={labels[other]}"
    raise Conflict(
        f"round {played.round_id!r} was {was}, and now {now} is given: nothing was changed; if what was recorded is "
        "wrong, use correct, with a reason.",
        recorded,
        given,
    )


def check_finite(state: State, told: MatchRound) -> None:
    """Raise InvalidInput if the reward of a told round would not be finite."""
    with np.errstate(all="ignore"):
        reward = state.reward(told, told.response or {})
    if not isfinite(reward):
        given = in_words(*told.observed)
        raise InvalidInput(
            f"round {told.round_id!r} would have the reward {reward} at {given}: "
            "nothing was recorded; give the measured value, or set lower and upper of the response in the next match."
        )


def in_words(opponent_type: dict[str, Any] | None, response: dict[str, Any] | None) -> str:
    """Type and response as a user wrote them: demand=high, congestion=3.2; a type of many numbers is left out."""
    named = {name: value for name, value in (opponent_type or {}).items() if not isinstance(value, list)}
    entries = [*named.items(), *(response or {}).items()]
    return ", ".join(f"{name}={value}" for name, value in entries)
