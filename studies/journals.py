"""Off-policy evaluation from one journal: a thousand policies, of which the truth is known."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from time import process_time
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from firstmover.beliefs.fitted import FittedBelief
from firstmover.beliefs.joint import joint_posterior
from firstmover.core.arrays import Mask, Matrix, Vector
from firstmover.core.contracts import Belief, DecidingLearner, Learner, decided
from firstmover.core.numerics import one_thread
from firstmover.core.records import Feedback, Round
from firstmover.games import GAMES
from firstmover.games.opponent import true_rewards
from firstmover.learners.auto import auto
from firstmover.learners.exp3 import Exp3
from firstmover.learners.stackelucb import StackelUCB
from firstmover.runs import Task
from firstmover.runs.arena.families import FAMILIES, REPORT, WEEKDAYS, Instance
from firstmover.simulation import opponent_for, play
from firstmover.simulation.hindsight import reward_table
from firstmover.theory.off_policy import Definitions, Estimate, Record, Responses, evaluate, reward_model

ROUNDS, POLICIES = 1000, 1000
"""Rounds of a journal, and policies that are evaluated from it."""

AUTO, PAPER, EXP3 = "auto", "paper", "exp3"
LEARNERS = (AUTO, PAPER, EXP3)
"""`auto`, which soon plays few actions; StackelUCB with the kernel of the family; and Exp3, which plays every action
with some probability, beside a fitted belief as in a match."""

DEVELOPED, OTHERS = ("shore", "kiosk", "prices"), ("flock", "response", "roads")
"""Games on which the widths were chosen, on other seeds, and games on which nothing was chosen."""

NOISES = 16
"""Noisy responses over which a squared reward is averaged."""

ENOUGH = 30.0
"""Effective sample size from which on no warning is given."""


def instance_of(family: str, seed: int) -> Instance:
    """Return the instance of a family; the weekday of a kiosk is known before the move."""
    if family in FAMILIES:
        found = FAMILIES[family](seed)
        context = tuple(range(1, 1 + WEEKDAYS)) if family == "kiosk" else ()
        return replace(found, game=replace(found.game, context=context))
    entry = GAMES[family]
    game = entry.build()
    opponent = opponent_for(family, game, "random")
    return Instance(family, seed, "", game, opponent, entry.kernel, entry.regularization)


@dataclass(frozen=True, eq=False)
class Observing:
    """A learner with a belief about responses that it may not use, as a match has; the last one is in a list."""

    learner: Learner
    belief: FittedBelief | None
    last: list["Observing"]

    @property
    def strategy(self) -> Vector:
        """p_t."""
        return self.learner.strategy

    def decide(self, context: Vector | None = None, allowed: Mask | None = None) -> Vector:
        """p_t at a context."""
        return decided(self.learner, context if isinstance(self.learner, DecidingLearner) else None, allowed)

    def observe(self, feedback: Feedback) -> Self:
        """One more round."""
        belief = self.belief
        if belief is not None:
            belief = belief.condition(feedback.action, feedback.opponent_type, feedback.response)
            belief = belief.fitted(belief.fit()) if belief.fit_due else belief
        after = replace(self, learner=self.learner.observe(feedback), belief=belief)
        self.last[:] = [after]
        return after


def journal(instance: Instance, learner: str, seed: int) -> tuple[list[Round], Belief]:
    """Return the rounds of a run and the belief after them."""
    game, last = instance.game, list[Observing]()
    if learner == PAPER:
        first: Learner = StackelUCB.start(game, instance.kernel, instance.noise_variance, 1.0, ROUNDS)
    else:
        first = auto(game) if learner == AUTO else Exp3.start(game, ROUNDS)
    own = FittedBelief.prior(game) if learner == EXP3 else None
    rounds = list(islice(play(game, instance.opponent, Observing(first, own, last), seed), ROUNDS))
    end = last[0].observe(rounds[-1].feedback)
    return rounds, end.learner.belief if end.belief is None else end.belief  # type: ignore[attr-defined]


def drawn_policies(types: Matrix, n: int, rng: np.random.Generator) -> Iterator[Matrix]:
    """Yield policies (T, n) without end: an action, a mixture, blocks of mixtures, and actions by the type in turn."""
    t = len(types)
    centred = types - types.mean(axis=0)
    while True:
        yield np.tile(np.eye(n)[rng.integers(n)], (t, 1))
        yield np.tile(rng.dirichlet(np.full(n, rng.choice([0.05, 0.3, 1.0]))), (t, 1))
        blocks = int(rng.integers(2, 8))
        yield rng.dirichlet(np.full(n, 0.2), blocks)[np.arange(t) * blocks // t]
        scores = centred @ rng.standard_normal((types.shape[1], n)) + 0.5 * rng.standard_normal(n)
        yield np.eye(n)[scores.argmax(axis=1)]


def noisy_squares(instance: Instance, types: Matrix, rng: np.random.Generator) -> Matrix:
    """Return the mean of r(x, y)² over noisy responses y, for each round and action (T, n)."""
    game, opponent = instance.game, instance.opponent
    kinds, places = np.unique(types, axis=0, return_inverse=True)
    rows = []
    for kind in kinds:
        true = opponent.respond(game.actions, kind)
        seen = [opponent.seen(true.ravel(), rng).reshape(true.shape) for _ in range(NOISES)]
        draws = [game.reward(game.actions, each) ** 2 for each in seen]
        rows.append(np.mean(draws, axis=0))
    return np.array(rows)[places]


def propensity_deviation(policy: Matrix, strategies: Matrix, rewards: Matrix, squares: Matrix) -> float:
    """Return the true standard deviation of the inverse propensity estimate; infinite where p_t = 0.

    √(Σ_t [Σ_x π_t(x)² E[r_t(x)²] / p_t(x) − (Σ_x π_t(x) r_t(x))²]) / T, with the noise of responses in E[r²].
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        terms = np.where(policy > 0, policy**2 * squares / strategies, 0.0)
        variance = terms.sum(axis=1) - np.sum(policy * rewards, axis=1) ** 2
        return float(np.sqrt(np.maximum(variance, 0.0).sum()) / len(policy))


