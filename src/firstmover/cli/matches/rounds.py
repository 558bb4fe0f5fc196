"""firstmover match ask, tell, void, correct and record."""

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from firstmover.cli.matches.options import (
    STORE,
    Allowed,
    AsJson,
    Context,
    MaybeReason,
    Name,
    NeededRound,
    Played,
    Reason,
    Responses,
    Store,
    Types,
    Without,
    answer,
    cell,
    named_values,
    store_option,
    table,
)

if TYPE_CHECKING:
    from firstmover.matches import Match

RoundId = Annotated[
    str | None, typer.Option("--round", help="The round's name; default: the pending one.", show_default=False)
]

MOST_FEATURES = 12
"""Features of an action that are printed as a table; of more, only the first of those that are not 0."""


def ask(  # noqa: PLR0917 - one parameter per option
    name: Name,
    round_id: RoundId = None,
    context: Context = None,
    allowed: Allowed = None,
    without: Without = None,
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """Print the action of a round; idempotent."""
    from firstmover.matches import Match

    known = named_values("context", context) if context else None
    with Match.open(store, name) as opened:
        decision = opened.ask(round_id, context=known, allowed=allowed or None, without=without or None)
        setting = opened.setting
    committed = decision.commitment is not None
    needed = () if committed else [each for each in setting.types.names if each not in setting.context.names]
    hint = "".join([f" --type {quote(each)}=…" for each in needed])
    hint += "".join([f" --response {quote(each)}=…" for each in setting.responses.names])
    features = decision.features
    answer(
        as_json,
        {
            "round": decision.round_id,
            "action": decision.action,
            "label": decision.label,
            "features": features,
            "probability": decision.probability,
            "strategy": decision.strategy.tolist(),
            **({"commitment": decision.commitment} if committed else {}),
        },
        f"Round {decision.round_id}: commit to {decision.label}; the opponent sees this mixture. Drawn from it: "
        f"{setting.menu.labels[decision.action]!r}."
        if committed
        else f"Round {decision.round_id}: play {decision.label!r} (no. {decision.action + 1} of "
        f"{len(decision.strategy)}), which had probability {decision.probability:.1%}.",
        table([features]) if len(features) <= MOST_FEATURES else in_short(features, MOST_FEATURES),
        f"Then tell what happened: firstmover match tell {quote(name)}{store_option(store)} --round "
        f"{quote(decision.round_id)}{hint}",
    )


def in_short(features: dict[str, float], most: int) -> str:
    """The features of an action that are not 0, in one line.

    >>> print(in_short({"cell 1,1": 0.25, "cell 1,2": 0.0, "cell 1,3": 0.5, "cell 1,4": 1.0}, most=2))
    With cell 1,1 = 0.25; cell 1,3 = 0.5; and 1 more that is not 0: --json shows all.
    """
    entries = [f"{name} = {cell(value)}" for name, value in features.items() if value]
    left = len(entries) - most
    rest = f"; and {left} more that {'is' if left == 1 else 'are'} not 0: --json shows all." if left > 0 else "."
    return f"With {'; '.join(entries[:most])}{rest}" if entries else f"All its {len(features)} features are 0."


def tell(  # noqa: PLR0917 - one parameter per option
    name: Name,
    round_id: RoundId = None,
    opponent_type: Types = None,
    response: Responses = None,
    played: Played = None,
    reason: MaybeReason = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--from", help="CSV or JSON file with one or more rounds, perhaps with played and reason; - for JSON."
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Compare the values with what is expected, and record nothing.")
    ] = False,
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """Record the type and the response of a round; idempotent."""
    from firstmover.core.errors import InvalidInput, counted
    from firstmover.matches import Match
    from firstmover.matches.match_alarms import doubt

    doubts = None
    with Match.open(store, name) as opened:
        if file is None:
            this = round_id or _only_pending(opened)
            values = named_values("type", opponent_type), named_values("response", response)
            if check:
                found = opened.check(this, *values, played=played)
                answer(as_json, found.as_dict(), *found.lines(), "Nothing was recorded.")
                return
            new, rows = int(opened.tell(this, *values, played=played, reason=reason)), 1
            if doubtful := doubt(opened.state(), this):
                doubts = (
                    f"{doubtful} It is recorded as told; if it is wrong, run firstmover match correct {quote(name)} "
                )
                doubts += f"--round {quote(this)} with the right values and a reason."
        elif opponent_type or response or round_id or played or reason or check:
            raise InvalidInput("--from names a file that holds everything: leave --round, --type and other values out.")
        else:
            new, rows = _tell_all(opened, file)
        pending = len(opened.state().pending)
        label = None if played is None else opened.setting.menu.labels[opened.setting.menu.index(played)]
    again = f", {rows - new} recorded before" if new < rows else ""
    instead = "" if label is None else f", with {label!r} as the action played"
    answer(
        as_json,
        {"told": new, "recorded_before": rows - new, "pending": pending} | ({"doubt": doubts} if doubts else {}),
        f"{counted(new, 'round')} told{again}{instead}; {pending} pending.{f'{chr(10)}{doubts}' if doubts else ''}",
    )


def _tell_all(opened: "Match", file: Path) -> tuple[int, int]:
    """Tell the rounds of a file; return how many were new, and how many rows there are."""
    from firstmover.core.errors import Conflict, InvalidInput, counted
    from firstmover.matches.history import told_rows

    rows = told_rows(file, opened.setting)
    if not rows:
        raise InvalidInput(f"file {str(file)!r} has no rows: give one or more, with round, type and response.")
    new = 0
    for number, row in enumerate(rows, start=1):
        try:
            if row["round"] is None:
                raise InvalidInput("round is empty: name the round that was played.")
            more = {name: row.get(name) for name in ("played", "reason")}
            new += opened.tell(str(row["round"]), row["type"], row["response"], **more)
        except (Conflict, InvalidInput) as error:
            before = f"{counted(number - 1, 'row')} recorded; " if number > 1 else ""
            after = " Correct it and give the whole file again: recorded rows are not counted twice."
            raise type(error)(f"{before}row {number}: {error}{after if before else ''}") from None
    return new, len(rows)


def _only_pending(opened: "Match") -> str:
    """The pending round, if there is exactly one."""
    from firstmover.core.errors import InvalidInput

    pending = list(opened.state().pending)
    if len(pending) != 1:
        which = ", ".join(pending[:5]) if pending else "none is pending"
        raise InvalidInput(f"--round is missing: name the round ({which}), or ask for one first.")
    return pending[0]


def void(name: Name, round_id: NeededRound, reason: Reason, store: Store = STORE, as_json: AsJson = False) -> None:
    """Declare a round void: it has no observation."""
    from firstmover.matches import Match

    with Match.open(store, name) as opened:
        new = opened.void(round_id, reason)
        first = opened.state().rounds[round_id].reason
    words = "is void." if new else f"was void before, and the reason stays {first!r}."
    answer(as_json, {"round": round_id, "new": new}, f"Round {round_id} {words}")


def correct(  # noqa: PLR0917 - one parameter per option
    name: Name,
    round_id: NeededRound,
    reason: Reason,
    opponent_type: Types = None,
    response: Responses = None,
    played: Played = None,
    to_void: Annotated[bool, typer.Option("--void", help="Void the round: it has no valid observation.")] = False,
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """Replace the recorded observation of a round; the old values stay in the journal."""
    from firstmover.core.errors import InvalidInput
    from firstmover.matches import Match

    if to_void == bool(opponent_type or response):
        raise InvalidInput("correct needs either --type and --response with the right values, or --void: give one.")
    values = (None, None) if to_void else (named_values("type", opponent_type), named_values("response", response))
    with Match.open(store, name) as opened:
        new = opened.correct(round_id, *values, reason=reason, played=played)
    done = f"Round {round_id} is corrected, and the learner was computed again."
    answer(
        as_json, {"round": round_id, "new": new}, done if new else "That is recorded already; the reason is not stored."
    )


def record(  # noqa: PLR0917 - one parameter per option
    name: Name,
    action: Annotated[str, typer.Option(help="The action that was played, by label.")],
    opponent_type: Types = None,
    response: Responses = None,
    record_id: Annotated[
        str | None, typer.Option("--id", help="A name: repeated with it, nothing is counted twice.", show_default=False)
    ] = None,
    reason: MaybeReason = None,
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """Record an observation that nobody had asked for: it conditions the belief, not the strategy."""
    from firstmover.matches import Match

    values = named_values("type", opponent_type), named_values("response", response)
    with Match.open(store, name) as opened:
        new = opened.record(action, *values, record_id=record_id, reason=reason)
        label = opened.setting.menu.labels[opened.setting.menu.index(action)]
    done = f"{label!r} is recorded into the belief; the weights of actions count rounds only."
    words = done if new else "That is recorded already."
    answer(as_json, {"new": new}, words)
