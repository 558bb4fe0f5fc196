"""Common options of the match commands, and their output."""

import json
from collections.abc import Mapping, Sequence
from os import environ
from shlex import quote
from typing import Annotated, Any

import typer

STORE = "matches.db"
EXAMPLES = {
    "type": "demand=high",
    "context": "weekday=mon",
    "response": "congestion=3.2",
    "column": "action=Preis",
    "action": "label=6,price=6.0",
    "where": "store=2",
}

NeededRound = Annotated[str, typer.Option("--round", help="The round's name.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the match.")]
Store = Annotated[
    str, typer.Option(envvar="FIRSTMOVER_STORE", help="SQLite file or postgresql:// URL.", show_default=STORE)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def _by_name(flag: str, words: str) -> Any:
    return typer.Option(flag, metavar="NAME=VALUE", help=f"{words}; repeat for each name.", show_default=False)


Types = Annotated[list[str] | None, _by_name("--type", "The observed type, such as demand=high")]
Context = Annotated[list[str] | None, _by_name("--context", "What is known before the action, such as weekday=mon")]
Allowed = Annotated[
    list[str] | None,
    typer.Option(metavar="ACTION", help="An action that is allowed, no other is; repeat it.", show_default=False),
]
Without = Annotated[
    list[str] | None,
    typer.Option(metavar="ACTION", help="An action that is not allowed; repeat it.", show_default=False),
]
Responses = Annotated[list[str] | None, _by_name("--response", "The observed response, such as congestion=3.2")]
Reason = Annotated[str, typer.Option(help="The reason, which is recorded.")]
MaybeReason = Annotated[str | None, typer.Option("--reason", help="The reason, which is recorded.", show_default=False)]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        help="Value and the column that holds it, such as action=Preis; repeat it.",
        metavar="VALUE=COLUMN",
    ),
]
Decimal = Annotated[str | None, typer.Option(help="The decimal sign of the file, a comma or a point.")]
Played = Annotated[
    str | None,
    typer.Option(metavar="ACTION", help="The action that was played instead of the advised one.", show_default=False),
]


def answer(as_json: bool, content: Mapping[str, Any], *lines: str) -> None:
    """Print the content for programs, or the lines for people."""
    typer.echo(json.dumps(content) if as_json else "\n".join(lines))


def store_option(store: str) -> str:
    """The option that a suggested command needs to find the store; empty for the default store."""
    from firstmover.matches.database import without_password

    default = environ.get("FIRSTMOVER_STORE", STORE)
    return "" if store == default else f" --store {quote(without_password(store))}"


def context_options(names: Sequence[str]) -> str:
    """The options that a suggested ask needs for what is known before the action.

    >>> context_options(["weekday"]), context_options([])
    (' --context weekday=…', '')
    """
    return "".join(f" --context {quote(name)}=…" for name in names)


def table(rows: Sequence[Mapping[str, object]]) -> str:
    """Rows as a plain table with aligned columns; empty columns are left out.

    >>> print(table([{"round": "1", "delay": 0}, {"round": "2", "delay": 12}]))
    round  delay
    1      0
    2      12
    """
    names = [n for n in dict.fromkeys(n for row in rows for n in row) if any(cell(r.get(n)) for r in rows)]
    cells = [names, *[[cell(row.get(name)) for name in names] for row in rows]]
    widths = [max(len(line[i]) for line in cells) for i in range(len(names))]
    padded = [[text.ljust(width) for text, width in zip(line, widths, strict=True)] for line in cells]
    return "\n".join("  ".join(line).rstrip() for line in padded)


def cell(value: object) -> str:
    """A value in a table; a line break or an escape sequence is written out."""
    if value is None:
        return ""
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if text.isprintable() else repr(text)[1:-1]


def named_values(kind: str, entries: list[str] | None) -> object:
    """Values by name from entries such as `demand=high`; a single entry without a name is the value itself."""
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
