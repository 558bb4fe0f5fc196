"""The reward that is likely for a table: revenue, revenue less a cost, an amount, or a worth of each outcome."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from firstmover.core.arrays import Vector
from firstmover.core.errors import InvalidInput
from firstmover.matches.column_kinds import Column
from firstmover.matches.column_roles import Guess
from firstmover.matches.column_words import COSTS, MARGINS, PRICES, words_of
from firstmover.matches.reward_sentence import Sentence, parse_reward

MONEY = {"revenue", "profit", "turnover", "umsatz", "gewinn", "earnings"}
UNWANTED = {
    *("congestion", "delay", "minutes", "queue", "incidents", "poached", "snares", "attacks", "complaints"),
    *("incident", "attack", "accident", "accidents", "loss", "losses", "emissions", "cost", "cancellations"),
}
"""Words in names of responses that are the reward, and of those that should be small."""

REMOVED = {"removed", "found", "caught", "seized", "arrested", "prevented", "avoided", "saved"}
"""Words by which a number of bad things is a good one."""

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
    some = some or indicators(column)
    if some and all(level.casefold() in there for level in some.values()):
        terms = [f"{there[level.casefold()]} × ({name})" for name, level in some.items()]
        return " + ".join(terms), f"a guess: 1 if {column.name} is where you were"
    if len(some) < len(column.distinct):
        sign = -1 if _is_unwanted(column.name) else 1
        return " + ".join(f"{sign} × ({name})" for name in some), f"a guess: {sign} each, and 0 for nothing"
    return " + ".join(f"0 × ({name})" for name in some), "nothing tells what they are worth"


def _usual_reward(guesses: Sequence[Guess], actions: Sequence[str], responses: Sequence[str]) -> tuple[str, str]:
    columns = {guess.column.name: guess.column for guess in guesses if guess.column.kind == "number"}
    prices = [name for name in actions if words_of(name) & PRICES]
    totals = [name for name in columns if name not in actions and words_of(name) & (MONEY | MARGINS)]
    computed = _computed_totals(columns, list(dict.fromkeys([*responses, *totals])), actions, responses)
    if len(computed) == 1 and len(prices) <= 1:
        [(total, formula)] = computed.items()
        return f"{total} = {formula}", f"so it is in the column {total}"
    if computed and len(computed) == len(prices):
        return " + ".join(computed.values()), f"so it is in the columns {', '.join(computed)}"
    amounts = [name for name in responses if not words_of(name) & MONEY] or list(responses)
    written = {name: f"exp({name})" if name.casefold().startswith("log") else name for name in amounts}
    bad = [name for name in amounts if _is_unwanted(name) and (len(amounts) == 1 or not words_of(name) & COSTS)]
    if bad and (not prices or amounts[0] in bad):
        return f"−{written[bad[0]]}", "a guess: the less the better"
    pairs = [(price, name) for price in prices for name in beside(price, amounts)]
    if len(prices) == 1 and not words_of(amounts[0]) & MONEY:
        pairs = [(prices[0], amounts[0])]
    if prices and len(pairs) == len(prices):
        costs = _unit_costs(columns, [price for price, _ in pairs])
        terms = [
            f"{price} × {written[name]}" if cost is None else f"({price} − {cost.cost:g}) × {written[name]}"
            for (price, name), cost in zip(pairs, costs, strict=True)
        ]
        why = [cost.formula for cost in costs if cost is not None]
        more = f" and {len(why) - 1} more" if len(why) > 1 else ""
        return " + ".join(terms), f"a guess: the cost is {why[0]}{more}" if why else "a guess: is there a cost?"
    return written[amounts[0]], "a guess: the more the better"


def _computed_totals(
    columns: Mapping[str, Column], totals: Sequence[str], actions: Sequence[str], responses: Sequence[str]
) -> dict[str, str]:
    """The columns that are (price − c) × sold in every row, each with this formula; one for each decision."""
    found: dict[str, str] = {}
    for price in (name for name in actions if name in columns):
        for total, sold in ((total, sold) for total in totals for sold in responses if total != sold):
            cost = _cost(*(columns[name].numbers for name in (total, price, sold)))
            if cost is not None and total not in found:
                found[total] = f"{price} × {sold}" + (f" − {cost:g} × {sold}" if cost else "")
                break
    return found


def _is_unwanted(name: str) -> bool:
    """Whether a response should be small: by its name, unless the name says that it was found or removed."""
    words = words_of(name)
    return bool(words & UNWANTED) and not words & REMOVED


def beside(name: str, others: Iterable[str]) -> list[str]:
    """Return the names that end as a name does: by the same number, or by most words of the same product.

    >>> beside("price2", ["sold 1", "sold 2"]), beside("price green tea", ["sold green tea", "sold black tea"])
    (['sold 2'], ['sold green tea'])
    """
    lengths = {other: _common(_parts(name), _parts(other)) for other in others}
    longest = max(lengths.values(), default=0)
    return [other for other, length in lengths.items() if length == longest > 0]


def _parts(name: str) -> list[str]:
    return re.findall(r"\d+|[^\W\d_]+", name.casefold())


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """The number of last words that two names share; a name without a word of its own shares none."""
    pairs = zip(reversed(one[1:]), reversed(other[1:]), strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


class _UnitCost(NamedTuple):
    """The cost of one unit, how it was found, and how much it varies (the interquartile range over the median)."""

    cost: float
    formula: str
    spread: float = 0.0


def _unit_costs(columns: Mapping[str, Column], prices: Sequence[str]) -> list[_UnitCost | None]:
    """The cost of one unit for each price, if a column of costs or margins implies one that varies little."""
    found = []
    for price in prices:
        others = [name for name in columns if name not in prices]
        near = others if len(prices) == 1 else beside(price, others)
        implied = [_implied_cost(columns[name], columns[price]) for name in near]
        found.append(next((cost for cost in implied if cost is not None), None))
    spreads = [cost.spread for cost in found if cost is not None]
    return found if spreads and np.median(spreads) <= STEADY else [None] * len(prices)


def _implied_cost(column: Column, price: Column) -> _UnitCost | None:
    """The median cost that a column has or, for a margin m in percent, the median of price · (1 − m / 100).

    A column that is called a profit is a margin if the costs that follow from it vary little; the caller judges it.
    """
    words, values, paid = words_of(column.name), column.numbers, price.numbers
    largest = np.max(np.abs(values), initial=0.0, where=~np.isnan(values))
    margin = bool(words & (MARGINS | MONEY)) and 0 < largest <= 100
    if not largest or not (margin or words & COSTS):
        return None
    scale, divided = (100, " / 100") if largest > 1 else (1, "")
    costs = paid * (1 - values / scale) if margin else values
    formula = f"the median of {price.name} × (1 − {column.name}{divided})" if margin else f"the median of {column.name}"
    least, low, cost, high, most = np.nanquantile(costs, [0.05, 0.25, 0.5, 0.75, 0.95])
    if not 0 < cost < np.nanmax(paid):
        return None
    varied = f", which varied from {least:.3g} to {most:.3g}" if f"{least:.3g}" != f"{most:.3g}" else ""
    return _UnitCost(float(f"{cost:.3g}"), formula + varied, (high - low) / cost if words & MONEY else 0.0)


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
