"""firstmover match list, rename, archive, unarchive and delete."""

from pathlib import Path
from typing import Annotated

import typer

from firstmover.cli.matches.options import STORE, AsJson, Name, Store, answer, table


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
