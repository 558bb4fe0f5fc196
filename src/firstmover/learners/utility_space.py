"""Linear bandits over utility vectors: the responses of finitely many types are known, the type of a round is not."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from firstmover.beliefs.confidence import LemmaWidth
from firstmover.core.arrays import Mask, Matrix, Vector, as_array, as_mask
from firstmover.core.cards import StrategyCard
from firstmover.core.contracts import ConfidenceWidth, Game, TrueRewards, decided
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Feedback
from firstmover.learners.fixed import always
from firstmover.learners.reward_regression import observed_reward

RIDGE = 1.0
"""λ of the regression of OFUL."""

NOISE = 0.5
"""A reward in [0, 1] is ½-sub-Gaussian around its mean over the types (Hoeffding's lemma)."""

RANK = 1e-9
"""Singular values of the utility vectors below this share of the largest one are rounding."""

NEARLY_OPTIMAL, MOST_STEPS = 1.05, 1000
"""A design whose largest leverage is this multiple of the smallest possible is taken, after at most so many steps."""


class KnownTypes(NamedTuple):
    """The contexts of a game (c, ·), and the remaining features of its types (q, ·): every pair is a type."""

    contexts: Matrix
    rests: Matrix


def known_types(game: Game) -> KnownTypes | None:
    """Return contexts and rests of a game whose types are all their combinations; None for other games."""
    if game.types is None or game.reward_range is None:
        return None
    types = np.unique(game.types, axis=0)
    columns = list(game.context)
    contexts = np.unique(types[:, columns], axis=0)
    rests = np.unique(np.delete(types, columns, axis=1), axis=0)
    return KnownTypes(contexts, rests) if len(contexts) * len(rests) == len(types) else None


def utility_vectors(game: Game, true_rewards: TrueRewards) -> NDArray[np.float64]:
    """Return u(c, x) = (r(x, b(x, (c, u_1))), …, r(x, b(x, (c, u_q)))) of contexts and actions (c, n, q), in [0, 1]."""
    known = known_types(game)
    if known is None:
        raise InvalidInput(
            f"game {game.name!r} has no stated reward_range, no known types, or contexts that do not come with every "
            "rest of the type: utility vectors need these, so use another learner, such as 'stackelucb'."
        )
    columns = list(game.context)
    others = [i for i in range(len(columns) + known.rests.shape[1]) if i not in columns]
    vectors = np.empty((len(known.contexts), game.n_actions, len(known.rests)))
    for i, context in enumerate(known.contexts):
        for j, rest in enumerate(known.rests):
            opponent_type = np.empty(len(columns) + len(others))
            opponent_type[columns], opponent_type[others] = context, rest
            vectors[i, :, j] = as_array("true_rewards", true_rewards(opponent_type), ndim=1, length=game.n_actions)
    return scaled_rewards(game, vectors)


def scaled_rewards(game: Game, rewards: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rewards as shares of the game's range; noise may carry them out of [0, 1]."""
    assert game.reward_range is not None
    low, high = game.reward_range
    return (rewards - low) / (high - low)


@dataclass(frozen=True, eq=False, repr=False)
class UtilityOFUL(StrategyCard):
    """x_t = argmax_x ⟨u(c_t, x), p̂_t⟩ + β_t ‖u(c_t, x)‖_{V⁻¹}: the reduction of Balcan et al. (2025) with OFUL.

    The expected reward is ⟨u(c, x), p⟩ for the unknown distribution p of the types, so that p̂ is a ridge regression:
    V = λI + Σ u_s u_sᵀ, p̂ = V⁻¹ Σ u_s g_s, with the scaled reward g_s. β_t = ½ √(2 log(1/δ) + log det(V/λ)) + √λ
    (Abbasi-Yadkori et al. 2011, Theorem 2, with ‖p‖₂ ≤ 1). The type that is told after the round is not used. Without
    a context, the vectors are means over contexts. `gram` is V as one row, `total` is Σ u_s g_s.
    """

    game: Game
    vectors: NDArray[np.float64]
    confidence: ConfidenceWidth
    gram: Vector
    total: Vector

    @classmethod
    def start(cls, game: Game, true_rewards: TrueRewards, failure_probability: float) -> Self:
        """Return the learner of the first round."""
        vectors = utility_vectors(game, true_rewards)
        q = vectors.shape[2]
        width = LemmaWidth(1.0, NOISE, RIDGE, failure_probability, formula="sum")
        return cls(game, vectors, width, RIDGE * np.eye(q).ravel(), np.zeros(q))

    @property
    def strategy(self) -> Vector:
        """p_t without a context: all weight on one action."""
        return self.decide()

    def decide(self, context: Vector | None = None, allowed: Mask | None = None) -> Vector:
        """All weight on the allowed action of the largest upper bound, ties to the first."""
        n = self.game.n_actions
        mask = np.ones(n, dtype=bool) if allowed is None else as_mask("allowed", allowed, n)
        return always(int(np.argmax(np.where(mask, self.upper_bounds(context), -np.inf))), n)

    def upper_bounds(self, context: Vector | None = None) -> Vector:
        """Return ⟨u, p̂⟩ + β ‖u‖_{V⁻¹} of all actions (n,)."""
        vectors = self._vectors(context)
        gram = self.gram.reshape(len(self.total), -1)
        solved = np.linalg.solve(gram, np.column_stack([vectors.T, self.total]))
        spread = np.sqrt(np.einsum("nq,qn->n", vectors, solved[:, :-1]))
        gain = 0.5 * (np.linalg.slogdet(gram)[1] - len(gram) * np.log(RIDGE))
        return np.asarray(vectors @ solved[:, -1] + np.sqrt(RIDGE) * self.confidence(float(gain)) * spread)

    def _vectors(self, context: Vector | None) -> Matrix:
        if context is None:
            return np.asarray(self.vectors.mean(axis=0))
        known = known_types(self.game)
        assert known is not None
        same = (known.contexts == self.game.checked_context(context)).all(axis=1)
        return np.asarray(self.vectors[int(np.argmax(same))])

    def observe(self, feedback: Feedback) -> Self:
        """Add the round to the regression."""
        seen = self.game.check(feedback)
        context = seen.opponent_type[list(self.game.context)] if self.game.context else None
        vector = self._vectors(context)[seen.action]
        gain = scaled_rewards(self.game, observed_reward(self.game, seen))[0]
        return replace(self, gram=self.gram + np.outer(vector, vector).ravel(), total=self.total + gain * vector)


@dataclass(frozen=True, eq=False, repr=False)
class UtilityExp2(StrategyCard):
    """p_t = (1 − γ) q_t + γ π, q_t[x] ∝ exp(η Σ_s ĝ_s[x]), with ĝ_s[x] = u(x)ᵀ Q_s⁻¹ u(x_s) g_s, Q_s = Σ_x p_s[x] u uᵀ.

    Exponential weights for linear bandits over utility vectors of rank d (Lattimore and Szepesvári 2020, Algorithm 15),
    for types in any order: E ĝ_s[x] is the reward of x against the type of round s. π is a nearly G-optimal design with
    the largest leverage G = max_x u(x)ᵀ Q(π)⁻¹ u(x) ≥ d, γ = min(1, η G) and η = √(log n / ((2G + d) T)). The type that
    is told after the round is not used. A round in which another action than the drawn one was played teaches nothing.

    `coordinates` (n, d) are those of the utility vectors in an orthonormal basis of their span.
    """

    game: Game
    coordinates: Matrix
    design: Vector
    learning_rate: float
    exploration: float
    totals: Vector

    @classmethod
    def start(cls, game: Game, true_rewards: TrueRewards, horizon: int) -> Self:
        """Return the learner of the first round."""
        if game.context:
            raise InvalidInput(
                f"game {game.name!r} has a context: utility-exp2 plays one fixed set of utility vectors."
            )
        left, values, _ = np.linalg.svd(utility_vectors(game, true_rewards)[0], full_matrices=False)
        rank = max(1, int(np.sum(values > RANK * values[0])))
        coordinates = left[:, :rank]
        design, leverage = optimal_design(coordinates)
        rate = float(np.sqrt(np.log(game.n_actions) / ((2 * leverage + rank) * horizon)))
        return cls(game, coordinates, design, rate, min(1.0, rate * leverage), np.zeros(game.n_actions))

    @cached_property
    def strategy(self) -> Vector:
        """p_t."""
        weights = np.exp(self.learning_rate * (self.totals - self.totals.max()))
        return (1 - self.exploration) * weights / weights.sum() + self.exploration * self.design

    def observe(self, feedback: Feedback) -> Self:
        """Add the estimated rewards of all actions, if the drawn action was played."""
        seen = self.game.check(feedback)
        if seen.advised is not None:
            return self
        u, p = self.coordinates, decided(self, None, seen.allowed)
        gain = scaled_rewards(self.game, observed_reward(self.game, seen))[0]
        played = np.linalg.pinv(u.T @ (p[:, None] * u), hermitian=True) @ u[seen.action]
        return replace(self, totals=self.totals + gain * (u @ played))


def optimal_design(vectors: Matrix) -> tuple[Vector, float]:
    """Return a distribution π over rows that span R^d, and its largest leverage max_x u(x)ᵀ Q(π)⁻¹ u(x).

    By Kiefer and Wolfowitz no π has a smaller one than d. π[x] ← π[x] u(x)ᵀ Q(π)⁻¹ u(x) / d increases det Q(π).

    >>> optimal_design(np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]))[0].round(3)
    array([0.458, 0.458, 0.083])
    """
    n, d = vectors.shape
    design = np.full(n, 1 / n)
    for _ in range(MOST_STEPS):
        leverages = np.einsum("nd,dn->n", vectors, np.linalg.solve(vectors.T @ (design[:, None] * vectors), vectors.T))
        if leverages.max() <= NEARLY_OPTIMAL * d:
            break
        design = design * leverages / d
    return design / design.sum(), float(leverages.max())
