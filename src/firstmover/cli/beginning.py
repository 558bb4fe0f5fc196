"""firstmover begin."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Protocol

import typer

from firstmover.cli.matches.options import AsJson, answer, context_options, named_values

if TYPE_CHECKING:
    from firstmover.matches.column_words import Role
    from firstmover.matches.proposal import Proposal, Question
    from firstmover.matches.row_selection import SeveralSeries

Columns = list[str] | None

MOST_PROMPTED = 60
"""Characters of a proposed reward that a question repeats."""


def _columns(what: str) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(metavar="COLUMN", help=f"A column that {what}; repeat it.")
    return option


class _Propose(Protocol):
    """A proposal for the file, given the answers so far, and the table to import if that is another one."""

    def __call__(
        self, *, roles: "Mapping[str, Role]", reward: str | None, where: Mapping[str, object]
    ) -> "tuple[Proposal, bytes | None]": ...


def begin(  # noqa: PLR0917 - one parameter per option
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A table of the past: CSV or Parquet.")],
    action: Annotated[Columns, _columns("you decide")] = None,
    context: Annotated[Columns, _columns("is known before you decide")] = None,
    after: Annotated[Columns, _columns("is known only afterwards")] = None,
    response: Annotated[Columns, _columns("is observed")] = None,
    ignore: Annotated[Columns, _columns("is not used")] = None,
    when: Annotated[str | None, typer.Option(metavar="COLUMN", help="The column of dates, weeks or rounds.")] = None,
    where: Annotated[
        Columns, typer.Option(metavar="COLUMN=VALUE", help="Only rows with this value, such as store=2; repeat it.")
    ] = None,
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
    chosen = named_values("where", where)
    if not isinstance(chosen, dict):
        raise InvalidInput(f"--where is {chosen!r}: give a column and a value, as in store=2.")
    path = out or Path(file.stem + ".toml")
    history = path.with_name(f"{path.stem}-by-round.csv")
    for each in (path, history):
        if each.exists():
            raise InvalidInput(f"{each} exists: name another file with --out, or delete it.")
    propose: _Propose = partial(propose_file, file, grid_size=grid, decimal=decimal)
    asking = stdin.isatty() and not (yes or as_json)
    try:
        proposal, table = (partial(_asked, propose) if asking else propose)(roles=roles, reward=reward, where=chosen)
    except typer.Abort:
        typer.echo("\nStopped: nothing was written.", err=True)
        raise typer.Exit(1) from None
    text = proposal.toml()
    if table is not None:
        with atomic_file(history) as written:
            written.write(table)
    with atomic_file(path) as written:
        written.write(text.encode())
    history = file if table is None else history
    name, sign = quote(path.stem), f" --decimal {quote(decimal)}" if decimal else ""
    moments = proposal.named("when")
    dated = f" --column {quote(f'when={moments[0].name}')}" if moments and table is None else ""
    rehearsal = f"  firstmover rehearse {quote(str(path))} --history {quote(str(history))}{sign}"
    answer(
        as_json,
        {"config": str(path), "history": str(history), "roles": {g.column.name: g.role for g in proposal.guesses}},
        *(() if asking else proposal.lines()),
        *([f"The rows that a match can import, one per round, are in {history}."] if table is not None else []),
        f"The configuration is in {path}: read it, and change what is wrong. Then:",
        *([rehearsal] if all(column.kind == "number" for column in proposal.named("response")) else []),
        f"  firstmover match new {name} --config {quote(str(path))}",
        f"  firstmover match import {name} {quote(str(history))}{dated}{sign}",
        f"  firstmover match ask {name}{context_options([column.name for column in proposal.named('before')])}",
    )


def _asked(
    propose: _Propose, *, roles: "Mapping[str, Role]", reward: str | None, where: Mapping[str, object]
) -> "tuple[Proposal, bytes | None]":
    """Ask what the table cannot tell; an empty answer accepts the proposed one, and a wrong one is asked for again."""
    from firstmover.core.errors import InvalidInput
    from firstmover.matches.row_selection import SeveralSeries

    roles, where = dict(roles), dict(where)
    while True:
        try:
            proposal = propose(roles=roles, reward=reward, where=where)[0]
            break
        except SeveralSeries as several:
            where[several.column] = _series_asked(several)
    typer.echo("\n".join(proposal.lines()))
    for question in proposal.questions:
        if question.option == "context" and question.column is not None:
            before = typer.confirm(question.text, default=question.answer == "yes")
            roles[question.column] = "before" if before else "after"
    while reward is None:
        given = _reward_asked(proposal.questions)
        accepted = given == proposal.reward.text
        try:
            found = propose(roles=roles, reward=None if accepted else given, where=where)
            found[0].config()
        except InvalidInput as error:
            typer.echo(str(error))
        else:
            return found
    return propose(roles=roles, reward=reward, where=where)


def _series_asked(several: "SeveralSeries") -> str:
    """The value of the series that the match is about."""
    from firstmover.matches.row_selection import listed

    typer.echo(f"The table has rows of {len(several.values)} series, one for each {several.column}.")
    while True:
        given = str(typer.prompt(f"Which {several.column}? ({listed(several.values)})")).strip()
        if given in several.values:
            return given
        typer.echo(f"It has no {several.column} {given!r}.")


def _reward_asked(questions: "Sequence[Question]") -> str:
    """The reward as a formula, or as the worth of each level."""
    worths = []
    for question in questions:
        if question.option == "reward":
            short = question.answer if len(question.answer) <= MOST_PROMPTED else "as above"
            text = f"{question.text} [{short}]"
            return str(typer.prompt(text, default=question.answer, show_default=False)).strip()
        if question.option == "worth":
            number = typer.prompt(question.text, default=question.answer, type=float)
            worths.append(f"{number:g} * ({question.column})")
    return " + ".join(worths).replace("+ -", "- ")
