"""From what was observed to the learner: each step a pure function of the state before it."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from firstmover.contracts import Belief, Weights
from firstmover.matches.events import canonical, digest, packed, unpacked
from firstmover.matches.numerics import fingerprint
from firstmover.matches.rounds import Step
from firstmover.matches.setting import Setting
from firstmover.records import Feedback

if TYPE_CHECKING:
    from firstmover.learners import StackelUCB


def observations(setting: Setting, steps: Sequence[Step]) -> Iterator[Feedback]:
    """What a belief is conditioned on, in order."""
    return (setting.feedback(*row) for step in steps for row in step.rows)


@dataclass(frozen=True, eq=False)
class Learning:
    """The learner, and how many of the responses that it met lay inside its bounds.

    A response counts as inside when |y − μ| ≤ β √(σ² + λ), by what was believed before it came: bounds on b widened by
    the noise, whose variance λ stands for.
    """

    setting: Setting
    learner: "StackelUCB"
    inside: int = 0
    counted: int = 0

    @classmethod
    def start(cls, setting: Setting) -> "Learning":
        """Before the first round."""
        return cls(setting, setting.learner())

    def after(self, step: Step, earlier: Sequence[Step]) -> "Learning":
        """A told round moves strategy and belief, imported rows the belief alone; a refit builds the belief anew."""
        if step.theta is not None:
            belief = self._conditioned(self.setting.belief(step.theta), earlier)
            return replace(self, learner=replace(self.learner, belief=belief))
        if step.action is not None:
            feedback = self.setting.feedback(*step.rows[0])
            inside, learner = self._inside(feedback), self.learner.observe(feedback)
            counted = self.counted + len(inside)
            return replace(self, learner=learner, inside=self.inside + sum(inside), counted=counted)
        belief = self._conditioned(self.learner.belief, [step])
        return replace(self, learner=replace(self.learner, belief=belief))

    def _conditioned(self, belief: Belief, steps: Sequence[Step]) -> Belief:
        for feedback in observations(self.setting, steps):
            seen = self.setting.game.check(feedback)
            belief = belief.condition(seen.action, seen.opponent_type, seen.response)
        return belief

    def _inside(self, feedback: Feedback) -> list[bool]:
        learner = self.learner
        prediction = learner.belief.predict(feedback.opponent_type)
        width = learner.confidence(learner.belief.information_gain)
        reach = width * np.sqrt(prediction.std[feedback.action] ** 2 + self.setting.regularization)
        return list((np.abs(feedback.response - prediction.mean[feedback.action]) <= reach).tolist())

    def snapshot(self, sequence: int, mark: str) -> str:
        """What a later opening may start from, bound to the event that it stands after and to how it was computed."""
        content = {
            "sequence": sequence,
            "mark": mark,
            "fingerprint": fingerprint(),
            "weights": self.stored_weights(),
            "inside": self.inside,
            "counted": self.counted,
        }
        return canonical({"content": content, "check": digest(canonical(content))})

    def stored_weights(self) -> dict[str, Any]:
        """The numbers that the weights consist of."""
        weights = self.learner.weights
        values = {field.name: getattr(weights, field.name) for field in fields(weights)}  # type: ignore[arg-type]
        return {
            name: packed(value) if isinstance(value, np.ndarray) else value
            for name, value in values.items()
            if isinstance(value, np.ndarray | float | int)
        }

    @classmethod
    def restored(cls, setting: Setting, steps: Sequence[Step], content: dict[str, Any]) -> "Learning":
        """The learning after these steps, weights from a snapshot: the belief alone is computed anew."""
        start, theta = cls.start(setting), next((s.theta for s in reversed(steps) if s.theta is not None), None)
        belief = start._conditioned(start.learner.belief if theta is None else setting.belief(theta), steps)
        learner = replace(
            start.learner, belief=belief, weights=restored_weights(start.learner.weights, content["weights"])
        )
        return cls(setting, learner, content["inside"], content["counted"])

    def digest(self) -> str:
        """A hash of the whole state: weights, belief at the known types or the last one seen, and counts."""
        learner = self.learner
        types = self.setting.game.types
        predictions = [] if types is None else [learner.belief.predict(opponent_type) for opponent_type in types]
        content = {
            "weights": self.stored_weights(),
            "strategy": packed(learner.strategy),
            "information_gain": learner.belief.information_gain,
            "predictions": [[packed(p.mean.ravel()), packed(p.std)] for p in predictions],
            "counts": [self.inside, self.counted],
        }
        return digest(canonical(content))


def restored_weights(start: Weights, stored: dict[str, Any]) -> Weights:
    """The weights of a snapshot, of the kind that the match began with."""
    values = {name: unpacked(value) if isinstance(value, str) else value for name, value in stored.items()}
    return replace(start, **values)  # type: ignore[type-var]


def snapshot_content(text: str | None, sequence: int, mark: str) -> dict[str, Any] | None:
    """What a snapshot holds, if it is whole, stands after just this event, and was computed as we would compute it."""
    if text is None:
        return None
    try:
        stored = json.loads(text)
        content = stored["content"]
        sound = stored["check"] == digest(canonical(content)) and content["sequence"] == sequence
        return content if sound and content["mark"] == mark and content["fingerprint"] == fingerprint() else None
    except (ValueError, KeyError, TypeError):
        return None
