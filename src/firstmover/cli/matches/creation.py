"""firstmover match template, new and import."""

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, cast

import typer

from firstmover.cli.matches.options import (
    EXAMPLES,
    STORE,
    AsJson,
    Columns,
    Decimal,
    Name,
    Store,
    answer,
    context_options,
    named_values,
    store_option,
)

if TYPE_CHECKING:
    from firstmover.matches import Match
    from firstmover.matches.table_reader import Reading


def template(
    name: Annotated[
        str, typer.Argument(metavar="TEMPLATE", help="routing, sioux-falls, patrol, pricing or inspections.")
    ],
) -> None:
    """Print a commented, valid configuration."""
    from firstmover.matches.template import template as text_of

    typer.echo(text_of(name), nl=False)


def new(
    name: Name,
    config: Annotated[
        Path, typer.Option(help="The configuration, a TOML or JSON file; see firstmover match template.")
    ],
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """Create a match; its configuration and menu are copied into the store."""
    from firstmover.core.errors import counted
    from firstmover.matches import Match
    from firstmover.matches.database import without_password

    with Match.create(store, name, config) as created:
        setting, place = created.setting, without_password(store)
        labels = setting.menu.labels
        named = f"types by {', '.join(setting.types.names)}" if setting.types.names else "all opponents are alike"
        types = "the opponent sees the mixture" if setting.commits else named
        known = context_options(setting.context.names)
        answer(
            as_json,
            {"name": name, "store": place, "actions": len(labels), "config": setting.mark},
            f"Match {name!r} is in {place}: {counted(len(labels), 'action')}; "
            f"{types}; responses {', '.join(setting.responses.names)}.",
            f"Ask for the first action with: firstmover match ask {quote(name)}{known}{store_option(store)}",
        )


def import_rows(  # noqa: PLR0917 - one parameter per option
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV, JSON or Parquet; or an export.")],
    again: Annotated[
        bool,
        typer.Option(
            "--again",
            help="Import rows that are on record too, as new observations; a file of the same name only once.",
        ),
    ] = False,
    column: Columns = None,
    columns: Annotated[
        Path | None, typer.Option(help="TOML file with a table columns of such values, and perhaps decimal.")
    ] = None,
    decimal: Decimal = None,
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """Import past observations: they condition the belief; the weights of actions count rounds only."""
    from dataclasses import asdict
    from sys import stdin

    from firstmover.core.documents import fields_of
    from firstmover.matches import Match
    from firstmover.matches.table_reader import Reading

    stated = Reading.of(named_columns(column), decimal)
    if columns is not None:
        stated = stated.over(Reading.read(fields_of(columns, "Columns")))
    with Match.open(store, name) as opened:
        if stdin.isatty() and str(file) != "-":
            stated = _asked(opened, file, stated)
        done = opened.import_history(file, again=again, columns=stated.columns, decimal=stated.decimal)
    answer(as_json, {"imported": done.new, **asdict(done)}, *done.lines())


def named_columns(entries: list[str] | None) -> dict[str, str]:
    """Return the columns by the values that they hold."""
    from firstmover.core.errors import InvalidInput

    named = named_values("column", entries)
    if isinstance(named, str):
        raise InvalidInput(f"--column is {named!r}: give a value and its column, as in {EXAMPLES['column']}.")
    return cast("dict[str, str]", named)


def _asked(opened: "Match", file: Path, reading: "Reading") -> "Reading":
    """Ask for the columns of values that a table has not under their names."""
    from sys import stdin

    from firstmover.matches.files import table_of
    from firstmover.matches.table_reader import Reading, find_columns, missing_columns

    if file.suffix.lower() == ".json":
        return reading
    table, saved = table_of(file), Reading.read(opened.state().reading)
    missing = missing_columns(find_columns(table, opened.setting, reading.named(opened.setting), saved), opened.setting)
    if missing:
        typer.echo(f"The columns are {', '.join(table.names)}.", err=True)
    for name in missing:
        typer.echo(f"Which of them is {name}? ", nl=False, err=True)
        reading = Reading(columns={name: stdin.readline().strip()}).over(reading)
    return reading
