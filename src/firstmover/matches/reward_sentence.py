"""The reward as a sentence, such as revenue = (price − 0.4) × sold: parsed into a polynomial, evaluated on a menu."""

import re
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from firstmover.core.arrays import Vector
from firstmover.core.errors import InvalidInput, shown, unknown_name

Monomial = tuple[str, ...]
"""Names that are multiplied, in alphabetical order; none for a constant."""

Polynomial = dict[Monomial, float]
"""Coefficients of monomials."""

SIGNS = {"×": "*", "·": "*", "−": "-", "–": "-", "÷": "/"}
NUMBER = re.compile(r"\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?")
MOST_DEPTH = 20


class Sentence(NamedTuple):
    """A reward v(x) + Σ_k c_k(x) y_k, with the polynomials that v and each c_k are; `text` is what was written.

    `logarithms` are the responses that stand in an exponential, exp(y_k) for y_k.
    """

    text: str
    value: Polynomial
    responses: dict[str, Polynomial]
    logarithms: frozenset[str] = frozenset()


def parse_reward(text: str, actions: Sequence[str], responses: Sequence[str]) -> Sentence:
    """Return the reward that a sentence describes by names of columns of the actions and of the responses.

    >>> found = parse_reward("profit = price × sold − 0.4 × sold", ["price"], ["sold"])
    >>> found.responses
    {'sold': {('price',): 1.0, (): -0.4}}
    """
    formula = text.rpartition("=")[2]
    parser = _Parser(formula, [*actions, *responses], responses)
    total = parser.parsed()
    value: Polynomial = {}
    worths: dict[str, Polynomial] = {}
    for monomial, number in total.items():
        told = [name for name in monomial if name in responses]
        if len(told) > 1:
            raise InvalidInput(
                f"reward multiplies {' and '.join(told)}, which are both observed after the action: "
                "write a sum of terms with one of them each."
            )
        part = worths.setdefault(told[0], {}) if told else value
        part[tuple(name for name in monomial if name not in responses)] = number
    if not worths:
        raise InvalidInput(f"reward is {shown(text)}: name what is observed, one or more of {', '.join(responses)}.")
    both = parser.plain & parser.logarithms
    if both:
        raise InvalidInput(f"reward has {min(both)} and exp({min(both)}): write it in one way throughout.")
    return Sentence(text.strip(), value, worths, frozenset(parser.logarithms))


def evaluated(polynomial: Polynomial, columns: Mapping[str, Vector]) -> Vector:
    """Return the value of a polynomial at each action, given the columns of the menu (n,)."""
    rows = len(next(iter(columns.values())))
    terms = [
        number * np.prod([np.ones(rows), *(columns[name] for name in m)], axis=0) for m, number in polynomial.items()
    ]
    return np.sum([np.zeros(rows), *terms], axis=0)


def coefficient(polynomial: Polynomial) -> Any:
    """Return a polynomial as a configuration writes it: a number, a column, or a column with a factor; else None."""
    terms = {monomial: number for monomial, number in polynomial.items() if number}
    if not set(terms) - {()}:
        return terms.get((), 0.0)
    [(monomial, number), *more] = terms.items()
    if more or len(monomial) != 1:
        return None
    return monomial[0] if number == 1 else {"column": monomial[0], "times": number}


class _Parser:
    """Recursive descent over sums, products and parentheses; names may have spaces."""

    def __init__(self, text: str, names: Sequence[str], responses: Sequence[str]) -> None:
        self.text, self.responses = "".join(SIGNS.get(sign, sign) for sign in text), responses
        self.names, self.place, self.depth = sorted(names, key=len, reverse=True), 0, 0
        self.plain: set[str] = set()
        self.logarithms: set[str] = set()

    def parsed(self) -> Polynomial:
        found = self._sum()
        if self._next():
            raise self._unexpected()
        return found

    def _next(self) -> str:
        """The sign at this place, after blanks; empty at the end."""
        while self.text[self.place : self.place + 1].isspace():
            self.place += 1
        return self.text[self.place : self.place + 1]

    def _unexpected(self) -> InvalidInput:
        rest = self.text[self.place :].strip()
        word = re.match(r"[^\W\d][\w ]*", rest)
        if word is not None:
            return unknown_name("column in the reward", word[0].strip(), sorted(self.names))
        what = f"has {shown(rest)} where a name or a number should be" if rest else "ends too early"
        return InvalidInput(f"reward {what}: write it as in price * sold - 0.4 * sold.")

    def _sum(self) -> Polynomial:
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise InvalidInput("reward has too many parentheses: write a sum of products.")
        negative = self._next() == "-"
        self.place += self._next() in ("-", "+")
        total = _scaled(self._product(), -1.0 if negative else 1.0)
        while (sign := self._next()) in ("+", "-") and sign:
            self.place += 1
            for monomial, number in self._product().items():
                total[monomial] = total.get(monomial, 0.0) + (number if sign == "+" else -number)
        self.depth -= 1
        return total

    def _product(self) -> Polynomial:
        found = self._factor()
        while (sign := self._next()) in ("*", "/") and sign:
            self.place += 1
            other = self._factor()
            if sign == "/":
                if set(other) != {()} or not other[()]:
                    raise InvalidInput("reward divides by something else than a number: multiply instead.")
                other = {(): 1.0 / other[()]}
            product: Polynomial = {}
            for a, x in found.items():
                for b, y in other.items():
                    key = tuple(sorted((*a, *b)))
                    product[key] = product.get(key, 0.0) + x * y
            found = product
        return found

    def _name(self, rest: str, names: Sequence[str] | None = None) -> str | None:
        """The longest name that the rest of the text begins with."""
        for name in self.names if names is None else sorted(names, key=len, reverse=True):
            end = rest[len(name) : len(name) + 1]
            if rest[: len(name)].casefold() == name.casefold() and not (end.isalnum() or end == "_"):
                return name
        return None

    def _closed(self, inside: Polynomial) -> Polynomial:
        if self._next() != ")":
            raise InvalidInput("reward has a parenthesis that is not closed: close it.")
        self.place += 1
        return inside

    def _factor(self) -> Polynomial:
        if self._next() == "(":
            self.place += 1
            return self._closed(self._sum())
        rest = self.text[self.place :]
        name = self._name(rest)
        if name is not None:
            self.place += len(name)
            self.plain.add(name)
            return {(name,): 1.0}
        exponential = re.match(r"exp\s*\(\s*", rest)
        inner = None if exponential is None else self._name(rest[exponential.end() :], self.responses)
        if exponential is not None and inner is not None:
            self.place += exponential.end() + len(inner)
            self.logarithms.add(inner)
            return self._closed({(inner,): 1.0})
        number = NUMBER.match(rest)
        value = float("nan" if number is None else number[0].replace(",", "."))
        if number is None or not isfinite(value):
            raise self._unexpected()
        self.place += len(number[0])
        return {(): value}


def _scaled(polynomial: Polynomial, factor: float) -> Polynomial:
    return {monomial: factor * number for monomial, number in polynomial.items()}
