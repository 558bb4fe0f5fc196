"""The health of a match: counts, calibration, concentration, alarms, and what weakens the guarantee."""

from dataclasses import asdict, dataclass, replace
from math import erf, sqrt
from typing import Any

import numpy as np

from firstmover.core.arrays import Vector
from firstmover.core.cards import effective_actions
from firstmover.core.contracts import decided
from firstmover.core.errors import counted
from firstmover.core.numerics import one_thread
from firstmover.core.records import Alarm
from firstmover.matches.certificate import short_certificate
from firstmover.matches.forecast import intervals
from firstmover.matches.learner_state import Learning
from firstmover.matches.match_alarms import match_alarms
from firstmover.matches.rule_report import rule_lines
from firstmover.matches.state import State

MOST_TYPES = 50
"""Types, the latest, over which the favoured action is averaged."""


@dataclass(frozen=True)
class Health:
    """Counts, calibration, concentration, the favoured action, alarms, and what weakens the guarantee.

    Parameters
    ----------
    name
        Of the match.
    asked, told
        Numbers of rounds.
    pending
        Names of the pending rounds.
    void, corrected
        Numbers of rounds.
    followed
        The told rounds in which the advised action was played.
    imported, recorded
        Rows of imports, and observations outside of rounds.
    archived
        Whether the match is archived.
    refits
        How often hyperparameters were fitted.
    total_delay
        Over all rounds, how many others were asked before each was told or declared void.
    inside, counted
        The responses inside their bounds, of so many.
    nominal
        The share that should be inside; None for a learner without a belief about responses.
    effective_actions
        exp of the entropy of p_t.
    likeliest, likeliest_probability
        The action with the largest probability; hidden from a reader.
    favoured
        The action with the largest mean reward over the latest types; None before the first; hidden from a reader.
    alarms
        Signs that the learner is not learning.
    cautions
        One sentence for each weakness of the guarantee.
    rules
        Sentences about the rules of the configuration: what they did so far.
    decision
        The context in which p_t is that shown.
    certificate
        A bound on what was lost, in one sentence, unless it takes long to compute.

    Examples
    --------
    >>> import tempfile
    >>> from firstmover import Match
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bay = Match.create(f"{folder}/a.db", "bay", {"menu": {"game": "shore"}})
    ...     health = bay.status()
    >>> health.asked, health.pending, health.as_dict()["told"]
    (0, (), 0)
    """

    name: str
    asked: int
    told: int
    pending: tuple[str, ...]
    void: int
    corrected: int
    followed: int
    imported: int
    recorded: int
    archived: bool
    refits: int
    total_delay: int
    inside: int
    counted: int
    nominal: float | None
    effective_actions: float
    likeliest: str | None
    likeliest_probability: float | None
    favoured: str | None
    alarms: tuple[Alarm, ...]
    cautions: tuple[str, ...]
    rules: tuple[str, ...] = ()
    decision: str = ""
    certificate: str | None = None

    def for_reader(self) -> "Health":
        """Return what a reader may see."""
        return replace(self, likeliest=None, likeliest_probability=None, favoured=None)

    def as_dict(self) -> dict[str, Any]:
        """All of it by name, for programs."""
        return asdict(self)

    def lines(self) -> list[str]:
        """All of it in sentences."""
        waiting = f" ({', '.join(self.pending[:5])}{', …' if len(self.pending) > 5 else ''})" if self.pending else ""
        without = ["Alarms are not computed for this learner: it has no model of the responses as numbers."]
        fitted = f"fitted to data {counted(self.refits, 'time')}" if self.refits else "not fitted to data so far"
        outside = f", {counted(self.recorded, 'observation')} recorded outside of rounds" if self.recorded else ""
        return [
            *(["Archived: nothing is recorded until it is unarchived."] if self.archived else []),
            f"{counted(self.asked, 'round')} asked: {self.told} told, {len(self.pending)} pending{waiting}, "
            f"{self.void} void; {self.corrected} corrected.",
            *(
                []
                if self.followed == self.told
                else [f"Advice followed in {self.followed} of {self.told} told rounds."]
            ),
            f"{counted(self.imported, 'row')} of history imported"
            f"{outside}{'' if self.nominal is None else f'; hyperparameters {fitted}'}.",
            f"Total delay: {self.total_delay}, the rounds asked while others were pending.",
            f"Concentration{self.decision}: effective number of actions {self.effective_actions:.1f}"
            f"{self._most_probable()}.",
            *self.rules,
            *([] if self.certificate is None else [self.certificate]),
            *(without if self.nominal is None else self._model_lines()),
        ]

    def _most_probable(self) -> str:
        if self.likeliest_probability is None:
            return ""
        return f"; the most probable is {self.likeliest!r} with {self.likeliest_probability:.1%}"

    def _model_lines(self) -> list[str]:
        """The sentences about the belief."""
        share = (
            f"{self.inside} of {self.counted} responses lay inside their bounds; {self.nominal:.0%} should"
            if self.counted
            else f"no response was told yet; {self.nominal:.0%} should lie inside their bounds"
        )
        favoured = "Favoured by the belief, on average over the latest types"
        return [
            f"Calibration: {share}.",
            *([] if self.likeliest is None else [f"{favoured}: {self.favoured or 'nothing yet'}."]),
            *([f"Alarm: {alarm}" for alarm in self.alarms] or ["No alarms."]),
            *([f"Caution: {caution}" for caution in self.cautions] or ["Nothing weakens the guarantee."]),
        ]


