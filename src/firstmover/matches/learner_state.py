"""The learner of a match after each step: a told round, imported rows or a refit."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from firstmover.core.arrays import Matrix, as_array
from firstmover.core.contracts import Belief, Refitting, RefittingLearner
from firstmover.core.files import canonical_json, text_hash
from firstmover.core.numerics import fingerprint
from firstmover.core.records import Feedback
from firstmover.matches.events import Draft, Event, packed, unpacked
from firstmover.matches.rounds import MatchRound
from firstmover.matches.setup import Setting
from firstmover.matches.value_schema import Types, Values

if TYPE_CHECKING:
    from firstmover.core.contracts import Learner
    from firstmover.learners.alarms import Model, Monitor

Step = MatchRound | Event | Draft
"""A told round, or an observation outside of rounds, an import or a refit, recorded or about to be."""

MOST_POINTS = 150
"""Largest domain X × Θ whose kernel is stored in the snapshot: 120 kB."""

Fits = Sequence[tuple[int, dict[str, Any]]]
"""Payloads of refits that belong to an import, each with the number of its rows that came before."""

Observer = Callable[["Learning", Step], None]
"""Called with each step and the learner before it."""


EventOrDraft = TypeVar("EventOrDraft", Event, Draft)


def rows_of(step: Step) -> list[tuple[int, Values, Values]]:
    """Action played, type and response of each observation of a step; none for a refit."""
    if isinstance(step, MatchRound):
        (opponent_type, response), action = step.observed, step.action_played
        assert action is not None
        assert opponent_type is not None
        assert response is not None
        return [(action, opponent_type, response)]
    rows = (row for row in step.payload.get("rows", ()) if learnt(row) and "features" not in row)
    return [(row["action"], row["type"], row["response"]) for row in rows]


def learnt(row: dict[str, Any]) -> bool:
    """Whether the belief is conditioned on an imported row: its type is known."""
    return row["type"] is not None and None not in row["type"].values()


def counts_as_round(setting: Setting, row: dict[str, Any]) -> bool:
    """Whether an imported row is learnt like a round: warm start, its type is known, and its action on the menu."""
    return setting.config.warm_start and learnt(row) and "features" not in row


def parts(step: EventOrDraft) -> list[EventOrDraft]:
    """The steps that an import consists of: its rows and, for rounds of another match, the fits between them."""
    payload = step.payload
    fits: Fits = payload.get("fits", [])
    if not fits:
        return [step]
    rows, done = payload["rows"], 0
    found: list[EventOrDraft] = []
    for count, fit in fits:
        found += [_part(step, "imported", {"rows": rows[done:count]}), _part(step, "refitted", fit)]
        done = count
    return [*found, _part(step, "imported", {"rows": rows[done:]})]


def _part(step: Any, kind: str, payload: dict[str, Any]) -> Any:
    if isinstance(step, Draft):
        return replace(step, kind=kind, payload=payload)  # type: ignore[arg-type]
    return step._replace(kind=kind, text=canonical_json(payload))


def observations(setting: Setting, steps: Sequence[Step]) -> Iterator[Feedback]:
    """The observations of actions on the menu, in order."""
    return (setting.feedback(*row, **_decision(setting, step)) for step in steps for row in rows_of(step))


def _checked_rows(setting: Setting, steps: Sequence[Step]) -> tuple[list[int], Matrix, Matrix]:
    """The actions, types and responses of the observations: checked together, which is quicker than one by one."""
    rows = [row for step in steps for row in rows_of(step)]
    if not rows:
        return [], np.empty((0, 0)), np.empty((0, setting.game.n_outputs))
    actions = [action for action, _, _ in rows]
    types = as_array("opponent_type", [setting.types.vector(values) for _, values, _ in rows], ndim=2)
    responses = as_array("response", [setting.responses.vector(values) for _, _, values in rows], ndim=2)
    for action in (min(actions), max(actions)):
        setting.game.check(Feedback(action, types[0], responses[0]))
    return actions, types, responses


def _decision(setting: Setting, step: Step) -> dict[str, Any]:
    """The action that was advised, where another one was played, and those that were not allowed or not on the menu."""
    if isinstance(step, Event) and step.kind == "imported" and setting.config.warm_start:
        return {"without": setting.added_since(step.sequence)}
    if not isinstance(step, MatchRound):
        return {}
    without = (*step.without, *setting.added_since(step.asked))
    return {"advised": None if step.played is None else step.action, "without": without}


def fit_now(setting: Setting, step: Step, part: Any, fit: dict[str, Any] | None) -> dict[str, Any] | None:
    """A recorded fit of the learner or the belief, for the setting as it is; None if it cannot be used any more."""
    if fit is None:
        return None
    then = setting if isinstance(step, MatchRound | Draft) else setting.at(step.sequence)
    before, now = then.game, setting.game
    if before is now or (before.n_actions == now.n_actions and then.types == setting.types):
        return fit
    if not (hasattr(part, "translated") and isinstance(then.types, Types) and isinstance(setting.types, Types)):
        return None
    return part.translated(fit, before, then.types.columns_in(setting.types), setting.types.width)


def fitted_theta(steps: Sequence[Step]) -> list[float] | None:
    """The hyperparameters of the last refit of the kernel; None if there was none."""
    refits = (step for step in reversed(steps) if not isinstance(step, MatchRound) and step.kind == "refitted")
    last = next(refits, None)
    return None if last is None else last.payload["theta"]


def learn(learning: "Learning", steps: Sequence[Step], first: int = 0, observer: Observer | None = None) -> "Learning":
    """Return the learner after all steps, given the one after the `first` of them: the one fold of a match.

    Whatever needs more than the result, such as predictions made before each response, passes an observer.
    """
    for place in range(first, len(steps)):
        if observer is not None:
            observer(learning, steps[place])
        refit = not isinstance(steps[place], MatchRound)  # only a refit reads the steps before it
        learning = learning.after(steps[place], steps[:place] if refit else ())
    return learning


@dataclass(frozen=True, eq=False)
class Learning:
    """The learner, its belief about responses, and how many responses lay inside their bounds.

    A response counts as inside when |y − μ| ≤ β √(σ² + λ), with the belief before it was recorded: bounds on b widened
    by the noise, whose variance is λ. `whole` says that belief, weights and arrays are all of the learner that has
    changed, so that a snapshot of the latter two restores it. `monitor` is None if the learner does not
    decide by the belief.
    """

    setting: Setting
    learner: "Learner"
    belief: Belief
    inside: int = 0
    counted: int = 0
    table: str | None = None
    whole: bool = True
    monitor: "Monitor | None" = None

    @classmethod
    def start(cls, setting: Setting, prior: Belief | None = None) -> "Learning":
        """The learner before the first round, with its prior belief about responses if it was built already."""
        from firstmover.learners.alarms import Monitor

        if prior is None and setting.has_kernel:
            prior = setting.belief()
        learner = setting.learner(prior)
        shared = setting.shares(learner)
        if shared:
            prior = learner.belief  # type: ignore[attr-defined]
        belief = setting.belief() if prior is None else prior
        return cls(setting, learner, belief, table=_packed_table(belief), monitor=Monitor() if shared else None)

    def after(self, step: Step, earlier: Sequence[Step] = ()) -> "Learning":
        """A told round updates strategy and belief, other rows the belief; a refit gives both new hyperparameters.

        In a warm start imported rows are learnt like rounds. A refit of the kernel conditions a new belief on the
        `earlier` steps.
        """
        if isinstance(step, MatchRound):
            [feedback] = observations(self.setting, [step])
            inside = self._inside(feedback)
            after = replace(self._observed(feedback), monitor=self._monitored(feedback))
            return replace(after, inside=self.inside + sum(inside), counted=self.counted + len(inside))
        if step.kind == "imported" and self.setting.config.warm_start:
            return self._with_rows_as_rounds(step)
        if step.kind in ("imported", "recorded"):
            return self._with_belief(self._conditioned(self.belief, [step]))
        payload, learning = step.payload, self
        if "theta" not in payload:
            fit = fit_now(self.setting, step, self.learner, payload.get("learner"))
            if fit is not None:
                learner = self.learner.fitted(fit)  # type: ignore[attr-defined]
                belief = learner.belief if self._shared else self.belief
                whole = self.whole and _alike(self.learner, learner)
                learning = replace(self, learner=learner, belief=belief, whole=whole)
            fit = fit_now(self.setting, step, self.belief, payload.get("belief"))
            if fit is not None:
                learning = learning._with_belief(self.belief.fitted(fit))  # type: ignore[attr-defined]
            return learning
        prior = self.setting.belief(payload["theta"])
        return replace(self._with_belief(self._conditioned(prior, earlier)), table=_packed_table(prior))

    def _observed(self, feedback: Feedback) -> "Learning":
        """The learner and the belief after one more round."""
        learner = self.learner
        learner = learner.learn(feedback) if isinstance(learner, RefittingLearner) else learner.observe(feedback)
        belief = learner.belief if self._shared else self._conditioned_on(self.belief, feedback)  # type: ignore[attr-defined]
        return replace(self, learner=learner, belief=belief, whole=self.whole and _alike(self.learner, learner))

    def _with_rows_as_rounds(self, step: Event | Draft) -> "Learning":
        """Learn imported rows in order, those that count as rounds like rounds, the others into the belief alone."""
        learning, rows = self, [row for row in step.payload["rows"] if learnt(row)]
        if any("features" in row for row in rows):  # before the first row, as where all condition the belief alone
            learning = learning._with_belief(learning.belief.reaching(self._points(rows)))  # type: ignore[attr-defined]
        for row in rows:
            if counts_as_round(self.setting, row):
                values = row["action"], row["type"], row["response"]
                learning = learning._observed(self.setting.feedback(*values, **_decision(self.setting, step)))
            else:
                learning = learning._with_belief(self._conditioned_on_features(learning.belief, [row]))
        return learning

    def _with_belief(self, belief: Belief) -> "Learning":
        learner = replace(self.learner, belief=belief) if self._shared else self.learner  # type: ignore[type-var]
        return replace(self, learner=learner, belief=belief)

    @property
    def _shared(self) -> bool:
        """Whether the learner decides by the belief about responses."""
        return self.setting.shares(self.learner)

    @property
    def refitting(self) -> dict[str, Refitting]:
        """Learner and belief, where they refit; a belief that is the learner's is refitted with it."""
        learner = {"learner": self.learner} if isinstance(self.learner, RefittingLearner) else {}
        alone = isinstance(self.belief, Refitting) and not (learner and self._shared)
        return {**learner, **({"belief": self.belief} if alone else {})}  # type: ignore[dict-item]

    @property
    def fit_due(self) -> bool:
        """Whether a refit is to be recorded before the next decision."""
        return any(part.fit_due for part in self.refitting.values())

    def fit(self) -> dict[str, Any]:
        """The payload of a refit: new hyperparameters of the learner, of the belief or of both."""
        return {name: part.fit() for name, part in self.refitting.items() if part.fit_due}

    def _conditioned(
        self, belief: Belief, steps: Sequence[Step], base: Callable[[], bytes | None] = lambda: None
    ) -> Belief:
        from firstmover.beliefs import FreshBelief
        from firstmover.beliefs.low_rank import START
        from firstmover.beliefs.stored_base import StoredBase

        if isinstance(belief, FreshBelief) and not belief.count:
            actions, types, responses = _checked_rows(self.setting, steps)
            content = base() if len(actions) >= START else None
            stored = None if content is None else StoredBase(_context(self.setting), content)
            return belief.condition_each(actions, types, responses, stored)
        for step in steps:
            rows = [] if isinstance(step, MatchRound) else step.payload.get("rows", ())
            if any("features" in row for row in rows):
                belief = self._conditioned_on_features(belief, [row for row in rows if learnt(row)])
                continue
            for feedback in observations(self.setting, [step]):
                belief = self._conditioned_on(belief, feedback)
        return belief

    def _conditioned_on(self, belief: Belief, feedback: Feedback) -> Belief:
        seen = self.setting.game.check(feedback)
        return belief.condition(seen.action, seen.opponent_type, seen.response)

    def _points(self, rows: list[dict[str, Any]]) -> Matrix:
        """The features of the actions of rows."""
        game, names = self.setting.game, self.setting.menu.features
        points = [
            np.array([row["features"][name] for name in names]) if "features" in row else game.actions[row["action"]]
            for row in rows
        ]
        return np.array(points)

    def _conditioned_on_features(self, belief: Any, rows: list[dict[str, Any]]) -> Belief:
        """The belief after rows of which some have actions that are not on the menu."""
        points = self._points(rows)
        belief = belief.reaching(points)
        for point, row in zip(points, rows, strict=True):
            seen = self.setting.feedback(row.get("action", 0), row["type"], row["response"])
            if counts_as_round(self.setting, row):  # by its number, as rounds are
                belief = self._conditioned_on(belief, seen)
            else:
                belief = belief.condition_at(point, seen.opponent_type, seen.response)
        return belief

    def _inside(self, feedback: Feedback) -> list[bool]:
        prediction = self.belief.predict(feedback.opponent_type)
        reach = self.reach(prediction.std[feedback.action])
        return list((np.abs(feedback.response - prediction.mean[feedback.action]) <= reach).tolist())

    @property
    def noise_variance(self) -> Any:
        """The variance of the noise of responses: λ, or one for each output where the belief is fitted (m,)."""
        fitted = getattr(self.belief, "noise_variance", None)
        return self.setting.regularization if fitted is None else fitted

    @property
    def model(self) -> "Model":
        """The model of responses that alarms are about."""
        from firstmover.learners.alarms import Model, width_of

        return Model(self.setting.game, self.belief, width_of(self.learner), self.noise_variance)

    def _monitored(self, feedback: Feedback) -> "Monitor | None":
        """The monitor after one more round."""
        return None if self.monitor is None else self.monitor.after(self.model, feedback)

    def reach(self, std: Any, *, noisy: bool = True) -> Any:
        """β √(σ² + λ): half the width of the band of a response, for each σ; without noise, that of its mean, β σ."""
        noise = getattr(self.belief, "band_variance", self.noise_variance) if noisy else 0.0
        return self.setting.confidence(self.belief.information_gain) * np.sqrt(std**2 + noise)

    def snapshot(self, sequence: int, mark: str) -> str:
        """Return a snapshot to open the match from, bound to the event that it follows and to the fingerprint."""
        content = {
            "sequence": sequence,
            "mark": mark,
            "fingerprint": fingerprint(),
            "weights": self.stored_weights(),
            "arrays": {name: packed(getattr(self.learner, name)) for name in _arrays(self.learner)},
            "strategy": packed(self.learner.strategy),
            "inside": self.inside,
            "counted": self.counted,
            "table": self.table,
            "fit_due": self.fit_due,
            "whole": self.whole,
            "monitor": None if self.monitor is None else packed(self.monitor.numbers),
        }
        return canonical_json({"content": content, "check": text_hash(canonical_json(content))})

    def stored_weights(self) -> dict[str, Any]:
        """The numbers that the weights consist of; none for a learner without weights."""
        weights = getattr(self.learner, "weights", None)
        if weights is None:
            return {}
        values = {field.name: getattr(weights, field.name) for field in fields(weights)}
        return {
            name: packed(value) if isinstance(value, np.ndarray) else value
            for name, value in values.items()
            if isinstance(value, np.ndarray | float | int)
        }

    def base_to_store(self) -> bytes | None:
        """Return the decomposition of the observations, for the next opening, if it is to be stored now."""
        from firstmover.beliefs import FreshBelief

        return self.belief.base_to_store(_context(self.setting)) if isinstance(self.belief, FreshBelief) else None

    @classmethod
    def restored(
        cls,
        setting: Setting,
        steps: Sequence[Step],
        content: dict[str, Any],
        base: Callable[[], bytes | None] = lambda: None,
    ) -> "Learning":
        """Return the learner after these steps: weights from a snapshot, the belief by conditioning again.

        Refits of the kernel need no more than the last one; others are applied where they were recorded. `base`
        reads the decomposition of many observations, which only saves time.
        """
        from firstmover.learners.alarms import Monitor

        table, prior = content["table"], None
        if setting.has_kernel:
            prior = setting.belief(fitted_theta(steps), None if table is None else unpacked(table))
        learning = cls.start(setting, prior)
        weights = learning.learner.weights  # type: ignore[attr-defined]
        for fit, group in groupby((step for step in steps if not _fits_kernel(step)), key=_is_fit):
            if fit:
                learning = learn(learning, list(group))
            else:
                learning = learning._with_belief(learning._conditioned(learning.belief, list(group), base))
        stored = content["weights"]
        values = {name: unpacked(value) if isinstance(value, str) else value for name, value in stored.items()}
        arrays = [field.name for field in fields(weights) if isinstance(getattr(weights, field.name), np.ndarray)]
        weights = replace(weights, **dict.fromkeys(arrays) | values)  # an array that is not stored is None
        own = {name: unpacked(value) for name, value in content["arrays"].items()}
        learner = replace(learning.learner, weights=weights, **own)  # type: ignore[type-var]
        monitor = None if content["monitor"] is None else Monitor.restored(unpacked(content["monitor"]))
        restored = replace(learning, learner=learner, table=table, monitor=monitor)
        return replace(restored, inside=content["inside"], counted=content["counted"])

    def digest(self) -> str:
        """A hash of weights, strategy, counts, and the belief at all known types."""
        types = self.setting.game.types
        predictions = [] if types is None else [self.belief.predict(opponent_type) for opponent_type in types]
        content = {
            "weights": self.stored_weights(),
            "strategy": packed(self.learner.strategy),
            "information_gain": self.belief.information_gain,
            "predictions": [[packed(p.mean.ravel()), packed(p.std)] for p in predictions],
            "counts": [self.inside, self.counted],
        }
        return text_hash(canonical_json(content))


