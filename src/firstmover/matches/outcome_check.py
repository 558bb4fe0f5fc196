"""An observation beside what was expected of it, before it is recorded: values far outside are questioned."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from firstmover.core.arrays import Vector
from firstmover.core.numerics import one_thread
from firstmover.games.map_record import short
from firstmover.matches.forecast import Interval, forecast
from firstmover.matches.rounds import MatchRound
from firstmover.matches.setup import Setting
from firstmover.matches.state import State
from firstmover.matches.value_schema import Values

FAR = 1.0
"""Widths of its band by which a response must lie outside of it to be questioned."""


@dataclass(frozen=True)
class ObservedValue:
    """A value with its forecast; `surprising` if it lies outside of its band by more than the width of the band."""

    name: str
    unit: str
    value: float
    expected: Interval
    surprising: bool

    def sentence(self) -> str:
        """The value beside its forecast."""
        known = "was expected" if self.expected.mean is not None else "was possible: nothing was known"
        return f"{self.name}: {short(self.value)}{self._unit}, and {self._ends} {known}."

    def expectation(self) -> str:
        """What was expected, short enough to stand beside the value of a recorded round."""
        return f"{self._ends} was expected"

    def question(self) -> str:
        """The question to ask a person who reports a surprising value."""
        return f"{self.name}: {short(self.value)} was entered, {self._ends} was expected: is that right?"

    @property
    def _unit(self) -> str:
        return f" {self.unit}" if self.unit else ""

    @property
    def _ends(self) -> str:
        lower, upper = self.expected.lower, self.expected.upper
        if lower is None and upper is None:
            return "anything"
        if lower is None or upper is None:
            bound = f"up to {short(upper)}" if upper is not None else f"from {short(lower or 0.0)}"
            return f"anything {bound}{self._unit}"
        return f"{short(lower)} to {short(upper)}{self._unit}"


@dataclass(frozen=True)
class OutcomeCheck:
    """The responses of an outcome and its reward, each beside its forecast; none for responses that are levels."""

    responses: tuple[ObservedValue, ...]
    reward: float
    expected_reward: Interval | None

    @property
    def questions(self) -> tuple[str, ...]:
        """A question about each value that is surprising."""
        return tuple(each.question() for each in self.responses if each.surprising)

    def lines(self) -> list[str]:
        """Each value beside its forecast, in sentences, and the questions."""
        found = [each.sentence() for each in self.responses]
        expected = self.expected_reward
        if expected is not None and expected.mean is not None:
            found.append(f"reward: {short(self.reward)}, and {short(expected.mean)} was expected.")
        else:
            found.append(f"reward: {short(self.reward)}.")
        return [*found, *self.questions]

    def as_dict(self) -> dict[str, Any]:
        """All of it by name, for programs."""
        return asdict(self) | {"questions": list(self.questions)}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> "OutcomeCheck":
        """Return the record that `as_dict` described."""
        values = [ObservedValue(**each | {"expected": Interval(**each["expected"])}) for each in fields["responses"]]
        expected = fields["expected_reward"]
        return cls(tuple(values), fields["reward"], None if expected is None else Interval(**expected))


def check_outcome(state: State, played: MatchRound, opponent_type: Values, response: Values) -> OutcomeCheck:
    """Compare an outcome of a pending round with its forecast; nothing is recorded."""
    setting, action = state.setting, played.action_played
    reward = state.reward(played, response)
    if action is None or setting.commits or setting.responses.levels is not None:
        return OutcomeCheck((), reward, None)
    with one_thread():
        found = forecast(state.learning, action, setting.types.vector(opponent_type))
    checked = observed_values(setting, setting.responses.vector(response), found.responses)
    return OutcomeCheck(checked, reward, found.reward)


def observed_values(setting: Setting, response: Vector, expected: Iterable[Interval]) -> tuple[ObservedValue, ...]:
    """Return the values of a response (m,), each beside its forecast."""
    outputs = zip(setting.responses.outputs, response.tolist(), expected, strict=True)
    return tuple(
        ObservedValue(name, unit, value, interval, _is_far(value, interval))
        for (name, unit), value, interval in outputs
    )


def _is_far(value: float, expected: Interval) -> bool:
    """Whether a value lies outside of a band by more than its width; never while nothing is known."""
    lower, upper = expected.lower, expected.upper
    if expected.mean is None or lower is None or upper is None:
        return False
    return max(lower - value, value - upper) > FAR * (upper - lower)