def health_of(state: State) -> Health:
    """The health of a match as of its last event."""
    with one_thread():
        learning = state.learning
        model = learning.monitor is not None
        labels, (strategy, decision) = state.setting.menu.labels, _next_decision(state, learning)
        rounds, likeliest = list(state.rounds.values()), int(np.argmax(strategy))
        void = sum(p.status == "void" for p in rounds)
        overridden = sum(p.played is not None for p in rounds)
        delay = total_delay(state)
        return Health(
            name=state.name,
            asked=len(rounds),
            told=state.told,
            pending=tuple(state.pending),
            void=void,
            corrected=sum(p.corrections > 0 for p in rounds),
            followed=state.told - overridden,
            imported=sum(state.imports.values()),
            recorded=len(state.records),
            archived=state.archived,
            refits=len(state.refits),
            total_delay=delay,
            inside=learning.inside,
            counted=learning.counted,
            nominal=nominal_share(learning) if model else None,
            effective_actions=effective_actions(strategy),
            likeliest=labels[likeliest],
            likeliest_probability=float(strategy[likeliest]),
            favoured=_favoured(state, learning) if model else None,
            alarms=match_alarms(state),
            cautions=tuple(_cautions(state, delay, void, overridden)) if model else (),
            rules=rule_lines(state, learning.learner),
            decision=decision,
            certificate=short_certificate(state),
        )


def _next_decision(state: State, learning: Learning) -> tuple[Vector, str]:
    """p_t in the context of the round that was asked last, and what to say of it.

    The rules of a match are left out: they depend on actions that a reader may not see yet.
    """
    setting, last = state.setting, next(reversed(state.rounds.values()), None)
    context = None if last is None else last.context
    vector = None if context is None else setting.context.vector(context)
    strategy = decided(learning.learner, vector, setting.mask(setting.closed(context or {})))
    words = "" if context is None else f" in the context {', '.join(f'{name}={v}' for name, v in context.items())}"
    return strategy, words + ("" if setting.rules is None else ", before the rules of the match")


def total_delay(state: State) -> int:
    """Over all rounds, how many others were asked before each was told or declared void, so far."""
    rounds = state.rounds.values()
    return sum(len(rounds) - each.number if each.status == "pending" else each.delay for each in rounds)


def nominal_share(learning: Learning) -> float:
    """The share of responses that bounds of this width should hold: 2Φ(β) − 1, or 1 − δ of the lemma."""
    confidence = learning.setting.confidence
    failure = getattr(confidence, "failure_probability", None)
    return erf(confidence(0.0) / sqrt(2)) if failure is None else 1 - failure


def _favoured(state: State, learning: Learning) -> str | None:
    """argmax_x of the mean of r(x, μ(x, θ)) over the latest types, of those that something is known about."""
    game, rows = state.setting.game, state.latest_rows(MOST_TYPES)
    if not rows:
        return None
    met = np.array([state.setting.types.vector(row[1]) for row in rows])
    types, counts = np.unique(met, axis=0, return_counts=True)
    total: Vector = np.zeros(game.n_actions)
    for opponent_type, count in zip(types, counts, strict=True):
        mean = intervals(learning, opponent_type)[0]
        known = np.isfinite(mean).all(axis=1)
        total[known] += count * game.reward(game.actions[known], mean[known])
        total[~known] = -np.inf
    total[list(state.setting.menu.retired)] = -np.inf
    return state.setting.menu.labels[int(np.argmax(total))] if np.isfinite(total).any() else None


def _cautions(state: State, delay: int, void: int, overridden: int) -> list[str]:
    """The conditions of Theorem 1 that do not hold in this match."""
    setting, horizon = state.setting, state.setting.config.horizon
    come = "come" if state.refits else "are going to come"
    assumed = setting.has_kernel
    conditions = {
        "Theorem 1 is not about this learner: no bound on its regret is proved.": not assumed,
        "a constant β is a choice, not a bound: Theorem 1 needs the width of its lemma.": (
            assumed and not hasattr(setting.confidence, "failure_probability")
        ),
        f"rounds were asked while others were pending ({delay} in all): Theorem 1 assumes that each is told "
        "before the next.": delay > 0,
        f"{counted(void, 'void round')}: regret is bounded over those that were told.": assumed and void > 0,
        f"{counted(overridden, 'round')} with another action than advised: regret is bounded for the advice.": (
            assumed and overridden > 0
        ),
        "imported rows count as rounds (warm_start): regret is bounded only if later types resemble the imported ones; "
        "an adversary that knows the history can add as much regret as the lead that it gives to an action.": (
            setting.config.warm_start and any(state.imports.values())
        ),
        f"hyperparameters {come} from the data: the bounds assume that they were known before.": (
            assumed and (bool(state.refits) or setting.config.hyperparameters.source != "config")
        ),
        f"{state.told} rounds exceed the horizon of {horizon}, for which the learning rate was set.": (
            horizon is not None and state.told > horizon
        ),
        "follow-the-leader has no guarantee: an adversary can predict it.": setting.strategy == "follow-the-leader",
    }
    return [sentence for sentence, applies in conditions.items() if applies]
