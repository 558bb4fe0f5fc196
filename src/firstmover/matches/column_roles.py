"""Which column of a table is what: a guess for each, with the reason, that a person can overrule."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from firstmover.core.errors import InvalidInput, shown, unknown_name
from firstmover.matches.column_kinds import Column, value_text
from firstmover.matches.column_words import CALENDAR, COSTS, LIKELY, MARGINS, PRICES, PRODUCTS, WORDS, Role, words_of

FEWEST, MOVING = 12, 0.7
"""Rows, and the correlation from which on a number is said to move with another one."""

MOST_LEVELS = 12
"""Different texts up to which a column is a property of a round, and not a remark or a key."""


@dataclass(frozen=True)
class Guess:
    """The role of a column, and why."""

    column: Column
    role: Role
    reason: str


def guess_roles(columns: Sequence[Column], given: Mapping[str, Role]) -> list[Guess]:
    """Return the role of each column, those that were `given` as they are."""
    names = [column.name for column in columns]
    for name in given:
        if name not in names:
            raise unknown_name("column", name, names)
    found = {column.name: _first_guess(column, given) for column in columns}
    _one_of_many_prices(columns, found, given)
    _costs(found, given)
    _one_kind_of_response(found, given)
    _needed(columns, found, "response")
    _needed(columns, found, "action")
    _properties_of_actions(columns, found, given)
    _context_beside_names(found, given)
    _outcomes(found)
    return [found[name] for name in names]


def _first_guess(column: Column, given: Mapping[str, Role]) -> Guess:
    """The role by name and values alone; "after" where nothing tells."""
    if column.name in given:
        return Guess(column, given[column.name], "as stated")
    if column.constant:
        only = f"always {value_text(column.distinct[0])}" if column.distinct else "empty"
        return Guess(column, "ignored", only)
    return _guess_by_name(column) or _guess_by_values(column) or Guess(column, "after", "nothing tells")


def _guess_by_name(column: Column) -> Guess | None:
    """The first role that a word of the name tells and the values allow; parts of dates are known before."""
    words = words_of(re.sub(r"\bper \w+", "", column.name))  # a tariff per hour is no time
    repeated = 2 * len(column.distinct) <= len(column.values)
    roles: tuple[Role, ...] = ("ignored", "before", "when", "response", "action", "after")
    for role in roles[1:] if words & set(WORDS["action"]) and repeated else roles:  # plan_id names a plan
        hit = sorted(words & set(WORDS[role]))
        if hit and _fits(column, role):
            return Guess(column, role, f"its name has {hit[0]!r}")
        if hit and role == "when" and _fits(column, "before"):
            return Guess(column, "before", f"its name has {hit[0]!r}")
    return None


def _guess_by_values(column: Column) -> Guess | None:
    """The role of dates, running numbers, days of the week and remarks."""
    if column.kind == "date" or _counts_up(column):
        return Guess(column, "when", "dates" if column.kind == "date" else "it counts up")
    if column.kind == "text" and {value.casefold() for value in column.distinct} <= CALENDAR:
        return Guess(column, "before", "days of the week")
    if column.kind == "text" and (2 * len(column.distinct) > len(column.values) or not _fits(column, "after")):
        return Guess(column, "ignored", f"{len(column.distinct)} different texts")
    return None


def _fits(column: Column, role: Role) -> bool:
    """Whether the values of a column can have a role."""
    if role == "when":
        return column.kind == "date" or (column.whole and (_never_falls(column) or len(column.distinct) > MOST_LEVELS))
    if role in ("response", "before", "after"):
        return column.kind == "number" or (column.kind == "text" and len(column.distinct) <= MOST_LEVELS)
    return column.kind in ("number", "text") or role == "ignored"


def _never_falls(column: Column) -> bool:
    """Whether a column has whole numbers that never fall from row to row."""
    return column.whole and None not in column.values and bool((np.diff(column.numbers) >= 0).all())


def _counts_up(column: Column) -> bool:
    """Whether values never fall from row to row, and differ often: weeks, or running numbers."""
    return _never_falls(column) and bool((np.diff(column.numbers) > 0).mean() > 0.5)


def _one_of_many_prices(columns: Sequence[Column], found: dict[str, Guess], given: Mapping[str, Role]) -> None:
    """Of columns price1, price2, … the one whose number a constant column has is the action; the others are known."""
    stems: dict[str, dict[str, str]] = {}
    for name, guess in found.items():
        numbered = re.fullmatch(r"(.*?)[ _]?(\d+)", name)
        if guess.role == "action" and numbered is not None and name not in given:
            stems.setdefault(numbered[1], {})[numbered[2]] = name
    constants = {
        f"{c.distinct[0]:g}": c.name
        for c in columns
        if len(c.distinct) == 1 and c.kind == "number" and words_of(c.name) & PRODUCTS
    }
    for numbered_names in stems.values():
        own = [number for number in numbered_names if number in constants]
        if len(numbered_names) < 2 or len(own) != 1:
            continue
        for number, name in numbered_names.items():
            column = found[name].column
            if number in own:
                found[name] = Guess(column, "action", f"{constants[number]} is always {number}")
            else:
                found[name] = Guess(column, "before", f"the price of another {constants[own[0]]}")


def _costs(found: dict[str, Guess], given: Mapping[str, Role]) -> None:
    """Costs and margins beside a price are numbers for the reward, not what is decided or known."""
    prices = [name for name, guess in found.items() if guess.role == "action" and words_of(name) & PRICES]
    if all(words_of(name) & COSTS for name in prices):
        return
    for name, guess in found.items():
        open_role = guess.role in ("action", "response") or guess.reason == "nothing tells"
        if open_role and name not in given and guess.column.kind == "number" and words_of(name) & (COSTS | MARGINS):
            found[name] = Guess(guess.column, "ignored", "a cost or margin, which may be in the reward")


def _one_kind_of_response(found: dict[str, Guess], given: Mapping[str, Role]) -> None:
    """Of names and numbers that were observed, keep the numbers: names must be the only response."""
    responses = [name for name, guess in found.items() if guess.role == "response"]
    texts = [name for name in responses if found[name].column.kind == "text" and name not in given]
    for name in texts if len(texts) < len(responses) else texts[1:]:
        found[name] = Guess(found[name].column, "ignored", "another column is observed")


def _context_beside_names(found: dict[str, Guess], given: Mapping[str, Role]) -> None:
    """Where the response has names for values, a match takes no context: what is known before is told afterwards."""
    names = [guess.column.name for guess in found.values() if guess.role == "response" and guess.column.kind == "text"]
    for name, guess in found.items():
        if names and guess.role == "before" and given.get(name) == "before":
            raise InvalidInput(
                f"column {name!r} is known before the decision, which a match cannot use if the response, "
                f"{names[0]!r}, has names for values: give it with the option after or ignore."
            )
        if names and guess.role == "before":
            found[name] = Guess(guess.column, "after", f"known before, but told afterwards, as {names[0]} has names")


def _outcomes(found: dict[str, Guess]) -> None:
    """Leave out numbers that nothing tells of and that move with a decision: they may be outcomes of it."""
    decided = [g.column for g in found.values() if g.role == "action" and g.column.kind == "number"]
    for name, guess in found.items():
        if guess.role != "after" or guess.reason != "nothing tells" or guess.column.kind != "number":
            continue
        for action in decided:
            both = np.stack([action.numbers, guess.column.numbers])
            both = both[:, ~np.isnan(both).any(axis=0)]
            moves = both.shape[1] >= FEWEST and bool(np.ptp(both, axis=1).all())
            if moves and abs(float(np.asarray(np.corrcoef(both))[0, 1])) > MOVING:
                found[name] = Guess(guess.column, "ignored", f"it moves with {action.name}: perhaps an outcome")


def _needed(columns: Sequence[Column], found: dict[str, Guess], role: Role) -> None:
    """If no column has a role that a table must have, give it to the likeliest one that nothing tells of."""
    if any(guess.role == role for guess in found.values()):
        return
    free = [c for c in columns if found[c.name].reason == "nothing tells" and _fits(c, role)]
    if role == "response":
        chosen, reason = [column for column in free if column.kind == "number"][-1:], "the last column of numbers"
    else:
        repeated = [c for c in free if len(c.distinct) <= max(2, len(c.values) // 2)] or free
        likely = [c for c in repeated if words_of(c.name) & LIKELY]
        chosen, reason = repeated[:1], "its values repeat"
        if likely:
            chosen, reason = likely, f"its name has {min(words_of(likely[0].name) & LIKELY)!r}"
    if not chosen:
        raise _no_column(columns, found, role)
    found[chosen[0].name] = Guess(chosen[0], role, reason)


def _no_column(columns: Sequence[Column], found: Mapping[str, Guess], role: Role) -> InvalidInput:
    """The error for a table without decisions or observations: a column that is named so, and why it is none."""
    named = [c for c in columns if words_of(c.name) & set(WORDS[role]) and found[c.name].role in ("ignored", role)]
    what = "was observed after each decision" if role == "response" else "you decide"
    for column in named:
        if len(column.distinct) == 1:
            value = value_text(column.distinct[0])
            return InvalidInput(
                f"column {column.name!r} is always {value}, so that nothing can be learnt from it: give rows in which "
                f"it differs, or name another column that {what} with the option {role}."
            )
        if column.kind == "text":
            return InvalidInput(
                f"column {column.name!r} has {len(column.distinct)} different texts, such as "
                f"{shown(column.distinct[0])}: write numbers alone there."
            )
    free = [c.name for c in columns if found[c.name].role in ("before", "after")] or [columns[-1].name]
    return InvalidInput(f"no column tells what {what}: name it with the option {role}, as in {role} = {free[-1]!r}.")


def _properties_of_actions(columns: Sequence[Column], found: dict[str, Guess], given: Mapping[str, Role]) -> None:
    """Numbers that are the same whenever a named action is the same are properties of the actions."""
    named = [guess.column for guess in found.values() if guess.role == "action" and guess.column.kind == "text"]
    if len(named) != 1:
        return
    for column in columns:
        guess = found[column.name]
        if column.name in given or column.kind != "number" or guess.role not in ("after", "before", "action"):
            continue
        pairs = {(a, b) for a, b in zip(named[0].values, column.values, strict=True) if None not in (a, b)}
        if len(pairs) == len({a for a, _ in pairs}) and not column.constant:
            found[column.name] = Guess(column, "action", f"the same for each {named[0].name}")
