"""firstmover begin."""

from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from firstmover.cli.matches.options import AsJson, answer

if TYPE_CHECKING:
    from firstmover.matches.column_roles import Role
    from firstmover.matches.proposal import Proposal

Columns = list[str] | None


def _columns(what: str) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(metavar="COLUMN", help=f"A column that {what}; repeat it.")
    return option


def begin(  # noqa: PLR0917 - one parameter per option
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A table of the past: CSV or Parquet.")],
    action: Annotated[Columns, _columns("you decide")] = None,
    context: Annotated[Columns, _columns("is known before you decide")] = None,
    after: Annotated[Columns, _columns("is known only afterwards")] = None,
    response: Annotated[Columns, _columns("is observed")] = None,
    ignore: Annotated[Columns, _columns("is not used")] = None,
    when: Annotated[str | None, typer.Option(metavar="COLUMN", help="The column of dates, weeks or rounds.")] = None,
    reward: Annotated[
        str | None, typer.Option(help="What a round is worth, such as 'price * sold - 0.4 * sold'.")
    ] = None,
    grid: Annotated[
        int | None, typer.Option(min=2, help="Number of actions on a grid, instead of those of the table.")
    ] = None,
    decimal: Annotated[str | None, typer.Option(help="The decimal sign of the file, a comma or a point.")] = None,
    out: Annotated[Path | None, typer.Option(help="The configuration to write; by default FILE with .toml.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Accept the proposal without questions.")] = False,
    as_json: AsJson = False,
) -> None:
    """Propose a match from a table of the past, and write its configuration.

    It recognises which columns are decisions, what is known before and after, and what is observed. Each guess is
    printed with its reason, and each can be overruled by an option. On a terminal it asks what a table cannot tell.
    """
    from sys import stdin

    from firstmover.core.errors import InvalidInput
    from firstmover.core.files import atomic_file
    from firstmover.matches.proposal import propose_file

    named: dict[Role, Sequence[str]] = {
        "action": action or (),
        "before": context or (),
        "after": after or (),
        "response": response or (),
        "ignored": ignore or (),
        "when": [when] if when else (),
    }
    roles: dict[str, Role] = {column: role for role, columns in named.items() for column in columns}
    path = out or Path(file.stem + ".toml")
    if path.exists():
        raise InvalidInput(f"{path} exists: name another file with --out, or delete it.")
    proposal, table = propose_file(file, roles=roles, reward=reward, grid_size=grid, decimal=decimal)
    if stdin.isatty() and not (yes or as_json):
        typer.echo("\n".join(proposal.lines()))
        roles, reward = _asked(proposal, roles, reward)
        proposal, table = propose_file(file, roles=roles, reward=reward, grid_size=grid, decimal=decimal)
    history = file
    if table is not None:
        history = path.with_name(f"{path.stem}-by-round.csv")
        if history.exists():
            raise InvalidInput(f"{history} exists: name another file with --out, or delete it.")
    text = proposal.toml()
    if table is not None:
        with atomic_file(history) as written:
            written.write(table)
    with atomic_file(path) as written:
        written.write(text.encode())
    name = quote(path.stem)
    answer(
        as_json,
        {"config": str(path), "history": str(history), "roles": {g.column.name: g.role for g in proposal.guesses}},
        *proposal.lines(),
        *([f"The table has several rows per round: it is in {history} with one each."] if table is not None else []),
        f"The configuration is in {path}: read it, and change what is wrong. Then:",
        f"  firstmover rehearse {quote(str(path))} --history {quote(str(history))}",
        f"  firstmover match new {name} --config {quote(str(path))}",
        f"  firstmover match import {name} {quote(str(history))}",
        f"  firstmover match ask {name}",
    )


def _asked(proposal: "Proposal", roles: "dict[str, Role]", reward: str | None) -> "tuple[dict[str, Role], str | None]":
    """Ask what the table cannot tell; an empty answer accepts the proposed one."""
    found = dict(roles)
    for question in proposal.questions:
        if question.option == "reward" and reward is not None:
            continue
        given = typer.prompt(question.text, default=question.answer).strip()
        if question.option == "reward":
            reward = given
        elif question.column is not None:
            found[question.column] = "before" if given.casefold().startswith("y") else "after"
    return found, reward
