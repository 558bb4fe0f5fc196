"""A configuration proposed from a table of the past: roles of columns, the menu, types, responses and the reward."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from firstmover.core.arrays import Vector
from firstmover.core.errors import InvalidInput, counted
from firstmover.matches.column_kinds import Column, read_columns
from firstmover.matches.column_roles import Guess, Role, guess_roles, words_of
from firstmover.matches.csv_reader import Table, written_csv
from firstmover.matches.files import table_of
from firstmover.matches.reward_sentence import Sentence, coefficient, evaluated, parse_reward
from firstmover.matches.setup import Setting
from firstmover.matches.wide_table import key_column, widened

MOST_DISTINCT = 30
"""Different values of one number up to which each is an action; of more, a grid is proposed."""

MOST_COMBINED = 60
"""Different rows of several numbers that are actions; of more, those that were played most often."""

MOST_NAMED = 3
"""Numbers of an action up to which they are its label."""

GRID = 20
"""Actions of a proposed grid, about."""

FEW = 2
"""Different whole numbers up to which a number is a level, as in 0 and 1."""

MONEY = {"revenue", "profit", "turnover", "umsatz", "gewinn", "earnings"}
UNWANTED = {
    *("congestion", "delay", "minutes", "queue", "incidents", "poached", "snares", "attacks", "complaints"),
}
"""Words in names of responses that are the reward, and of those that should be small."""

IDENTITY = 1e-3
"""Relative difference up to which a column is computed from others."""


@dataclass(frozen=True)
class Question:
    """Something that a table cannot tell: what to ask, the option that answers it, and the proposed answer.

    `column` is the column that it is about, if any.
    """

    option: str
    text: str
    answer: str
    column: str | None = None


@dataclass(frozen=True)
class Proposal:
    """The roles of all columns with reasons, and the configuration that follows from them."""

    source: str
    guesses: tuple[Guess, ...]
    reward: Sentence
    reward_reason: str
    grid: int | None

    def named(self, *roles: Role) -> list[Column]:
        """The columns that have one of these roles."""
        return [guess.column for guess in self.guesses if guess.role in roles]

    @cached_property
    def _actions(self) -> tuple[list[str], dict[str, Vector]]:
        """Labels of the menu, and its columns of numbers."""
        columns = self.named("action")
        named = next((column for column in columns if column.kind == "text"), None)
        numbers = [column for column in columns if column.kind == "number"]
        if named is not None:
            return _named_menu(named, numbers)
        rows = np.column_stack([column.numbers for column in numbers])
        rows = rows[~np.isnan(rows).any(axis=1)]
        if len(numbers) == 1 and (self.grid is not None or len(np.unique(rows)) > MOST_DISTINCT):
            rows = grid(rows[:, 0], self.grid or GRID)[:, None]
        distinct, counts = np.unique(rows, axis=0, return_counts=True)
        if len(numbers) > 1 and len(distinct) > MOST_COMBINED:
            distinct = distinct[np.sort(np.argsort(-counts, kind="stable")[:MOST_COMBINED])]
        digits = [_decimals(column) for column in distinct.T]
        labels = [" / ".join(f"{x:.{d}f}" for x, d in zip(row, digits, strict=True)) for row in distinct]
        if len(numbers) > MOST_NAMED:
            labels = [f"choice {number}" for number in range(1, len(distinct) + 1)]
        return labels, {column.name: distinct[:, i] for i, column in enumerate(numbers)}

    def config(self) -> dict[str, Any]:
        """Return the fields of a configuration, which has been checked."""
        labels, columns = self._actions
        named = next((column.name for column in self.named("action") if column.kind == "text"), "label")
        features, table = list(columns), dict(columns)
        reward: dict[str, Any] = {"responses": {}}
        for name, polynomial in {"": self.reward.value, **self.reward.responses}.items():
            worth = coefficient(polynomial)
            if worth is None:
                worth = f"worth of {name}" if name else "fixed worth"
                table[worth] = evaluated(polynomial, columns)
            if name:
                reward["responses"][name] = worth
            elif worth:
                reward["value"] = worth
        rows = [
            {named: label, **{name: _rounded(values[i]) for name, values in table.items()}}
            for i, label in enumerate(labels)
        ]
        fields = {
            "title": f"{', '.join(self.reward.responses)} by {', '.join(c.name for c in self.named('action')[:3])}",
            "menu": {"label": named, "features": features, "rows": rows},
            "reward": reward,
            "responses": [self._response(name) for name in self.reward.responses],
            "types": [_type_spec(guess) for guess in self.guesses if guess.role in ("before", "after")],
        }
        Setting.of(fields)
        return fields

    def _response(self, name: str) -> dict[str, Any]:
        column = next(column for column in self.named("response") if column.name == name)
        found: dict[str, Any] = {"name": name} | ({"unit": column.unit} if column.unit else {})
        if name in self.reward.logarithms:
            low, high = float(np.nanmin(column.numbers)), float(np.nanmax(column.numbers))
            reach = (high - low) / 2
            return found | {"lower": _rounded(low - reach), "upper": _rounded(high + reach), "log": True}
        return found | ({"lower": 0.0} if np.nanmin(column.numbers) >= 0 else {})

    @property
    def questions(self) -> list[Question]:
        """What the table cannot tell."""
        found = [Question("reward", "What is a round worth?", self.reward.text)]
        for guess in self.guesses:
            if guess.reason == "nothing tells" and guess.role in ("before", "after"):
                text = f"Is {guess.column.name!r} known before you decide?"
                answer = "yes" if guess.role == "before" else "no"
                found.append(Question("context", text, answer, guess.column.name))
        return found

    def lines(self) -> list[str]:
        """The proposal in sentences."""
        words = {
            "action": "You decide",
            "before": "Known before you decide",
            "after": "Known afterwards",
            "response": "Observed",
            "when": "Order of rounds",
            "ignored": "Not used",
        }
        found = []
        for role, heading in words.items():
            alike: dict[str, list[str]] = {}
            for guess in self.guesses:
                if guess.role == role:
                    alike.setdefault(guess.reason, []).append(guess.column.name)
            groups = [f"{_listed(names)} ({reason})" for reason, names in alike.items()]
            found += [f"{heading}: {', '.join(groups)}."] if groups else []
        labels = self._actions[0]
        shown = ", ".join(labels[:4]) + (f", …, {labels[-1]}" if len(labels) > 4 else "")
        return [
            *found,
            f"Menu: {counted(len(labels), 'action')}: {shown}.",
            f"Reward: {self.reward.text} ({self.reward_reason}).",
        ]

    def toml(self) -> str:
        """Return the configuration as a document with comments."""
        return _document(self.config(), self)


def propose(
    table: Table,
    *,
    roles: Mapping[str, Role] | None = None,
    reward: str | None = None,
    grid_size: int | None = None,
    decimal: str | None = None,
) -> Proposal:
    """Return a proposal for the table; roles of columns, the reward and the size of a grid overrule guesses."""
    columns = read_columns(table, decimal)
    guesses = guess_roles(columns, roles or {})
    for guess in guesses:
        if guess.role != "ignored" and any(sign in guess.column.name for sign in "=,\n\r"):
            raise InvalidInput(f"column {guess.column.name!r} has = or , in its name: give it another name.")
    guesses, sentence, reason = _with_reward(guesses, reward)
    proposal = Proposal(table.source, tuple(guesses), sentence, reason, grid_size)
    if len(proposal._actions[0]) < 2:
        names = ", ".join(column.name for column in proposal.named("action"))
        raise InvalidInput(f"{table.source} has only one value of {names}: there is nothing to choose between.")
    return proposal


def propose_file(
    path: Path,
    *,
    roles: Mapping[str, Role] | None = None,
    reward: str | None = None,
    grid_size: int | None = None,
    decimal: str | None = None,
) -> tuple[Proposal, bytes | None]:
    """Return a proposal for a file and, if that has several rows per round, a CSV file that has one."""
    table = table_of(path)
    columns = read_columns(table, decimal)
    known = {name: role for name, role in (roles or {}).items() if name in table.names}
    more: Any = {"roles": roles, "reward": reward, "grid_size": grid_size, "decimal": decimal}
    for guess in guess_roles(columns, known):
        key = key_column(columns, guess.column.name) if guess.role == "when" else None
        if key is not None and key not in known:
            wide = widened(table, columns, guess.column.name, key)
            return propose(wide, **more), written_csv(wide)
    return propose(table, **more), None


def grid(values: Vector, size: int) -> Vector:
    """Return about `size` evenly spaced values over the usual range, multiples of 1, 2 or 5 times a power of ten.

    >>> grid(np.linspace(7.93, 12.2, 100), 10).tolist()
    [8.0, 8.5, 9.0, 9.5, 10.0, 10.5, 11.0, 11.5, 12.0]
    """
    low, high = np.quantile(values, [0.02, 0.98])
    step = (high - low) / max(size - 1, 1)
    power = 10.0 ** np.floor(np.log10(step))
    step = min((factor * power for factor in (1, 2, 5, 10)), key=lambda each: abs(np.log(each / step)))
    return np.round(np.arange(np.round(low / step), np.round(high / step) + 1) * step, 10)


def _named_menu(named: Column, numbers: Sequence[Column]) -> tuple[list[str], dict[str, Vector]]:
    """Named actions with their properties; without any, each has an indicator of its own."""
    labels = [str(label) for label in named.distinct]
    if not numbers:
        return labels, {f"is {label}": np.eye(len(labels))[i] for i, label in enumerate(labels)}
    first = [list(named.values).index(label) for label in named.distinct]
    return labels, {column.name: column.numbers[first] for column in numbers}


def _decimals(values: Vector) -> int:
    """The digits after the point that distinguish all values, at most 6."""
    return next((d for d in range(6) if np.allclose(np.round(values, d), values, rtol=1e-12, atol=0.0)), 6)


def _rounded(value: float) -> float:
    return float(f"{value:.10g}")


def _type_spec(guess: Guess) -> dict[str, Any]:
    column = guess.column
    spec: dict[str, Any] = {"name": column.name} | ({"unit": column.unit} if column.unit else {})
    if column.kind != "number":
        spec["levels"] = list(column.distinct)
    elif len(column.distinct) <= FEW and all(value % 1 == 0 for value in column.distinct):
        spec["levels"] = {f"{value:g}": value for value in column.distinct}
    return spec | ({"known": "before"} if guess.role == "before" else {})


def _with_reward(guesses: list[Guess], text: str | None) -> tuple[list[Guess], Sentence, str]:
    """The guesses with the responses that the reward needs, the reward, and why."""
    actions = [g.column.name for g in guesses if g.role == "action" and g.column.kind == "number"]
    responses = [guess.column.name for guess in guesses if guess.role == "response"]
    if text is not None:
        sentence, reason = parse_reward(text, actions, responses), "as stated"
    else:
        text, reason = _usual_reward(guesses, actions, responses)
        sentence = parse_reward(text, actions, responses)
    unused = [name for name in responses if name not in sentence.responses]
    changed = [Guess(g.column, "ignored", "not in the reward") if g.column.name in unused else g for g in guesses]
    return changed, sentence, reason


def _usual_reward(guesses: list[Guess], actions: list[str], responses: list[str]) -> tuple[str, str]:
    columns = {guess.column.name: guess.column for guess in guesses}
    prices = [
        name for name in actions if words_of(name) & {"price", "preis", "prix", "precio", "prezzo", "prijs", "fare"}
    ]
    for total in responses:
        for sold in responses:
            for price in prices if total != sold else ():
                cost = _cost(*(columns[name].numbers for name in (total, price, sold)))
                if cost is not None:
                    minus = f" − {cost:g} × {sold}" if cost else ""
                    return f"{total} = {price} × {sold}{minus}", f"so it is in the column {total}"
    amounts = [name for name in responses if not words_of(name) & MONEY] or responses
    written = {name: f"exp({name})" if name.casefold().startswith("log") else name for name in amounts}
    pairs = [(price, name) for price in prices for name in amounts if _number(price) == _number(name)]
    if len(prices) == 1 and not words_of(amounts[0]) & MONEY:
        return f"{prices[0]} × {written[amounts[0]]}", "a guess: is there a cost?"
    if prices and len(pairs) == len(prices):
        return " + ".join(f"{price} × {written[name]}" for price, name in pairs), "a guess: is there a cost?"
    if words_of(amounts[0]) & UNWANTED:
        return f"−{written[amounts[0]]}", "a guess: the less the better"
    return written[amounts[0]], "a guess: the more the better"


def _number(name: str) -> str:
    """The number that a name ends with."""
    found = re.search(r"(\d+)$", name)
    return found[1] if found else ""


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 3 else f"{names[0]}, {names[1]}, …, {names[-1]}"


def _cost(total: Vector, price: Vector, sold: Vector) -> float | None:
    """c if total = (price − c) · sold in every row, None otherwise."""
    kept = ~np.isnan(total + price + sold) & (sold != 0)
    if kept.sum() < 3:
        return None
    costs = price[kept] - total[kept] / sold[kept]
    cost = float(np.median(costs))
    scale = float(np.median(np.abs(total[kept])))
    off = np.abs((price[kept] - cost) * sold[kept] - total[kept])
    return (
        _rounded(round(cost, 6)) + 0.0
        if scale and off.max() <= IDENTITY * max(scale, np.abs(total[kept]).max())
        else None
    )


def _document(fields: Mapping[str, Any], proposal: Proposal) -> str:
    """A TOML document with a comment for each part."""
    menu, reward = fields["menu"], fields["reward"]
    ignored = [guess.column.name for guess in proposal.guesses if guess.role in ("ignored", "when")]
    rows = "\n".join(f"    {_value(row)}," for row in menu["rows"])
    parts = [
        f"# Proposed from {proposal.source}. Not used: {', '.join(ignored) or 'nothing'}.",
        f"title = {_value(fields['title'])}",
        "",
        "# What you decide. Only the features are compared by the learner; further columns may be used in the reward.",
        f"[menu]\nlabel = {_value(menu['label'])}\nfeatures = {_value(menu['features'])}\nrows = [\n{rows}\n]",
        "",
        f"# What a round is worth: {proposal.reward.text}",
        "[reward]",
        *(f"{name} = {_value(value)}" for name, value in reward.items()),
    ]
    if not fields["types"]:
        parts[2:2] = ["", "# No type of the opponent is told.", "types = []"]
    for name, heading in (
        ("responses", "What you observe after each round."),
        ("types", "Who or what you play against."),
    ):
        for entry in fields[name]:
            when = ", known before you decide" if entry.get("known") else ""
            parts += ["", f"# {heading[:-1]}{when}.", f"[[{name}]]", *(f"{k} = {_value(v)}" for k, v in entry.items())]
    return "\n".join(parts) + "\n"


def _value(value: Any) -> str:
    """A value in TOML."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(str(name))} = {_value(each)}" for name, each in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _key(name: str) -> str:
    """A key in TOML, in quotation marks unless it is a plain word."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _value(name)
