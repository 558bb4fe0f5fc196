"""A configuration proposed from a table of the past: roles of columns, the menu, types, responses and the reward."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from firstmover.core.errors import InvalidInput, counted
from firstmover.matches.column_kinds import Column, read_columns
from firstmover.matches.column_roles import Guess, guess_roles
from firstmover.matches.column_words import Role
from firstmover.matches.config_document import config_document
from firstmover.matches.csv_reader import Table, written_csv
from firstmover.matches.files import table_of
from firstmover.matches.name_checks import check_spelling
from firstmover.matches.proposed_menu import ProposedMenu, propose_menu
from firstmover.matches.proposed_reward import indicators, with_reward
from firstmover.matches.reward_sentence import Polynomial, Sentence, coefficient, evaluated
from firstmover.matches.row_selection import selected
from firstmover.matches.setup import Setting
from firstmover.matches.usable_rows import remarks, usable_rows
from firstmover.matches.wide_table import one_row_per_round

MOST_SHOWN = 8
"""Actions up to which all of a menu are named."""

FEW = 2
"""Different whole numbers up to which a number is a level, as in 0 and 1."""

HEADINGS: dict[Role, str] = {
    "action": "You decide",
    "before": "Known before you decide",
    "after": "Known afterwards",
    "response": "Observed",
    "when": "Order of rounds",
    "ignored": "Not used",
}


@dataclass(frozen=True)
class Question:
    """Something that a table cannot tell: what to ask, the option that answers it, and the proposed answer.

    `column` is the column that it is about, if any; for the option `worth`, it is the name of a level in the reward.
    """

    option: str
    text: str
    answer: str
    column: str | None = None


@dataclass(frozen=True)
class Proposal:
    r"""The roles of all columns with reasons, and the configuration that follows from them.

    Parameters
    ----------
    source
        Name of the table.
    guesses
        The role of each column, and its reason.
    menu
        The proposed actions.
    reward
        The worth of a round.
    reward_reason
        Why it was proposed.
    remarks
        Sentences about rows that are left out or may be wrong.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from firstmover.matches import propose_file
    >>> days = [(price, day) for price in (1, 2, 3) for day in ("fair", "rain", "fair", "rain")]
    >>> rows = "".join(f"{price},{day},{9 - price}\n" for price, day in days)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "stall.csv")
    ...     _ = file.write_text("price,weather,sold\n" + rows)
    ...     proposal, _ = propose_file(file, reward="price * sold")
    >>> {guess.column.name: guess.role for guess in proposal.guesses}
    {'price': 'action', 'weather': 'after', 'sold': 'response'}
    """

    source: str
    guesses: tuple[Guess, ...]
    menu: ProposedMenu
    reward: Sentence
    reward_reason: str
    remarks: tuple[str, ...] = ()

    def named(self, *roles: Role) -> list[Column]:
        """The columns that have one of these roles."""
        return [guess.column for guess in self.guesses if guess.role in roles]

    @property
    def order(self) -> list[int]:
        """The rows from the first round to the last: by the first column of moments, else as they are."""
        when = next((column.values for column in self.named("when") if None not in column.values), None)
        return sorted(range(len(self.menu.played)), key=lambda row: 0 if when is None else when[row])

    def config(self) -> dict[str, Any]:
        """Return the fields of a configuration, which has been checked."""
        table = dict(self.menu.columns)
        responses = self.named("response")
        reward: dict[str, Any] = {"value": self._worth("", self.reward.value, table), "responses": {}}
        for column in responses:
            given = self.reward.responses
            if column.kind == "text":
                names = indicators(column).items()
                worths = {level: self._worth(name, given.get(name, {}), table) for name, level in names}
                if len(set(map(str, worths.values()))) == 1:
                    raise _unknown_worth(column)
                reward["responses"][column.name] = worths
            else:
                reward["responses"][column.name] = self._worth(column.name, given[column.name], table)
        if not reward["value"]:
            del reward["value"]
        rows = [
            {self.menu.name: label, **{name: _rounded(values[i]) for name, values in table.items()}}
            for i, label in enumerate(self.menu.labels)
        ]
        actions = [column.name for column in self.named("action")]
        fields = {
            "title": f"{_listed([column.name for column in responses])} by {_listed(actions)}",
            "menu": {"label": self.menu.name, "features": list(self.menu.columns), "rows": rows},
            "reward": reward,
            "responses": [self._response(column) for column in responses],
            "types": [_type_spec(guess) for guess in self.guesses if guess.role in ("before", "after")],
        }
        Setting.of(fields)
        return fields

    def _worth(self, name: str, polynomial: Polynomial, table: dict[str, Any]) -> Any:
        """A worth as a configuration writes it; one that is no column of the menu is added to the table."""
        worth = coefficient(polynomial)
        if worth is None:
            worth = f"worth of {name}" if name else "fixed worth"
            table[worth] = evaluated(polynomial, self.menu.columns)
        return worth

    def _response(self, column: Column) -> dict[str, Any]:
        found: dict[str, Any] = {"name": column.name} | ({"unit": column.unit} if column.unit else {})
        if column.kind == "text":
            return found | {"levels": list(column.distinct)}
        if column.name in self.reward.logarithms:
            low, high = float(np.nanmin(column.numbers)), float(np.nanmax(column.numbers))
            reach = (high - low) / 2
            return found | {"lower": _rounded(low - reach), "upper": _rounded(high + reach), "log": True}
        return found | ({"lower": 0.0} if np.nanmin(column.numbers) >= 0 else {})

    @property
    def questions(self) -> list[Question]:
        """What the table cannot tell."""
        [first, *_] = self.named("response")
        worths = {name: coefficient(self.reward.responses.get(name, {})) for name in indicators(first)}
        if first.kind == "text" and all(isinstance(worth, float) for worth in worths.values()):
            found = [
                Question("worth", f"What is a round worth if {name}?", f"{worth:g}", name)
                for name, worth in worths.items()
            ]
        else:
            found = [Question("reward", "What is a round worth?", self.reward.text)]
        for guess in self.guesses if first.kind == "number" else ():
            if guess.reason == "nothing tells" and guess.role in ("before", "after"):
                text = f"Is {guess.column.name!r} known before you decide?"
                answer = "yes" if guess.role == "before" else "no"
                found.append(Question("context", text, answer, guess.column.name))
        return found

    def lines(self) -> list[str]:
        """The proposal in sentences."""
        found = []
        for role, heading in HEADINGS.items():
            alike: dict[str, list[str]] = {}
            for guess in self.guesses:
                if guess.role == role:
                    alike.setdefault(guess.reason, []).append(guess.column.name)
            groups = [f"{_listed(names)} ({reason})" for reason, names in alike.items()]
            found += [f"{heading}: {', '.join(groups)}."] if groups else []
        labels = self.menu.labels
        few = len(labels) <= MOST_SHOWN
        shown = ", ".join(labels if few else [*labels[:4], "…", labels[-1]])
        return [
            *found,
            f"Menu: {counted(len(labels), 'action')}: {shown}.",
            f"Reward: {self.reward.text} ({self.reward_reason}).",
            *self.remarks,
        ]

    def toml(self) -> str:
        """Return the configuration as a document with comments."""
        unused = [guess.column.name for guess in self.guesses if guess.role in ("ignored", "when")]
        return config_document(
            self.config(),
            source=self.source,
            unused=unused,
            reward=self.reward.text,
            reason=self.reward_reason,
            usual=self.menu.usual(self.order),
        )


def propose(
    table: Table,
    *,
    roles: Mapping[str, Role] | None = None,
    reward: str | None = None,
    grid_size: int | None = None,
    decimal: str | None = None,
) -> Proposal:
    """Return a proposal for the table; roles of columns, the reward and the size of a grid overrule guesses.

    Parameters
    ----------
    table
        The past, as rows of text.
    roles
        Roles of columns, by name.
    reward
        What a round is worth, such as "price * sold".
    grid_size
        Number of actions on a grid, instead of those of the table.
    decimal
        The decimal sign, a comma or a point; None: recognised.

    Returns
    -------
    Proposal
        The proposal; `config` gives the fields of a configuration.

    Raises
    ------
    InvalidInput
        If no decision or response is recognised, or a given role or reward does not fit the table.

    Examples
    --------
    >>> from firstmover.matches import propose
    >>> from firstmover.matches.column_kinds import Table
    >>> rows = [[str(price), str(9 - price)] for price in (1, 2, 3) for _ in range(5)]
    >>> table = Table("stall", ["price", "sold"], rows, places=[f"row {i}" for i in range(15)])
    >>> found = propose(table, roles={"price": "action"}, reward="price * sold")
    >>> found.menu.labels
    ['1', '2', '3']
    """
    guesses = guess_roles(read_columns(table, decimal), roles or {})
    check_spelling(table, guesses)
    decided = [guess.column for guess in guesses if guess.role == "action"]
    menu = propose_menu(decided, grid_size)
    if menu.name not in [column.name for column in decided] and any(n.casefold() == menu.name for n in table.names):
        menu = replace(menu, name=f"{menu.name} of the action")
    if len(menu.labels) < 2:
        names = ", ".join(column.name for column in decided)
        raise InvalidInput(f"{table.source} has only one value of {names}: there is nothing to choose between.")
    guesses, sentence, reason = with_reward(guesses, list(menu.columns), reward)
    return Proposal(table.source, tuple(guesses), menu, sentence, reason, tuple(remarks(table, guesses, menu)))


def propose_file(
    path: Path,
    *,
    roles: Mapping[str, Role] | None = None,
    reward: str | None = None,
    grid_size: int | None = None,
    decimal: str | None = None,
    where: Mapping[str, object] | None = None,
) -> tuple[Proposal, bytes | None]:
    r"""Return a proposal for the rows of a file `where` columns have given values.

    If a match could not import the file as it is, because it has further rows, several per round, or rows without a
    decision or an observation, a CSV file that it can import is returned too.

    Parameters
    ----------
    path
        A CSV or Parquet file.
    roles
        Roles of columns, by name.
    reward
        What a round is worth, such as "price * sold".
    grid_size
        Number of actions on a grid, instead of those of the table.
    decimal
        The decimal sign, a comma or a point; None: recognised.
    where
        Values of columns: only rows with these values are used.

    Returns
    -------
    tuple[Proposal, bytes | None]
        The proposal, and the CSV file or None.

    Raises
    ------
    InvalidInput
        If the file cannot be read; further as `propose`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from firstmover.matches import propose_file
    >>> rows = "".join(f"{price},{9 - price}\n" for price in (1, 2, 3) for _ in range(5))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "stall.csv")
    ...     _ = file.write_text("price,sold\n" + rows)
    ...     proposal, table = propose_file(file, reward="price * sold")
    >>> proposal.menu.labels, table
    (['1', '2', '3'], None)
    """
    return propose_table(table_of(path), roles=roles, reward=reward, grid_size=grid_size, decimal=decimal, where=where)


def propose_table(
    whole: Table,
    *,
    roles: Mapping[str, Role] | None = None,
    reward: str | None = None,
    grid_size: int | None = None,
    decimal: str | None = None,
    where: Mapping[str, object] | None = None,
) -> tuple[Proposal, bytes | None]:
    """Return a proposal for the rows of a table, as `propose_file` does."""
    table = selected(whole, where or {})
    known = {name: role for name, role in (roles or {}).items() if name in table.names}
    table = one_row_per_round(table, guess_roles(read_columns(table, decimal), known), known)
    proposal = propose(table, roles=roles, reward=reward, grid_size=grid_size, decimal=decimal)
    usable = usable_rows(table, proposal.guesses, proposal.menu)
    return proposal, None if usable is whole else written_csv(usable)


def _unknown_worth(column: Column) -> InvalidInput:
    example = " + ".join(f"{number} * ({name})" for number, name in enumerate(indicators(column)))
    return InvalidInput(
        f"reward gives the same worth to every value of {column.name!r}: state them with the option reward, as in "
        f"{example!r}."
    )


def _rounded(value: float) -> float:
    return float(f"{value:.10g}")


def _type_spec(guess: Guess) -> dict[str, Any]:
    column = guess.column
    spec: dict[str, Any] = {"name": column.name} | ({"unit": column.unit} if column.unit else {})
    if column.kind != "number":
        spec["levels"] = list(column.distinct)
    elif len(column.distinct) <= FEW and column.whole:
        spec["levels"] = {f"{value:g}": value for value in column.distinct}
    return spec | ({"known": "before"} if guess.role == "before" else {})


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 3 else f"{names[0]}, {names[1]}, …, {names[-1]}"
