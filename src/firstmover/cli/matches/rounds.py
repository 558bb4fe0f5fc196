"""firstmover match ask, tell, void and correct: one round after the other."""

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from firstmover.cli.matches.shown import (
    STORE,
    AsJson,
    Name,
    Reason,
    Responses,
    Store,
    Types,
    answer,
    in_short,
    named_values,
    store_option,
    table,
)

if TYPE_CHECKING:
    from firstmover.matches import Match

RoundId = Annotated[
    str | None, typer.Option("--round", help="The round's name; if left out, the one that waits.", show_default=False)
]
NeededRound = Annotated[str, typer.Option("--round", help="The round's name.")]
SHOWN = 12
"""Features of an action that are printed; of more, so many of those that are not 0."""


def ask(name: Name, round_id: RoundId = None, store: Store = STORE, as_json: AsJson = False) -> None:
    """Show the action of a round; asked again, the same one."""
    from firstmover.matches import Match

    with Match.open(store, name) as match:
        decision = match.ask(round_id)
        types, responses = match.setting.types.names, match.setting.responses.names
        hint = "".join([f" --type {quote(t)}=…" for t in types] + [f" --response {quote(r)}=…" for r in responses])
        answer(
            as_json,
            {
                "round": decision.round_id,
                "action": decision.action,
                "label": decision.label,
                "features": decision.features,
                "probability": decision.probability,
                "strategy": decision.strategy.tolist(),
            },
            f"Round {decision.round_id}: play {decision.label!r} (no. {decision.action + 1} of "
            f"{len(decision.strategy)}), which had probability {decision.probability:.1%}.",
            table([decision.features]) if len(decision.features) <= SHOWN else in_short(decision.features, SHOWN),
            f"Then tell what happened: firstmover match tell {quote(name)}{store_option(store)} --round "
            f"{quote(decision.round_id)}{hint}",
        )


def tell(  # noqa: PLR0917 - typer's commands have as many as there are options
    name: Name,
    round_id: RoundId = None,
    opponent_type: Types = None,
    response: Responses = None,
    file: Annotated[
        Path | None, typer.Option("--from", help="CSV or JSON of one or many rounds; - for JSON on stdin.")
    ] = None,
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """Record what happened, once a round; the same again is accepted and changes nothing."""
    from firstmover.core.errors import InvalidInput, counted
    from firstmover.matches import Match

    with Match.open(store, name) as match:
        if file is not None:
            if opponent_type or response or round_id:
                raise InvalidInput("--from names a file that holds everything: leave --round, --type and --response.")
            rows = _rows(match, file)
        else:
            values = named_values("type", opponent_type), named_values("response", response)
            rows = [(_waiting(match, round_id), *values)]
        new = sum(_tell(match, number, row, many=file is not None) for number, row in enumerate(rows, start=1))
        waiting = len(match.state().pending)
        again = f", {len(rows) - new} recorded before" if new < len(rows) else ""
        answer(
            as_json,
            {"told": new, "recorded_before": len(rows) - new, "pending": waiting},
            f"{counted(new, 'round')} told{again}; {waiting} pending.",
        )


def _rows(match: "Match", file: Path) -> list[tuple[Any, Any, Any]]:
    from firstmover.core.errors import InvalidInput
    from firstmover.matches.files import read_rows, sorted_out

    rows = [sorted_out(row, match.setting, "round") for row in read_rows(file)]
    if not rows:
        raise InvalidInput(f"file {str(file)!r} has no rows: give one or more, with round, type and response.")
    return rows


def _tell(match: "Match", number: int, row: tuple[Any, Any, Any], many: bool) -> bool:
    from firstmover.core.errors import Conflict, InvalidInput, counted

    round_id, opponent_type, response = row
    try:
        if round_id is None:
            raise InvalidInput("round is empty: name the round that was played.")
        return match.tell(str(round_id), opponent_type, response)
    except (Conflict, InvalidInput) as error:
        before = f"{counted(number - 1, 'row')} recorded; " if number > 1 else ""
        after = " Mend it and give the whole file again: what is recorded counts once." if number > 1 else ""
        raise type(error)(f"{before}row {number}: {error}{after}" if many else str(error)) from None


def _waiting(match: "Match", round_id: str | None) -> str:
    """The round that is meant when none is named: the only one that waits."""
    from firstmover.core.errors import InvalidInput

    pending = list(match.state().pending)
    if round_id is not None:
        return round_id
    if len(pending) != 1:
        which = ", ".join(pending[:5]) if pending else "none waits"
        raise InvalidInput(f"--round is missing: say which round is told ({which}), or ask for one first.")
    return pending[0]


def void(name: Name, round_id: NeededRound, reason: Reason, store: Store = STORE, as_json: AsJson = False) -> None:
    """Declare that nothing will be told of a round."""
    from firstmover.matches import Match

    with Match.open(store, name) as match:
        new = match.void(round_id, reason)
        first = match.state().rounds[round_id].reason
        words = (
            f"Round {round_id} is void."
            if new
            else f"Round {round_id} was void before, and the reason stays {first!r}."
        )
        answer(as_json, {"round": round_id, "new": new}, words)


def correct(  # noqa: PLR0917 - the same
    name: Name,
    round_id: NeededRound,
    reason: Reason,
    opponent_type: Types = None,
    response: Responses = None,
    to_void: Annotated[bool, typer.Option("--void", help="Nothing was observed after all.")] = False,
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """Replace what was told of a round; what was before stays on record, and all is learnt anew."""
    from firstmover.core.errors import InvalidInput
    from firstmover.matches import Match

    if to_void == bool(opponent_type or response):
        raise InvalidInput("correct needs either --type and --response with the right values, or --void: give one.")
    values = (None, None) if to_void else (named_values("type", opponent_type), named_values("response", response))
    with Match.open(store, name) as match:
        new = match.correct(round_id, *values, reason=reason)
        words = (
            f"Round {round_id} is corrected, and all is learnt anew."
            if new
            else "That is recorded already, so the reason is not kept."
        )
        answer(as_json, {"round": round_id, "new": new}, words)
