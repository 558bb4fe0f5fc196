"""firstmover match list, rename, schedule, archive, unarchive, delete, receipt, backup, restore and accept-restore."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from firstmover.cli.matches.options import STORE, AsJson, Name, Store, answer, table

if TYPE_CHECKING:
    from firstmover.matches.backup import KeptMatch


def list_all(
    archived: Annotated[bool, typer.Option("--archived", help="List archived matches as well.")] = False,
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """List the matches of the store; read-only."""
    from dataclasses import asdict

    from firstmover.matches.match_list import list_matches

    rows = [asdict(match) for match in list_matches(store, archived=archived)]
    shown = [row | {"pending": len(row["pending"]), "archived": "yes" if row["archived"] else None} for row in rows]
    for row in shown:
        del row["waiting_since"]  # --json has it
    answer(as_json, {"matches": rows}, table(shown) if rows else "There is no match in this store.")


def rename(
    name: Name,
    new_name: Annotated[str, typer.Argument(metavar="NEW", help="The new name.")],
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """Give a match another name; its events stay as they are."""
    from firstmover.matches import Match

    with Match.open(store, name) as opened:
        new = opened.rename(new_name)
    answer(as_json, {"name": new_name, "new": new}, f"Match {name!r} is called {new_name!r} now.")


def schedule(  # noqa: PLR0917 - a command has as many arguments as options
    name: Name,
    at: Annotated[list[str] | None, typer.Option(metavar="HH:MM", help="A time of the day; repeat it.")] = None,
    every_hours: Annotated[
        int | None, typer.Option(min=1, max=12, help="A round every so many hours, from the first time or midnight on.")
    ] = None,
    day: Annotated[list[str] | None, typer.Option(metavar="DAY", help="mon, tue, …; repeat it; default: all.")] = None,
    weekdays: Annotated[bool, typer.Option("--weekdays", help="From Monday to Friday.")] = False,
    zone: Annotated[str, typer.Option(help="The time zone, such as Europe/Zurich.")] = "UTC",
    none: Annotated[bool, typer.Option("--none", help="End the schedule.")] = False,
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """Set when rounds are due, or show it; a schedule reminds people and never asks."""
    from firstmover.core.errors import InvalidInput
    from firstmover.matches import Match
    from firstmover.matches.schedule import DAYS, WEEKDAYS, Schedule, hourly

    changes = bool(at or every_hours)
    if none and changes:
        raise InvalidInput("--none is given with times: give one of them.")
    with Match.open(store, name, read_only=not (changes or none)) as opened:
        if changes:
            times = hourly(every_hours, (at or ["00:00"])[0]) if every_hours else at
            opened.set_schedule(
                Schedule.read({"times": times, "days": list(WEEKDAYS) if weekdays else day or list(DAYS), "zone": zone})
            )
        elif none:
            opened.set_schedule(None)
        due = opened.due()
    line = "There is no schedule." if due is None else f"Rounds are due {due.words}; the next one: {due.at}."
    answer(as_json, {"due": None if due is None else vars(due)}, line)


def archive(name: Name, store: Store = STORE, as_json: AsJson = False) -> None:
    """Archive a match: it is not listed any more, and records nothing until it is unarchived."""
    from firstmover.matches import Match

    with Match.open(store, name) as opened:
        new = opened.archive()
    answer(as_json, {"new": new}, f"Match {name!r} is archived{'' if new else ' already: nothing changed'}.")


def unarchive(name: Name, store: Store = STORE, as_json: AsJson = False) -> None:
    """Let an archived match go on."""
    from firstmover.matches import Match

    with Match.open(store, name) as opened:
        new = opened.unarchive()
    answer(as_json, {"new": new}, f"Match {name!r} goes on." if new else f"Match {name!r} was not archived.")


def delete(
    name: Name,
    confirm: Annotated[str, typer.Option(help="The name of the match once more.")],
    export: Annotated[Path, typer.Option(help="A new .json file that keeps the whole journal.")],
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """Delete a match with all its events, and keep its journal in a file."""
    from firstmover.matches import Match

    with Match.open(store, name) as opened:
        opened.delete(confirm=confirm, export=export)
    answer(as_json, {"deleted": name, "export": str(export)}, f"Match {name!r} is deleted; its journal is in {export}.")


def receipt(name: Name, store: Store = STORE, as_json: AsJson = False) -> None:
    """Print the hash of the last event, to keep elsewhere for verify --head; read-only."""
    from firstmover.core.errors import counted
    from firstmover.matches import Match

    with Match.open(store, name, read_only=True) as opened:
        events, head = opened.sequence, opened.head
    said = f"Match {name!r} has {counted(events, 'event')}; last hash {head}"
    answer(as_json, {"name": name, "events": events, "head": head}, said)


def backup(
    out: Annotated[Path, typer.Option(help="A new file to write, a SQLite store that only its owner can read.")],
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """Copy the whole store, which may be in use, to a file."""
    from firstmover.matches.backup import backup as write

    _answer_kept(as_json, f"Wrote {out}:", write(store, out))


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that firstmover match backup wrote.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace a store that holds matches; its newer events are lost.")
    ] = False,
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """Write a backup to a new store, and record in every match that it was restored."""
    from firstmover.matches.backup import restore as write
    from firstmover.matches.database import without_password

    _answer_kept(as_json, f"Restored to {without_password(store)}:", write(file, store, replace=replace))


def accept_restore(store: Store = STORE, as_json: AsJson = False) -> None:
    """Go on from a store that was put back by other means than restore; recorded in every match."""
    from firstmover.matches.backup import accept_restore as accept

    _answer_kept(as_json, "The matches go on from:", accept(store))


def _answer_kept(as_json: bool, heading: str, kept: "list[KeptMatch]") -> None:
    from dataclasses import asdict

    rows = [asdict(match) for match in kept]
    answer(as_json, {"matches": rows}, heading, table(rows) if rows else "no match")
