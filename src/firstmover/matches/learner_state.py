"""From what was observed to the learner: each step a pure function of the state before it."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from firstmover.core.contracts import Belief, Weights
from firstmover.core.files import canonical_json, text_hash
from firstmover.core.numerics import fingerprint
from firstmover.core.records import Feedback
from firstmover.matches.events import packed, unpacked
from firstmover.matches.round_table import Step
from firstmover.matches.setup import Setting

if TYPE_CHECKING:
    from firstmover.core.contracts import Learner


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
    learner: "Learner"
    belief: Belief
    inside: int = 0
    counted: int = 0

    @classmethod
    def start(cls, setting: Setting) -> "Learning":
        """Before the first round."""
        learner = setting.learner()
        return cls(setting, learner, learner.belief if setting.learner_entry[0].response_belief else setting.belief())  # type: ignore[attr-defined]

    def after(self, step: Step, earlier: Sequence[Step]) -> "Learning":
        """A told round moves strategy and belief, imported rows the belief alone; a refit builds the belief anew."""
        if step.theta is not None:
            return self._believing(self._conditioned(self.setting.belief(step.theta), earlier))
        if step.action is not None:
            feedback = self.setting.feedback(*step.rows[0])
            inside, learner = self._inside(feedback), self.learner.observe(feedback)
            belief = learner.belief if self._shared else self._conditioned(self.belief, [step])  # type: ignore[attr-defined]
            counted = self.counted + len(inside)
            return replace(self, learner=learner, belief=belief, inside=self.inside + sum(inside), counted=counted)
        return self._believing(self._conditioned(self.belief, [step]))

    @property
    def _shared(self) -> bool:
        """Whether the learner decides by the belief about responses."""
        return self.setting.learner_entry[0].response_belief

    def _believing(self, belief: Belief) -> "Learning":
        learner = replace(self.learner, belief=belief) if self._shared else self.learner  # type: ignore[type-var]
        return replace(self, learner=learner, belief=belief)

    def _conditioned(self, belief: Belief, steps: Sequence[Step]) -> Belief:
        for feedback in observations(self.setting, steps):
            seen = self.setting.game.check(feedback)
            belief = belief.condition(seen.action, seen.opponent_type, seen.response)
        return belief

    def _inside(self, feedback: Feedback) -> list[bool]:
        prediction = self.belief.predict(feedback.opponent_type)
        width = self.setting.confidence(self.belief.information_gain)
        reach = width * np.sqrt(prediction.std[feedback.action] ** 2 + self.setting.regularization)
        return list((np.abs(feedback.response - prediction.mean[feedback.action]) <= reach).tolist())

    def snapshot(self, sequence: int, mark: str) -> str:
        """What a later opening may start from, bound to the event that it stands after and to how it was computed."""
        content = {
            "sequence": sequence,
            "mark": mark,
            "fingerprint": fingerprint(),
            "weights": self.stored_weights(),
            "strategy": packed(self.learner.strategy),
            "inside": self.inside,
            "counted": self.counted,
        }
        return canonical_json({"content": content, "check": text_hash(canonical_json(content))})

    def stored_weights(self) -> dict[str, Any]:
        """The numbers that the weights consist of."""
        weights = getattr(self.learner, "weights", None)
        if weights is None:
            return {}
        values = {field.name: getattr(weights, field.name) for field in fields(weights)}
        return {
            name: packed(value) if isinstance(value, np.ndarray) else value
            for name, value in values.items()
            if isinstance(value, np.ndarray | float | int)
        }

    @classmethod
    def restored(cls, setting: Setting, steps: Sequence[Step], content: dict[str, Any]) -> "Learning":
        """The learning after these steps: weights from a snapshot, the belief by conditioning again."""
        start, theta = cls.start(setting), next((s.theta for s in reversed(steps) if s.theta is not None), None)
        belief = start._conditioned(start.belief if theta is None else setting.belief(theta), steps)
        weights = restored_weights(start.learner.weights, content["weights"])  # type: ignore[attr-defined]
        learner = replace(start.learner, belief=belief, weights=weights)  # type: ignore[type-var]
        return cls(setting, learner, belief, content["inside"], content["counted"])

    def digest(self) -> str:
        """A hash of the whole state: weights, belief at the known types or the last one seen, and counts."""
        learner = self.learner
        types = self.setting.game.types
        predictions = [] if types is None else [self.belief.predict(opponent_type) for opponent_type in types]
        content = {
            "weights": self.stored_weights(),
            "strategy": packed(learner.strategy),
            "information_gain": self.belief.information_gain,
            "predictions": [[packed(p.mean.ravel()), packed(p.std)] for p in predictions],
            "counts": [self.inside, self.counted],
        }
        return text_hash(canonical_json(content))


def restored_weights(start: Weights, stored: dict[str, Any]) -> Weights:
    """The weights of a snapshot, of the kind that the match began with; arrays that are not stored are None."""
    values = {name: unpacked(value) if isinstance(value, str) else value for name, value in stored.items()}
    names = [field.name for field in fields(start)]  # type: ignore[arg-type]
    gone = [name for name in names if name not in stored and isinstance(getattr(start, name), np.ndarray)]
    return replace(start, **dict.fromkeys(gone), **values)  # type: ignore[type-var]


def snapshot_content(text: str | None, sequence: int, mark: str) -> dict[str, Any] | None:
    """What a snapshot holds, if it is whole, stands after just this event, and was computed as we would compute it."""
    if text is None:
        return None
    try:
        stored = json.loads(text)
        content = stored["content"]
        sound = stored["check"] == text_hash(canonical_json(content)) and content["sequence"] == sequence
        return content if sound and content["mark"] == mark and content["fingerprint"] == fingerprint() else None
    except (ValueError, KeyError, TypeError):
        return None