def _context(setting: Setting) -> str:
    """What a stored decomposition depends on besides observations and kernel."""
    return f"{fingerprint()}\n{setting.mark}"


def _is_fit(step: Step) -> bool:
    """Whether a step holds new hyperparameters."""
    return not isinstance(step, MatchRound) and step.kind == "refitted"


def _fits_kernel(step: Step) -> bool:
    """Whether a step is a refit of the kernel, of which only the last one counts."""
    return _is_fit(step) and "theta" in step.payload  # type: ignore[union-attr]


def _alike(before: "Learner", after: "Learner") -> bool:
    """Whether two learners share everything but belief, weights and arrays."""
    if not is_dataclass(after) or type(before) is not type(after):
        return False
    others = {field.name for field in fields(after)} - {"belief", "weights", *_arrays(after)}
    return all(getattr(before, name) is getattr(after, name) for name in others)


def _arrays(learner: "Learner") -> list[str]:
    """The names of the fields of a learner that are arrays of one dimension."""
    if not is_dataclass(learner):
        return []
    names = [field.name for field in fields(learner)]
    return [name for name in names if isinstance(each := getattr(learner, name), np.ndarray) and each.ndim == 1]


def _packed_table(belief: Belief) -> str | None:
    """The table of the kernel over a small finite domain, which spares a later process to import scikit-learn."""
    from firstmover.beliefs import FiniteBelief

    table = belief.gram_table(MOST_POINTS) if isinstance(belief, FiniteBelief) else None
    return None if table is None else packed(table)


def snapshot_content(text: str | None, sequence: int, mark: str) -> dict[str, Any] | None:
    """Return the content of an undamaged snapshot that follows this event and has our fingerprint; else None."""
    if text is None:
        return None
    try:
        stored = json.loads(text)
        content = stored["content"]
        follows = content["sequence"] == sequence and content["mark"] == mark and "arrays" in content
        sound = stored["check"] == text_hash(canonical_json(content)) and content["fingerprint"] == fingerprint()
        return content if follows and sound else None
    except (ValueError, KeyError, TypeError):
        return None
