"""The reward that is likely for a table: revenue, revenue less a cost, an amount, or a worth of each outcome."""

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from firstmover.core.arrays import Vector
from firstmover.core.errors import InvalidInput
from firstmover.matches.column_kinds import Column
from firstmover.matches.column_roles import COSTS, MARGINS, PRICES, Guess, words_of
from firstmover.matches.reward_sentence import Sentence, parse_reward

MONEY = {"revenue", "profit", "turnover", "umsatz", "gewinn", "earnings"}
UNWANTED = {
    *("congestion", "delay", "minutes", "queue", "incidents", "poached", "snares", "attacks", "complaints"),
    *("incident", "attack", "accident", "accidents", "loss", "losses"),
}
"""Words in names of responses that are the reward, and of those that should be small."""

NOTHING = {
    *("nothing", "none", "nil", "no", "nobody", "false", "0", "missed", "lost", "nein", "nichts", "kein", "keine"),
    *("rien", "nada", "ninguno", "niente"),
}
"""Outcomes that are worth nothing."""

IDENTITY = 1e-3
"""Relative difference up to which a column is computed from others."""

STEADY = 0.25
"""Spread of implied costs (the interquartile range over the median) up to which a profit is a margin in percent."""


def indicators(column: Column) -> dict[str, str]:
    """The names by which a reward calls the levels of a response: `found is snares` for snares."""
    return {f"{column.name} is {level}": level for level in column.distinct}


def with_reward(guesses: Sequence[Guess], menu: Sequence[str], text: str | None) -> tuple[list[Guess], Sentence, str]:
    """Return the guesses with the responses that the reward needs, the reward, and why; `menu` has its columns."""
    responses = [guess.column for guess in guesses if guess.role == "response"]
    names = [name for c in responses for name in (indicators(c) if c.kind == "text" else [c.name])]
    texts = [column.name for column in responses if column.kind == "text"]
    if texts and len(responses) > 1:
        raise InvalidInput(f"response {texts[0]!r} has names for values: it must be the only response.")
    reason = "as stated"
    if text is None:
        levels = responses[0].kind == "text"
        text, reason = _worth_of_levels(responses[0], menu) if levels else _usual_reward(guesses, menu, names)
    sentence = parse_reward(text, menu, names)
    used = {c.name for c in responses if {c.name, *(indicators(c) if c.kind == "text" else ())} & {*sentence.responses}}
    changed = [
        Guess(guess.column, "ignored", "not in the reward")
        if guess.role == "response" and guess.column.name not in used
        else guess
        for guess in guesses
    ]
    return changed, sentence, reason


def _worth_of_levels(column: Column, menu: Sequence[str]) -> tuple[str, str]:
    """The reward of an outcome: 1 where the action was in the same place; else 1, and 0 for those that are nothing."""
    there = {name.removeprefix("is ").casefold(): name for name in menu if name.startswith("is ")}
    some = {name: level for name, level in indicators(column).items() if level.casefold() not in NOTHING}
    if some and all(level.casefold() in there for level in some.values()):
        terms = [f"{there[level.casefold()]} × ({name})" for name, level in some.items()]
        return " + ".join(terms), f"a guess: 1 if {column.name} is where you were"
    if len(some) < len(column.distinct):
        sign = -1 if words_of(column.name) & UNWANTED else 1
        return " + ".join(f"{sign} × ({name})" for name in some), f"a guess: {sign} each, and 0 for nothing"
    return " + ".join(f"0 × ({name})" for name in some), "nothing tells what they are worth"


def _usual_reward(guesses: Sequence[Guess], actions: Sequence[str], responses: Sequence[str]) -> tuple[str, str]:
    columns = {guess.column.name: guess.column for guess in guesses if guess.column.kind == "number"}
    prices = [name for name in actions if words_of(name) & PRICES]
    totals = [name for name in columns if name not in actions and words_of(name) & (MONEY | MARGINS)]
    for total in dict.fromkeys([*responses, *totals]):
        for sold in responses:
            for price in prices if total != sold else ():
                cost = _cost(*(columns[name].numbers for name in (total, price, sold)))
                if cost is not None:
                    minus = f" − {cost:g} × {sold}" if cost else ""
                    return f"{total} = {price} × {sold}{minus}", f"so it is in the column {total}"
    amounts = [name for name in responses if not words_of(name) & MONEY] or list(responses)
    written = {name: f"exp({name})" if name.casefold().startswith("log") else name for name in amounts}
    pairs = [(price, name) for price in prices for name in amounts if _number(price) == _number(name)]
    if len(prices) == 1 and not words_of(amounts[0]) & MONEY:
        pairs = [(prices[0], amounts[0])]
    if prices and len(pairs) == len(prices):
        costs = [_unit_cost(columns.values(), price, alone=len(prices) == 1) for price, _ in pairs]
        terms = [
            f"{price} × {written[name]}" if cost is None else f"({price} − {cost[0]:g}) × {written[name]}"
            for (price, name), cost in zip(pairs, costs, strict=True)
        ]
        why = [cost[1] for cost in costs if cost is not None]
        more = f" and {len(why) - 1} more" if len(why) > 1 else ""
        return " + ".join(terms), f"a guess: the cost is {why[0]}{more}" if why else "a guess: is there a cost?"
    if words_of(amounts[0]) & UNWANTED:
        return f"−{written[amounts[0]]}", "a guess: the less the better"
    return written[amounts[0]], "a guess: the more the better"


def _number(name: str) -> str:
    """The number that a name ends with."""
    found = re.search(r"(\d+)$", name)
    return found[1] if found else ""


def _unit_cost(columns: Iterable[Column], price: str, *, alone: bool) -> tuple[float, str] | None:
    """The cost of one unit that a column of costs, or of margins in percent, implies for a price, and its formula."""
    by_name: Mapping[str, Column] = {column.name: column for column in columns}
    paid = by_name[price].numbers
    for name, column in by_name.items():
        words = words_of(name)
        if name == price or not (alone or _number(name) == _number(price)) or np.isnan(column.numbers).all():
            continue
        if words & COSTS and not words & MARGINS:
            cost = float(np.nanmedian(column.numbers))
            if 0 < cost < np.nanmax(paid):
                return _short(cost), f"the median of {name}"
        if words & (MARGINS | MONEY) and np.nanmax(np.abs(column.numbers)) <= 100:
            percent = np.nanmax(np.abs(column.numbers)) > 1
            costs = paid * (1 - column.numbers / (100 if percent else 1))
            low, cost, high = np.nanquantile(costs, [0.25, 0.5, 0.75])
            if cost > 0 and (words & MARGINS or high - low <= STEADY * cost):
                return _short(cost), f"the median of {price} × (1 − {name}{' / 100' if percent else ''})"
    return None


def _short(cost: float) -> float:
    return float(f"{cost:.3g}")


def _cost(total: Vector, price: Vector, sold: Vector) -> float | None:
    """c if total = (price − c) · sold in every row, None otherwise."""
    kept = ~np.isnan(total + price + sold) & (sold != 0)
    if kept.sum() < 3:
        return None
    costs = price[kept] - total[kept] / sold[kept]
    cost = float(np.median(costs))
    scale = float(np.median(np.abs(total[kept])))
    off = np.abs((price[kept] - cost) * sold[kept] - total[kept])
    same = scale and off.max() <= IDENTITY * max(scale, np.abs(total[kept]).max())
    return float(f"{round(cost, 6):.10g}") + 0.0 if same else None
