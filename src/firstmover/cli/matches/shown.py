"""What the commands of a match have in common: their options, and how they answer."""

import json
from collections.abc import Mapping, Sequence
from os import environ
from shlex import quote
from typing import Annotated, Any

import typer

Name = Annotated[str, typer.Argument(metavar="NAME", help="The match's name in its store.")]
Store = Annotated[
    str,
    typer.Option(envvar="FIRSTMOVER_STORE", help="A file for SQLite, or postgresql://…", show_default="matches.db"),
]
AsJson = Annotated[bool, typer.Option("--json", help="Answer with JSON, for programs.")]


def _by_name(flag: str, words: str) -> Any:
    return typer.Option(flag, metavar="NAME=VALUE", help=f"{words}; once for each name.", show_default=False)


Types = Annotated[list[str] | None, _by_name("--type", "What is known of the opponent, as demand=high")]
Responses = Annotated[list[str] | None, _by_name("--response", "What was measured, as congestion=3.2")]
Reason = Annotated[str, typer.Option(help="Why, in a few words; it stays on record.")]

STORE = "matches.db"
EXAMPLES = {"type": "demand=high", "response": "congestion=3.2"}


def answer(as_json: bool, content: Mapping[str, Any], *lines: str) -> None:
    """Print the content for programs, or the lines for people."""
    typer.echo(json.dumps(content) if as_json else "\n".join(lines))


def store_option(store: str) -> str:
    """What a command that is suggested must say of the store: nothing, if it would find it by itself."""
    from firstmover.matches.database import without_password

    known = environ.get("FIRSTMOVER_STORE", STORE)
    return "" if store == known else f" --store {quote(without_password(store))}"


def table(rows: Sequence[Mapping[str, object]]) -> str:
    """Rows as a plain table, columns aligned; a column that no row fills is left out.

    >>> print(table([{"round": "1", "delay": 0}, {"round": "2", "delay": 12}]))
    round  delay
    1      0
    2      12
    """
    names = [n for n in dict.fromkeys(n for row in rows for n in row) if any(_cell(r.get(n)) for r in rows)]
    cells = [names, *[[_cell(row.get(name)) for name in names] for row in rows]]
    widths = [max(len(line[i]) for line in cells) for i in range(len(names))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells
    )


def in_short(features: Mapping[str, float], most: int) -> str:
    """Those features of an action that are not 0, in a line.

    >>> print(in_short({"cell 1,1": 0.25, "cell 1,2": 0.0, "cell 1,3": 0.5, "cell 1,4": 1.0}, most=2))
    With cell 1,1 = 0.25; cell 1,3 = 0.5; and 1 more that is not 0: --json shows all.
    """
    entries = [f"{name} = {_cell(value)}" for name, value in features.items() if value]
    left = len(entries) - most
    rest = f"; and {left} more that {'is' if left == 1 else 'are'} not 0: --json shows all." if left > 0 else "."
    return f"With {'; '.join(entries[:most])}{rest}" if entries else f"All its {len(features)} features are 0."


def _cell(value: object) -> str:
    if value is None:
        return ""
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if text.isprintable() else repr(text)[1:-1]  # a line break or an escape would spoil the table


def named_values(kind: str, entries: list[str] | None) -> object:
    """`demand=high` and the like as values by name; a single entry without a name is the value itself."""
    from firstmover.core.errors import InvalidInput

    given = entries or []
    if len(given) == 1 and "=" not in given[0]:
        return given[0]
    values: dict[str, str] = {}
    for entry in given:
        name, equals, value = entry.partition("=")
        if not equals:
            raise InvalidInput(f"--{kind} is {entry!r}: give a name and a value, as in {EXAMPLES[kind]}.")
        if name.strip() in values:
            raise InvalidInput(f"--{kind} gives {name.strip()!r} twice: give it once.")
        values[name.strip()] = value.strip()
    return values
