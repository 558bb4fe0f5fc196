"""firstmover match template, new and import."""

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from firstmover.cli.matches.options import STORE, AsJson, Name, Store, answer, store_option


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
        types = "the opponent sees the mixture" if setting.commits else f"types by {', '.join(setting.types.names)}"
        answer(
            as_json,
            {"name": name, "store": place, "actions": len(labels), "config": setting.mark},
            f"Match {name!r} is in {place}: {counted(len(labels), 'action')}; "
            f"{types}; responses {', '.join(setting.responses.names)}.",
            f"Ask for the first action with: firstmover match ask {quote(name)}{store_option(store)}",
        )


def import_rows(
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV, JSON or Parquet: action, types, responses.")],
    again: Annotated[
        bool, typer.Option("--again", help="Import rows again that were imported before, as new observations.")
    ] = False,
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """Import past observations: they condition the belief and leave the strategy unchanged."""
    from firstmover.core.errors import counted
    from firstmover.matches import Match
    from firstmover.matches.files import history_rows

    with Match.open(store, name) as opened:
        rows = opened.import_history(history_rows(file, opened.setting), source=file.name, again=again)
        words = f"{counted(rows, 'row')} imported into the belief; the strategy is unchanged."
        answer(as_json, {"imported": rows}, words if rows else "These rows were imported before: nothing changed.")
