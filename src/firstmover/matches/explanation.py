"""Why an action was advised: what it and the next ones are expected to earn, and what would change the advice."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from firstmover.core.arrays import Mask, Vector
from firstmover.core.contracts import Learner, RefittingLearner, decided
from firstmover.core.errors import InvalidInput
from firstmover.core.numerics import one_thread
from firstmover.core.records import Feedback
from firstmover.matches.learner_state import rows_of
from firstmover.matches.rounds import MatchRound
from firstmover.matches.state import State

SHOWN = 3
"""Actions that are compared, and past observations that are named."""

HALVINGS = 20
"""Halvings of the interval in which a response that changes the advice is looked for."""

FAR = 5.0
"""Standard deviations, of response and noise, beyond which no response is looked for."""

NINE_TENTHS = 1.6448536
"""Half the width of a 90 % band, in standard deviations."""


@dataclass(frozen=True)
class Candidate:
    """An action with its probability, its expected reward over the types so far, and the 90 % band of that."""

    label: str
    probability: float
    expected: float
    lower: float
    upper: float


@dataclass(frozen=True)
class Influence:
    """A past observation, and its weight in the prediction for the advised action."""

    round_id: str
    label: str
    response: dict[str, Any]
    weight: float


@dataclass(frozen=True)
class Explanation:
    """The advised action and the next ones, the observations that matter most, and what would change the advice.

    `next_action` would be advised after the expected response. `below` and `above` are responses to the advised action,
    of the first output, beyond which another one than that would be, with its label; None if no response would.
    """

    round_id: str
    action: str
    candidates: tuple[Candidate, ...]
    influences: tuple[Influence, ...]
    response: str
    expected_response: float
    next_action: str
    below: tuple[float, str] | None
    above: tuple[float, str] | None

    def as_dict(self) -> dict[str, Any]:
        """All of it by name, for programs."""
        return asdict(self)

    def lines(self) -> list[str]:
        """All of it in sentences."""
        chosen, *others = self.candidates
        found = [
            f"{self.action!r} is advised with probability {chosen.probability:.0%}: it is expected to earn "
            f"{chosen.expected:.4g} ({chosen.lower:.4g} to {chosen.upper:.4g})."
        ]
        for other in others:
            found.append(
                f"Next is {other.label!r} ({other.probability:.0%}): {other.expected:.4g} ({other.lower:.4g} to "
                f"{other.upper:.4g})."
            )
        best = max(self.candidates, key=lambda each: each.expected)
        if best.label != chosen.label:
            found.append(
                f"{best.label!r} is expected to earn {best.expected - chosen.expected:.4g} more; {self.action!r} is "
                f"advised to find out, since it may earn up to {chosen.upper:.4g}."
            )
        if self.influences:
            named = ", ".join(f"{each.round_id} ({each.label}, weight {each.weight:.2f})" for each in self.influences)
            found.append(f"The prediction rests most on {named}.")
        ends = [
            f"{word} {end[0]:.4g} it would be {end[1]!r}"
            for word, end in (("below", self.below), ("above", self.above))
            if end is not None
        ]
        changes = "; ".join(ends) if ends else "no other response would change that"
        found.append(
            f"If {self.response} is {self.expected_response:.4g} as expected, {self.next_action!r} is advised next; "
            f"{changes}."
        )
        return found


def explained(state: State, played: MatchRound, strategy: Vector) -> Explanation:
    """Return why the action of a pending round was advised, by what is known now."""
    from firstmover.learners.mean_rewards import mean_rewards, response_belief, type_shares

    setting, learner, past = state.setting, state.learning.learner, state.past_rounds
    game, action = setting.game, played.action
    if setting.commits or action is None:
        raise InvalidInput("A commitment to a mixture is not explained: ask for the forecast of its responses.")
    context = None if played.context is None else setting.context.vector(played.context)
    with one_thread():
        shares = type_shares(game, past.types, context)
        rewards = mean_rewards(game, response_belief(learner), shares)
        if rewards is None:
            raise InvalidInput("Nothing was observed yet: every action is open, and one is advised by chance.")
        mask = setting.mask(played.without)
        allowed = np.ones(game.n_actions, dtype=bool) if mask is None else mask
        others = [i for i in np.argsort(-(rewards.mean + rewards.above), kind="stable") if i != action and allowed[i]]
        chosen = [action, *others[: SHOWN - 1]]
        probabilities = np.append(strategy, np.zeros(game.n_actions - len(strategy)))
        candidates = tuple(
            Candidate(
                setting.menu.labels[i],
                float(probabilities[i]),
                float(rewards.mean[i]),
                float(rewards.mean[i] - NINE_TENTHS * rewards.below[i]),
                float(rewards.mean[i] + NINE_TENTHS * rewards.above[i]),
            )
            for i in chosen
        )
        typical = shares.types[int(np.argmax(shares.shares))]
        turning = _turning_points(state, action, typical, context, mask)
        influences = _influences(state, action, typical)
    response = setting.responses.outputs[0][0]
    return Explanation(played.round_id, candidates[0].label, candidates, influences, response, *turning)


Turn = tuple[float, str] | None


def _turning_points(
    state: State, action: int, opponent_type: Vector, context: Vector | None, mask: Mask | None
) -> tuple[float, str, Turn, Turn]:
    """The expected first output at a type, the advice after it, and the responses below and above that change it."""
    learning, game = state.learning, state.setting.game
    learner, labels = learning.learner, state.setting.menu.labels
    prediction = learning.belief.predict(opponent_type)
    std = prediction.std.reshape(game.n_actions, -1)[action, 0]
    noise = float(np.ravel(learning.noise_variance)[0])
    expected = np.clip(prediction.mean[action], game.response_domain.lower, game.response_domain.upper)

    def advice(value: float) -> int:
        response = np.append(value, expected[1:])
        feedback = Feedback(action, opponent_type, response, mask)
        after = learner.learn(feedback) if isinstance(learner, RefittingLearner) else learner.observe(feedback)
        return _likeliest(after, context, mask)

    reach = FAR * float(np.hypot(std, np.sqrt(noise)))
    domain, middle = game.response_domain, float(expected[0])
    ends = max(middle - reach, float(domain.lower[0])), min(middle + reach, float(domain.upper[0]))
    usual = advice(middle)
    turns = [_turn(advice, middle, end, usual) for end in ends]
    below, above = (None if turn is None else (turn[0], labels[turn[1]]) for turn in turns)
    return middle, labels[usual], below, above


def _likeliest(learner: Learner, context: Vector | None, mask: Mask | None) -> int:
    return int(np.argmax(decided(learner, context, mask)))


def _turn(advice: Callable[[float], int], middle: float, end: float, usual: int) -> tuple[float, int] | None:
    """The response nearest to the middle, up to an end, from which on the advice is another one, and that one."""
    if advice(end) == usual:
        return None
    near, far = middle, end
    for _ in range(HALVINGS):
        half = (near + far) / 2
        near, far = (half, far) if advice(half) == usual else (near, half)
    return far, advice(far)


def _influences(state: State, action: int, opponent_type: Vector) -> tuple[Influence, ...]:
    """The observations with the largest weights in the mean of the first output; none where they are not known."""
    weigh = getattr(state.learning.belief, "influence", None)
    if weigh is None:
        return ()
    observed = [(step.round_id or "imported", *row) for step in state.steps for row in rows_of(step)]
    weights = weigh(action, opponent_type)
    if len(weights) != len(observed):  # some rows have actions off the menu
        return ()
    largest = np.argsort(-np.abs(weights), kind="stable")[:SHOWN]
    rows = [(observed[i], float(weights[i])) for i in largest]
    labels = state.setting.menu.labels
    return tuple(Influence(row[0], labels[row[1]], row[3], weight) for row, weight in rows)
