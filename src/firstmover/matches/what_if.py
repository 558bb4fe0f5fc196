"""What is expected if an action is played now, and how that compares with what is advised."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from firstmover.core.arrays import Mask
from firstmover.core.errors import InvalidInput, counted
from firstmover.core.numerics import one_thread
from firstmover.games.map_record import percent, short
from firstmover.matches.assumed_types import assumed_types
from firstmover.matches.candidates import Candidate, valuation
from firstmover.matches.commands import in_words, not_allowed
from firstmover.matches.forecast import Interval, forecast
from firstmover.matches.health import nominal_share
from firstmover.matches.observed_rows import ObservedRow, observed_rows
from firstmover.matches.state import State
from firstmover.matches.value_schema import Values

NEAR = 0.1
"""The share of the range of each feature on the menu within which two actions are near each other."""


@dataclass(frozen=True)
class Predicted:
    """A response by name: its mean, the band of what is observed, and that of the mean."""

    name: str
    unit: str
    observed: Interval
    mean: Interval

    def words(self) -> str:
        """The response with its bands."""
        unit = f" {self.unit}" if self.unit else ""
        ends = f"from {_end(self.observed.lower)} to {_end(self.observed.upper)}{unit}"
        if self.observed.mean is None:
            return f"{self.name} is unknown, {ends}"
        mean = f"the mean from {_end(self.mean.lower)} to {_end(self.mean.upper)}"
        return f"{self.name} {short(self.observed.mean)}{unit} ({ends}; {mean})"


def _end(number: float | None) -> str:
    return "anywhere" if number is None else short(number)


@dataclass(frozen=True)
class TypeForecast:
    """The forecast of an action against a type that is assumed, with its part told after the action in words."""

    opponent_type: dict[str, Any]
    assumption: str
    responses: tuple[Predicted, ...]
    reward: Interval


@dataclass(frozen=True)
class WhatIf:
    """An action in a context: what is expected of it, of the advised action, and of the one expected to earn most.

    `expected` has its probability in p_t as if it were asked now. Bands of `forecasts` hold the share `coverage` of
    responses. `observations` counts those of this action, `in_context` those of them in this context, and `near` those
    of other actions within a tenth of the range of each feature. `allowed` is False for an action that is retired or
    closed in this context, `permitted` says whether the floor lets it be played, and `risk` is its probability to earn
    less than the floor; both are None without a floor.
    """

    action: str
    context: dict[str, Any] | None
    expected: Candidate
    advised: Candidate
    best: Candidate
    forecasts: tuple[TypeForecast, ...]
    coverage: float
    observations: int
    in_context: int
    near: int
    allowed: bool
    permitted: bool | None
    risk: float | None

    def as_dict(self) -> dict[str, Any]:
        """All of it by name, for programs."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> "WhatIf":
        """Return the record that `as_dict` described."""
        forecasts = []
        for each in fields["forecasts"]:
            bands = [
                Predicted(one["name"], one["unit"], Interval(**one["observed"]), Interval(**one["mean"]))
                for one in each["responses"]
            ]
            forecasts.append(TypeForecast(**each | {"responses": tuple(bands), "reward": Interval(**each["reward"])}))
        found = {name: Candidate(**fields[name]) for name in ("expected", "advised", "best")}
        return cls(**fields | found | {"forecasts": tuple(forecasts)})

    def lines(self) -> list[str]:
        """All of it in sentences."""
        known, mine = in_words(self.context, None), self.expected
        found = [f"If {self.action!r} is played{f' for {known}' if known else ''}: {mine.words()}."]
        if not self.allowed:
            found.append(f"{self.action!r} is retired, or closed in this context: it would not be advised.")
        if self.permitted is not None and self.risk is not None:
            word = "permits" if self.permitted else "does not permit"
            found.append(f"The floor {word} it: its risk to earn less than the floor is {percent(self.risk)}.")
        chance = f"it has probability {percent(mine.probability)}" if self.allowed else "it has none"
        if self.advised.label == self.action:
            found.append(f"It is the likeliest action if a round is asked now: {chance}.")
        else:
            found.append(
                f"If a round is asked now, {chance}; the likeliest action is {self.advised.label!r} "
                f"({percent(self.advised.probability)}), expected to earn {short(self.advised.expected)}, "
                f"{_compared(mine.expected, self.advised.expected)}."
            )
        if self.best.label not in (self.action, self.advised.label):
            gap = self.best.expected - mine.expected
            found.append(f"{self.best.label!r} is expected to earn most, {short(gap)} more than {self.action!r}.")
        found += [self._forecast_line(each) for each in self.forecasts]
        here = f", {self.in_context} of them in this context" if self.context else ""
        found.append(
            f"{counted(self.observations, 'observation')} of {self.action!r} so far{here}, and {self.near} of actions "
            "near it."
        )
        return found

    def _forecast_line(self, each: TypeForecast) -> str:
        named = ", ".join(one.words() for one in each.responses)
        reward = each.reward
        earned = "" if reward.mean is None else f", and reward {short(reward.mean)}"
        ends = (
            "" if reward.lower is None or reward.upper is None else f" ({short(reward.lower)} to {short(reward.upper)})"
        )
        given = f"If {each.assumption}: " if each.assumption else ""
        return f"{given}{percent(self.coverage)} bands of what is observed: {named}{earned}{ends if earned else ''}."


