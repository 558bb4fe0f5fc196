"""The next advice as a function of the response to the present one: where it changes, and to what."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from firstmover.core.arrays import Vector
from firstmover.games.map_record import percent, short
from firstmover.matches import commands
from firstmover.matches.assumed_types import AssumedType
from firstmover.matches.events import Event
from firstmover.matches.rounds import MatchRound
from firstmover.matches.state import State

FAR = 4.0
"""Standard deviations, of response and noise, up to which responses are tried; farther ones count as outliers."""

STEPS = 10
"""Responses that are tried on each side of the expected one."""

HALVINGS = 8
"""Halvings of an interval between two of these in which the advice changes."""

COARSE_STEPS, COARSE_HALVINGS = 5, 6
"""The same where each takes long: the model is fitted again, or has more responses than `FEW_RESPONSES`."""

FEW_RESPONSES = 4

MOST_CHANGES = 3
"""Changes of the advice that are located in one such interval."""

CERTAIN = 0.999
"""Probability from which on an action is called the advised one, not the likeliest one."""


@dataclass(frozen=True)
class Span:
    """Responses that lead to the same advice, from the smallest to the largest one."""

    lower: float
    upper: float
    action: str


@dataclass(frozen=True)
class Outlook:
    """The advice of the next round, in the same context and over the same actions, for each response to this one.

    `opponent_type` is the type that is assumed, and `assumption` its part that is told after the action, in words.
    `next_action` is the likeliest action after the expected response, with its probability. `spans` cover all responses
    that were tried, in order; the `others` among responses are as expected. `refit` says that the model is fitted again
    after this round, which is taken into account, `logarithm` that the response is told as one.
    """

    opponent_type: dict[str, Any]
    assumption: str
    response: str
    others: tuple[str, ...]
    expected: float
    next_action: str
    probability: float
    spans: tuple[Span, ...]
    refit: bool
    logarithm: bool

    def line(self) -> str:
        """All of it in words."""
        given = f"If {self.assumption}: " if self.assumption else "Then "
        certain, name = self.probability >= CERTAIN, self.response
        log = f" ({name} is a logarithm)" if self.logarithm else ""
        word = "is advised next" if certain else f"is the likeliest action next ({percent(self.probability)})"
        tried = f"from {short(self.spans[0].lower)} to {short(self.spans[-1].upper)}"
        if len(self.spans) == 1:
            return f"{given}{self.next_action!r} {word}, whatever {name} is {tried}{log}."
        return (
            f"{given}{name} = {short(self.expected)} is expected, and {self.next_action!r} {word} after it. "
            f"With {'; with '.join(self._cases())}. Checked: {name} {tried}{log}."
        )

    def _cases(self) -> list[str]:
        found, last = [], len(self.spans) - 1
        for place, span in enumerate(self.spans):
            low, high = short(span.lower), short(span.upper)
            where = f"between {low} and {high}" if 0 < place < last else f"above {low}" if place else f"below {high}"
            found.append(f"{self.response} {where} it is {span.action!r}")
        return found


def outlook(state: State, played: MatchRound, assumed: AssumedType, output: int) -> Outlook:
    """Return the next advice for responses of one output, if a pending round is told with this type.

    Each response is told to a copy of the state, with a refit if one is due then, so that the advice is that of the
    match itself.
    """
    learning, setting, action = state.learning, state.setting, played.action
    assert action is not None
    game, names = setting.game, setting.responses.names
    expected, std = _expected(state, action, assumed), learning.belief.predict(assumed.vector).std
    variances = std.reshape(game.n_actions, -1)[action] ** 2 + learning.noise_variance
    reach = FAR * float(np.sqrt(np.broadcast_to(variances, expected.shape)[output]))
    middle = float(expected[output])
    low = max(middle - reach, float(game.response_domain.lower[output]))
    high = min(middle + reach, float(game.response_domain.upper[output]))

    @cache
    def advice(value: float) -> tuple[int, float]:
        response = dict(zip(names, expected.tolist(), strict=True)) | {names[output]: value}
        after = state_if_told(state, played, {"type": assumed.values, "response": response})
        strategy = after.decide(played.context, commands.not_allowed(after, played.context, played.without))
        likeliest = int(np.argmax(strategy))
        return likeliest, float(strategy[likeliest])

    refit = refit_follows(state, played, assumed)
    coarse = refit or len(names) > FEW_RESPONSES
    steps = (COARSE_STEPS, COARSE_HALVINGS) if coarse else (STEPS, HALVINGS)
    found = spans(lambda value: advice(value)[0], low, middle, high, *steps)
    labels, (usual, probability) = setting.menu.labels, advice(middle)
    return Outlook(
        assumed.values,
        assumed.words,
        names[output],
        tuple(name for name in names if name != names[output]),
        middle,
        labels[usual],
        probability,
        tuple(Span(lower, upper, labels[i]) for lower, upper, i in found),
        refit,
        setting.responses.logarithms[output],
    )


def _expected(state: State, action: int, assumed: AssumedType) -> Vector:
    """The expected response to an action by a type, within the response domain (m,)."""
    mean, domain = state.learning.belief.predict(assumed.vector).mean[action], state.setting.game.response_domain
    return np.asarray(np.clip(mean, domain.lower, domain.upper), dtype=np.float64)


def refit_follows(state: State, played: MatchRound, assumed: AssumedType) -> bool:
    """Return whether the model is fitted again after a pending round; that depends on the number of rounds."""
    assert played.action is not None
    expected = _expected(state, played.action, assumed).tolist()
    response = dict(zip(state.setting.responses.names, expected, strict=True))
    after = state_if_told(state, played, {"type": assumed.values, "response": response})
    return len(after.refits) > len(state.refits)


def state_if_told(state: State, played: MatchRound, values: dict[str, Any]) -> State:
    """Return the state in which a pending round was told, and the model fitted again if that is due; this one stays."""
    learning = state.learning
    after = replace(
        state,
        rounds=dict(state.rounds),
        pending=dict(state.pending),
        steps=list(state.steps),
        refits=dict(state.refits),
        snapshot=lambda: None,
        _known=(learning, len(state.steps)),
    )
    _apply(after, commands.telling(after, played.round_id, dict(values)))
    if after.setting.refits:
        _apply(after, commands.refitting(after))
    return after


def _apply(state: State, prepared: commands.Prepared) -> None:
    draft, learning = prepared
    if draft is not None:
        state.apply(Event.following(state.mark, state.sequence + 1, "", draft, None), learning)


def spans(  # noqa: PLR0917 - the range, and how finely it is searched
    advice: Callable[[float], int],
    low: float,
    middle: float,
    high: float,
    steps: int = STEPS,
    halvings: int = HALVINGS,
) -> list[tuple[float, float, int]]:
    """Return the intervals of responses, in order, within which the advice is the same, and that advice.

    Intervals that are narrower than the steps between the responses that are tried may be missed.

    >>> [(round(end, 2), which) for _, end, which in spans(lambda y: (y > 1.5) + (y > 8.25), 0.0, 4.0, 10.0)]
    [(1.5, 0), (8.25, 1), (10.0, 2)]
    """
    points = np.unique([*np.linspace(low, middle, steps + 1), *np.linspace(middle, high, steps + 1)]).tolist()
    starts = [(points[0], advice(points[0]))]
    for left, right in pairwise(points):
        start = left
        for _ in range(MOST_CHANGES):
            if advice(right) != starts[-1][1]:
                start, changed = _change(advice, start, right, starts[-1][1], halvings)
                starts.append((start, changed))
        if advice(right) != starts[-1][1]:
            starts.append((right, advice(right)))
    ends = [start for start, _ in starts[1:]] + [points[-1]]
    return [(start, end, which) for (start, which), end in zip(starts, ends, strict=True)]


def _change(advice: Callable[[float], int], left: float, right: float, before: int, halvings: int) -> tuple[float, int]:
    """The smallest response found, between two with different advice, at which it is no longer that on the left."""
    for _ in range(halvings):
        half = (left + right) / 2
        left, right = (half, right) if advice(half) == before else (left, half)
    return right, advice(right)