def coverage(estimate: Estimate, truth: Vector) -> NDArray[np.bool_]:
    """Return which 95 % intervals hold the truth."""
    return np.asarray((estimate.lower <= truth) & (truth <= estimate.upper))


def _error(estimate: Estimate, truth: Vector) -> float:
    """The root mean squared error over all policies that have an estimate."""
    return float(np.sqrt(np.nanmean((estimate.value - truth) ** 2)))


@dataclass(frozen=True)
class JournalTask:
    """One journal of a learner on an instance of a family; `seed` is that of both."""

    family: str
    learner: str
    seed: int
    rounds: int = ROUNDS

    @property
    def label(self) -> str:
        """Family and learner."""
        return f"{self.family}, {self.learner}"

    def play(self) -> pl.DataFrame:
        """Play the journal and evaluate all policies: one row."""
        instance = instance_of(self.family, self.seed)
        game = instance.game
        with one_thread():
            rounds, belief = journal(instance, self.learner, self.seed)
            started = process_time()
            record, types = _record(instance, rounds)
            kinds, places = np.unique(types, axis=0, return_inverse=True)
            posterior = joint_posterior(belief, game, [each.feedback for each in rounds], kinds)
            responses = Responses(posterior, places, np.arange(len(rounds)))
            definitions = Definitions([game.reward], np.zeros(len(rounds), dtype=int))
            model = reward_model(game, responses, definitions, np.random.default_rng(self.seed))
            found = evaluate(record, model, self._policies(types))
            seconds = process_time() - started
            table = reward_table(true_rewards(game, instance.opponent.respond), types)
            squares = noisy_squares(instance, types, np.random.default_rng([self.seed, 8]))
            pairs = [
                (
                    float(np.sum(policy * table)) / len(table),
                    propensity_deviation(policy, record.strategies, table, squares),
                )
                for policy in self._policies(types)
            ]
        truth, deviation = np.array(pairs).T
        enough, covered = found.effective_sample_size >= ENOUGH, coverage(found.model, truth)
        row = {
            "family": self.family,
            "learner": self.learner,
            "seed": self.seed,
            "covered": float(covered.mean()),
            "covered_warned": float(covered[~enough].mean()) if not enough.all() else None,
            "warned": float(np.mean(~enough)),
            "propensity_covered": float(coverage(found.inverse_propensity, truth).mean()),
            "robust_covered": float(coverage(found.doubly_robust, truth).mean()),
            "narrower": float(np.median(deviation / found.model.error)),
            "narrower_where_enough": float(np.median((deviation / found.model.error)[enough]))
            if enough.any()
            else None,
            "robust_ratio": float(np.median((found.doubly_robust.error / found.model.error)[enough]))
            if enough.any()
            else None,
            "closer": _error(found.inverse_propensity, truth) / _error(found.model, truth),
            "closer_normalised": _error(found.self_normalised, truth) / _error(found.model, truth),
            "closer_robust": _error(found.doubly_robust, truth) / _error(found.model, truth),
            "width": float(np.median(found.model.error) / np.ptp(table)),
            "error": _error(found.model, truth) / float(np.ptp(table)),
            "sample": float(np.median(found.effective_sample_size)),
            "seconds": seconds,
        }
        return pl.DataFrame([row], schema_overrides=dict.fromkeys(OPTIONAL, pl.Float64))

    def _policies(self, types: Matrix) -> Iterator[Matrix]:
        rng = np.random.default_rng([self.seed, 7])
        return islice(drawn_policies(types, instance_of(self.family, self.seed).game.n_actions, rng), POLICIES)


OPTIONAL = ("covered_warned", "narrower_where_enough", "robust_ratio")
"""Columns that are empty where no policy, or every one, has a warning."""


def _record(instance: Instance, rounds: list[Round]) -> tuple[Record, Matrix]:
    """The record of a run, and its types."""
    game, actions = instance.game, np.array([each.action for each in rounds])
    responses = np.array([each.feedback.response for each in rounds])
    rewards = np.asarray(game.reward(game.actions[actions], responses))
    record = Record(np.array([each.strategy for each in rounds]), actions, rewards, np.ones(len(rounds), dtype=bool))
    return record, np.array([each.opponent_type for each in rounds])


def journal_tasks(first: int = REPORT.start, count: int = 1) -> list[Task]:
    """Return the journals of so many instances of each family; those of games not developed on in the report only.

    The kernel of roads is no product, and every round has another type: its joint posterior is refused.
    """
    families = (*DEVELOPED, *OTHERS) if first in REPORT else DEVELOPED
    pairs = [(family, learner) for family in families for learner in LEARNERS if (family, learner) != ("roads", PAPER)]
    return [JournalTask(family, learner, first + i) for family, learner in pairs for i in range(count)]


def summarise_journals(table: pl.DataFrame) -> pl.DataFrame:
    """One row per family and learner: the means of all measures, and the smallest coverage of a journal."""
    measures = [name for name in table.columns if name not in {"family", "learner", "seed"}]
    return table.group_by("family", "learner", maintain_order=True).agg(
        pl.len().alias("journals"), pl.col("covered").min().alias("smallest"), *[pl.col(m).mean() for m in measures]
    )