def _compared(mine: float, other: float) -> str:
    gap = other - mine
    return f"{short(abs(gap))} {'more' if gap > 0 else 'less'}" if gap else "as much"


def expected_if(state: State, action: int, context: Values | None) -> WhatIf:
    """Return what is expected of an action in a context by what is known now."""
    setting = state.setting
    if context is None and setting.context.specs:
        raise InvalidInput(f"context is missing: give {', '.join(setting.context.names)}, known before the action.")
    context = context if setting.context.specs else None
    with one_thread():
        rows, closed = observed_rows(state), not_allowed(state, context, None)
        values = valuation(state, rows, context, state.decide(context, closed))
        open_actions = [i for i in range(len(setting.menu.labels)) if i not in closed]
        permitted, risk = _floor(state, action, context, setting.mask(closed))
        own = [row for row in rows if (row.features == setting.game.actions[action]).all()]
        return WhatIf(
            setting.menu.labels[action],
            context,
            values.candidate(action),
            values.candidate(int(np.argmax(values.probabilities))),
            values.candidate(values.best(open_actions, values.expected)),
            _forecasts(state, rows, action, context),
            nominal_share(state.learning),
            len(own),
            sum(_has(row, context) for row in own),
            _near(state, rows, action) - len(own),
            action not in closed,
            permitted,
            risk,
        )


def _forecasts(state: State, rows: list[ObservedRow], action: int, context: Values | None) -> tuple[TypeForecast, ...]:
    """The forecast that every view shows, for each type that is assumed."""
    outputs, found = state.setting.responses.outputs, []
    for assumed in assumed_types(state.setting, rows, context):
        predicted = forecast(state.learning, action, assumed.vector)
        parts = zip(outputs, predicted.responses, predicted.means, strict=True)
        responses = tuple(Predicted(name, unit, observed, mean) for (name, unit), observed, mean in parts)
        found.append(TypeForecast(assumed.values, assumed.words, responses, predicted.reward))
    return tuple(found)


def _floor(state: State, action: int, context: Values | None, mask: Mask | None) -> tuple[bool | None, float | None]:
    """Whether the floor permits an action in a context, and its risk; None without a floor."""
    rules, setting = state.setting.rules, state.setting
    if rules is None or rules.floor is None:
        return None, None
    learner, past = state.learning.learner, state.past_rounds
    known = None if context is None else setting.context.vector(context)
    risks = rules.risks(learner, setting.game, past, known)
    permitted = rules.mask(learner, setting.game, past, known, mask)
    return bool(permitted[action]), None if risks is None else float(risks[action])


def _has(row: ObservedRow, context: Values | None) -> bool:
    return all(row.opponent_type[name] == value for name, value in (context or {}).items())


def _near(state: State, rows: list[ObservedRow], action: int) -> int:
    """The number of observations of an action and of those near it."""
    actions = state.setting.game.actions
    reach = NEAR * np.ptp(actions, axis=0) + 1e-9 * np.abs(actions).max(axis=0)
    points = np.array([row.features for row in rows])
    return int(np.sum((np.abs(points - actions[action]) <= reach).all(axis=1)))
