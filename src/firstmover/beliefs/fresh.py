"""A belief for types that may be new in every round: a growing Cholesky factor, one triangular solve per round."""

import math
from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from firstmover import kernels
from firstmover.beliefs.checks import check_features, check_scale, lost_variance, rounding, stands_clear
from firstmover.beliefs.exact import SUMS_RATIO, mean_from_sums
from firstmover.beliefs.growing import PANEL, GrowingFactor, GrowingRows
from firstmover.beliefs.low_rank import LEAST_RATIO, START, TOGETHER, Links, LowRank, Sample
from firstmover.beliefs.sampling import Sampling
from firstmover.beliefs.stored_base import StoredBase, base_bytes
from firstmover.core.arrays import MOST_OUTPUTS, Matrix, Vector, as_array, as_count, as_index, as_menu, positive
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Prediction
from firstmover.kernels import pairs

if TYPE_CHECKING:
    from sklearn.gaussian_process.kernels import Kernel

STARTS = (START, 2 * START, 3 * START, 4 * START)
"""Numbers of observations at which a low-rank decomposition is tried, until one is worth it."""

BLOCK = 128
"""Observations that are added to a low-rank decomposition together."""

CELLS = 131_072
"""Values of the kernel between observations and actions that are computed at once, so that they stay in cache."""

FEW = 64
"""Actions up to which the columns of V are solved together even for one of them: L is read once either way."""


class Observations:
    """The observations along one line of beliefs, with L and W = L⁻¹ y; a belief uses the first `count` of them.

    A complete panel of L is computed again from its observations at once, so that the panels do not depend on how the
    observations came, and many of them are computed quickly. If the first observations have a low-rank decomposition,
    `base`, L and W are those of the others given these. `settled` counts the observations in complete panels or in the
    base, and has their information gain.
    """

    def __init__(self, gram: "kernels.MenuGram", n_outputs: int) -> None:
        self.gram, self.actions = gram, list[int]()
        self.types, self.terms = GrowingRows(0), [GrowingRows(len(gram.actions)) for _ in gram.tables]
        self.responses, self.variances = GrowingRows(n_outputs), GrowingRows(1)
        self.stored_pivots: Any = None
        self.stored_count = 0
        self._since(None)

    def _since(self, base: LowRank | None) -> None:
        """Begin with an L of the observations that the base leaves out."""
        self.base, self.factor, self.solved = base, GrowingFactor(), GrowingRows(self.responses.width)
        self.settled = 0, 0.0
        if base is not None:
            lower, solved, links, gain = base.left_out(self.sample())
            self.factor, self.links = GrowingFactor.of(lower), GrowingRows.of(links)
            self.solved = GrowingRows.of(solved)
            self.settled = base.count, base.information_gain + gain

    def at(self, count: int) -> "Observations":
        """Return these observations if there are `count` of them, otherwise a copy of the first `count`."""
        if len(self.actions) == count:
            return self
        first = copy(self)
        first.actions, first.terms = self.actions[:count], [rows.copied(count) for rows in self.terms]
        for name in ("types", "responses", "variances"):
            setattr(first, name, getattr(self, name).copied(count))
        for name in ("factor", "solved") if self.base is None else ("factor", "solved", "links"):
            setattr(first, name, getattr(self, name).copied(self.recent(count)))
        return first

    def recent(self, count: int) -> int:
        """How many of the first `count` observations are not in the base."""
        return count if self.base is None else len(self.base.outside) + count - self.base.count

    def record(self, action: int, opponent_type: Vector, response: Vector, variance: float) -> None:
        """Add an observation, which L and W do not contain yet."""
        t = len(self.actions)
        for rows, term in zip(self.terms, self.gram.action_rows(action), strict=True):
            rows.append(t, term)
        if t == 0:
            self.types = GrowingRows(len(opponent_type))
        self.types.append(t, opponent_type)
        self.responses.append(t, response)
        self.variances.append(t, np.array([variance]))
        self.actions.append(action)

    def record_all(self, actions: list[int], types: Matrix, responses: Matrix, noise: Any) -> None:
        """Record the first observations at once; all have the same variance of noise."""
        terms = [self.gram.action_rows(action) for action in actions]
        self.terms = [GrowingRows.of(np.array([row[k] for row in terms])) for k in range(len(self.terms))]
        self.types, self.responses = GrowingRows.of(types.copy()), GrowingRows.of(responses.copy())
        self.variances, self.actions = GrowingRows.of(np.full((len(actions), 1), noise)), list(actions)

    def append(self, row: Vector, pivot: float, response: Vector, links: Vector) -> None:
        """Add (row, pivot) to L, for the observation recorded last; `response` is its y less the mean of the base."""
        t = self.recent(len(self.actions)) - 1
        self.factor.append(t, row, pivot)
        if self.base is not None:
            self.links.append(t, links)
        self.solved.append(t, (response - (row[None] @ self.solved.first(t))[0]) / pivot)

    def across(self, count: int, opponent_type: Vector, columns: slice = slice(None)) -> Matrix:
        """Return K(observed, (X, θ)) (count, n) of the first observations, or some columns of it."""
        return self._across(slice(count), opponent_type, columns)

    def _across(self, rows: Any, opponent_type: Vector, columns: slice) -> Matrix:
        everything = len(self.actions)
        actions = self.actions[rows] if isinstance(rows, slice) else [self.actions[row] for row in rows]
        terms = [each.first(everything)[rows] for each in self.terms]
        return self.gram.across(terms, actions, self.types.first(everything)[rows], opponent_type, columns)

    def solve(
        self,
        count: int,
        opponent_type: Vector,
        prior_variance: Vector,
        columns: slice = slice(None),
        links: Links | None = None,
    ) -> "Solved":
        """Return V and σ² of all actions at one type, or of some, whose `links` may be known."""
        base = self.base
        if base is None:
            v = self.factor.solve(count, self.across(count, opponent_type, columns))
            return Solved(opponent_type, prior_variance, v, np.empty((0, v.shape[1])))
        if links is None:
            across = self._across(base.pivots, opponent_type, columns)
            links = base.links(across) if across.shape[1] > 1 else base.links_of_next(count, across)
        g, h = links
        recent = self.recent(count)
        right = self._across(np.append(base.outside, np.arange(base.count, count)), opponent_type, columns)
        right = right - self.links.first(recent) @ np.concatenate([g, -h])
        return Solved(opponent_type, prior_variance, self.factor.solve(recent, right), np.concatenate([g, h]))

    def links_ahead(self, actions: list[int], types: Matrix) -> list[Links] | list[None]:
        """Return the links of the next observations, solved together; None of each if there is no base."""
        base, first, found = self.base, len(self.actions), list[Links]()
        if base is None:
            return [None] * len(actions)
        while len(found) < len(actions):
            more = slice(len(found), len(found) + TOGETHER - (first + len(found)) % TOGETHER)
            pairs = zip(actions[more], types[more], strict=True)
            across = np.hstack([self._across(base.pivots, kind, slice(one, one + 1)) for one, kind in pairs])
            g, h = base.links_of_next(first + len(found), across)
            found += [(g[:, [k]], h[:, [k]]) for k in range(across.shape[1])]
        return found

    def base_mean(self, opponent_type: Vector, links: Matrix, columns: slice = slice(None)) -> Matrix:
        """Return μ by the base alone of all actions at one type (n, m), or of some, given their links."""
        base = self.base
        if base is None:
            return np.zeros((1, self.responses.width))
        mean = links[: len(base.pivots)].T @ base.shift
        step = max(1, CELLS // links.shape[1])
        for start in range(0, base.count, step):
            rows = slice(start, min(start + step, base.count))
            mean += self._across(rows, opponent_type, columns).T @ base.weights[rows]
        return mean

    def sample(self) -> Sample:
        """All observations as points."""
        t = len(self.actions)
        points = np.hstack([self.gram.actions[self.actions], self.types.first(t)])
        return Sample(self.gram.kernel, points, self.responses.first(t), self.variances.first(t)[:, 0])

    def decomposed(self) -> "Observations":
        """Return the observations with a larger base or a complete panel if one is due, otherwise these."""
        count = len(self.actions)
        base = self.next_base(count, self.base)
        if base is not None:
            return self if base is self.base else self.based_on(base)
        return self.with_panel(self.sample(), count) if count % PANEL == 0 else self

    def all_decomposed(self, stored: StoredBase | None = None) -> "Observations":
        """Return the first of the recorded observations, with base and panels as if they had come one by one."""
        sample, count, found = self.sample(), 0, self
        base = None if stored is None else stored.base(sample)
        self.stored_pivots, self.stored_count = (None, 0) if base is None else (base.pivots, base.count)
        for last in range(START if base is None else base.count + 1, len(self.actions) + 1):
            base = self.next_base(last, base)
        if base is not None:
            self.actions = self.actions[: base.count]  # the rows of the others are overwritten
            return self.based_on(base)
        while count + PANEL <= len(self.actions) and found.settled[0] == count:
            count += PANEL
            found = found.with_panel(sample, count)
        found.actions = found.actions[: found.settled[0]]
        return found

    def with_panel(self, sample: Sample, count: int) -> "Observations":
        """Return the observations with the panel of L that ends at `count`; these if λ is or was too small for that."""
        start, noise = count - PANEL, sample.variances[count - PANEL : count]
        across = sample.kernel(sample.points[:count], sample.points[start:count])
        rest = across[start:] + np.diag(noise)
        if self.settled[0] != start or noise.min() < LEAST_RATIO * (rest.diagonal() - noise).max():
            return self
        found, v = copy(self), self.factor.solve(start, across[:start])
        lower = np.linalg.cholesky(rest - v.T @ v)
        inverse = np.linalg.inv(lower)
        found.factor = self.factor.with_panel(start, v.T, lower, np.tril(inverse))
        found.solved = self.solved.copied(start)
        for each, row in enumerate(inverse @ (sample.responses[start:count] - v.T @ self.solved.first(start))):
            found.solved.append(start + each, row)
        gain = float(np.log(lower.diagonal()).sum() - 0.5 * np.log(noise).sum())
        found.settled = count, self.settled[1] + gain
        return found

    def based_on(self, base: LowRank) -> "Observations":
        """Return the observations with another base; whichever of both grows first keeps the memory."""
        found = copy(self)
        found._since(base)
        return found

    def next_base(self, count: int, base: LowRank | None) -> LowRank | None:
        """The base after so many observations, given that after one less: it depends on nothing else."""
        if base is None:
            return LowRank.of(self.sample(), count) if count in STARTS else None
        if count < base.count + BLOCK:
            return base
        larger = base.extended(self.sample(), count)
        few = len(larger.outside) <= max(BLOCK, len(base.pivots) // 4)
        return larger if few else LowRank.of(self.sample(), count, worth=1.0) or larger


class Solved:
    """V = L⁻¹ K(observed, (X, θ)), k and σ² of all actions at one type, and the prediction once it was asked for.

    `links` are g and h of the low-rank decomposition of earlier observations, if there is one.
    """

    __slots__ = ("links", "opponent_type", "prediction", "prior_variance", "v", "variance")

    def __init__(self, opponent_type: Vector, prior_variance: Vector, v: Matrix, links: Matrix) -> None:
        self.opponent_type, self.prior_variance, self.v, self.links = opponent_type, prior_variance, v, links
        self.variance: Vector = prior_variance - np.einsum("ij,ij->j", v, v)
        if len(links):
            g, h = np.split(links, 2)
            self.variance += np.einsum("ij,ij->j", h, h) - np.einsum("ij,ij->j", g, g)
        self.prediction: Prediction | None = None

    def reduction(self, chosen: Any) -> Matrix:
        """Prior minus posterior covariance of some actions (k, k)."""
        v, (g, h) = self.v[:, chosen], np.split(self.links[:, chosen], 2)
        return v.T @ v + g.T @ g - h.T @ h


class FreshBelief(Sampling):
    """Eqs. (2) and (3) with K_t + λI = L Lᵀ, for all actions at any one type.

    V = L⁻¹ K(observed, (X, θ)),   μ = Vᵀ W with W = L⁻¹ y,   σ² = k − Σ_i V_i²

    A prediction costs O(t² n). An observation appends one row to L and W: V of the one action, at no cost if its type
    was predicted before and n is small, otherwise in O(t² + t n). How V is solved depends on n alone, so that the last
    bits of a belief do not depend on earlier predictions.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.gaussian_process.kernels import RBF
    >>> from firstmover.beliefs import FreshBelief
    >>> belief = FreshBelief.prior(RBF(), 1.0, np.array([[0.0], [9.0]]), n_outputs=1)
    >>> belief.condition(0, np.zeros(1), np.array([3.0])).predict(np.zeros(1)).std
    array([0.70710678, 1.        ])
    """

    __slots__ = ("_gram", "_observed", "_solved", "count", "information_gain", "regularization")

    _gram: "kernels.MenuGram"
    _observed: Observations
    _solved: Solved | None  # at the type that was asked for last
    regularization: float
    count: int
    information_gain: float

    @classmethod
    def prior(cls, kernel: "Kernel", regularization: float, actions: Matrix, n_outputs: int) -> Self:
        """Return the belief before the first round: mean 0 and variance k(z, z).

        Parameters
        ----------
        kernel
            k over z.
        regularization
            λ.
        actions
            X (n, d).
        n_outputs
            m, the number of outputs.

        Returns
        -------
        Self
            The belief.

        Raises
        ------
        InvalidInput
            If the kernel cannot be used, or an array or number is outside its range.
        """
        gram = kernels.MenuGram(kernel, as_menu("actions", actions))
        return cls()._with(
            Observations(gram, as_count("n_outputs", n_outputs, most=MOST_OUTPUTS)),
            positive("regularization", regularization),
            0,
            0.0,
        )

    def _with(self, observed: Observations, regularization: float, count: int, information_gain: float) -> Self:
        self._gram, self._observed, self._solved = observed.gram, observed, None
        self.regularization, self.count, self.information_gain = regularization, count, information_gain
        return self

    @property
    def kernel(self) -> "Kernel":
        """k, bound to the menu."""
        return self._gram.kernel

    @property
    def latest_type(self) -> Vector | None:
        """The type of the last observation; None before it."""
        return self._observed.types.first(self.count)[-1] if self.count else None

    def predict(self, opponent_type: Vector) -> Prediction:
        """Return mean (n, m) and standard deviation (n,) of all actions at any type, read-only."""
        solved = self._at(opponent_type)
        if solved.prediction is None:
            if not stands_clear(solved.variance, solved.prior_variance, self.count):
                raise self._lost(solved.variance, self._gram.actions, solved.opponent_type)
            mean, std = self._mean(solved), np.sqrt(solved.variance)
            mean.flags.writeable = std.flags.writeable = False
            solved.prediction = Prediction(mean, std)
        return solved.prediction

    def prior_std(self, opponent_type: Vector) -> Vector:
        """Return √k(z, z) of all actions at any type."""
        return np.sqrt(self._at(opponent_type).prior_variance)

    def covariance(self, opponent_type: Vector, /, actions: Sequence[int] | None = None) -> Matrix:
        """Return the posterior covariance k − VᵀV of b at some actions (all by default) and one type: (k, k)."""
        menu, solved = self._gram.actions, self._at(opponent_type)
        chosen = slice(None) if actions is None else [as_index("action", a, len(menu)) for a in actions]
        return self.kernel(pairs(menu[chosen], solved.opponent_type[None])) - solved.reduction(chosen)

    def condition(self, action: int, opponent_type: Vector, response: Vector, noise: float = 1.0) -> Self:
        """Return the belief after one more response, whose noise variance is `noise` times λ."""
        return self._conditioned(action, opponent_type, response, noise)

    def _conditioned(
        self, action: int, opponent_type: Vector, response: Vector, noise: float, known: Links | None = None
    ) -> Self:
        response = as_array("response", response, ndim=1, length=self._observed.solved.width)
        action = as_index("action", action, len(self._gram.actions))
        opponent_type = as_array("opponent_type", opponent_type, ndim=1)
        solved, place = self._solve_one(action, opponent_type, known)
        regularization = self.regularization * noise
        squared = solved.variance[place].item() + regularization
        observed = self._observed.at(self.count)
        links = solved.links[:, place]
        expected = observed.base_mean(opponent_type, links[:, None], slice(action, action + 1))[0]
        observed.record(action, opponent_type, response, regularization)
        observed.append(solved.v[:, place], math.sqrt(squared), response - expected, links)
        gain = self.information_gain + 0.5 * math.log(squared / regularization)
        return self._after(observed.decomposed(), gain)

    def _after(self, observed: Observations, gain: float) -> Self:
        """The belief after all of these observations."""
        count, (settled, known) = len(observed.actions), observed.settled
        gain = known if settled == count else gain
        return type(self)()._with(observed, self.regularization, count, gain)

    def condition_each(
        self,
        actions: list[int],
        types: Matrix,
        responses: Matrix,
        stored: StoredBase | None = None,
    ) -> Self:
        """Return this prior after all these responses, as if they had come one by one, to the last bit.

        With a `stored` base of the first of them, only what comes after it is computed.
        """
        if not actions:
            return self
        observed = self._observed.at(0)
        observed.record_all(actions, types, responses, self.regularization)
        belief = self._after(observed.all_decomposed(stored), 0.0)
        rest = actions[belief.count :], types[belief.count :], responses[belief.count :]
        together = len(self._gram.actions) > FEW
        links = belief._observed.links_ahead(*rest[:2]) if together else [None] * len(rest[0])
        for action, kind, response, known in zip(*rest, links, strict=True):
            belief = belief._conditioned(action, kind, response, 1.0, known)
        return belief

    def base_to_store(self, context: str) -> bytes | None:
        """Return the base as bytes if it is new, or has grown by two blocks since it was stored; else None."""
        observed, base = self._observed, self._observed.base
        if base is None:
            return None
        if base.pivots is observed.stored_pivots and base.count < observed.stored_count + 2 * BLOCK:
            return None
        observed.stored_pivots, observed.stored_count = base.pivots, base.count
        return base_bytes(context, base, observed.sample())

    def condition_all(
        self, actions: list[int], types: Matrix, responses: Matrix, noise: Vector, factor: Matrix
    ) -> Self:
        """Return this prior after all these responses; `factor` is L of K + λ diag(noise)."""
        observed = self._observed.at(0)
        for t, (action, kind, response) in enumerate(zip(actions, types, responses, strict=True)):
            observed.record(action, kind, response, self.regularization * noise[t])
            observed.append(factor[t, :t], factor[t, t], response, np.empty(0))
        gains = np.log(factor.diagonal()) - 0.5 * np.log(self.regularization * noise)
        gain, whole = float(gains.sum()), PANEL * (len(actions) // PANEL)
        observed.settled = whole, float(gains[:whole].sum())
        return type(self)()._with(observed, self.regularization, len(actions), gain)

    def _at(self, opponent_type: Vector) -> Solved:
        """Return V of all actions at one type; the last one is cached."""
        solved = self._solved
        if solved is None or solved.opponent_type is not opponent_type:
            opponent_type = as_array("opponent_type", opponent_type, ndim=1)
            if solved is None or not np.array_equal(solved.opponent_type, opponent_type):
                prior_variance = self._prior_variance(opponent_type)
                solved = self._solved = self._observed.solve(self.count, opponent_type, prior_variance)
        return solved

    def _solve_one(self, action: int, opponent_type: Vector, links: Links | None) -> tuple[Solved, int]:
        """Return V and σ² of one action at one type, and its place among their columns."""
        if len(self._gram.actions) <= FEW:
            solved, place = self._at(opponent_type), action
        else:
            one = slice(action, action + 1)
            prior = self._prior_variance(opponent_type)[one]
            solved, place = self._observed.solve(self.count, opponent_type, prior, one, links), 0
        variance, prior = solved.variance[[place]], solved.prior_variance[[place]]
        if not variance.item() >= rounding(self.count) * prior.item():
            raise self._lost(variance, self._gram.actions[[action]], opponent_type)
        return solved, place

    def _prior_variance(self, opponent_type: Vector) -> Vector:
        """Return k((x, θ), (x, θ)) of all actions, or raise if the type does not fit those observed."""
        width = self._observed.types.width
        if self.count and width != len(opponent_type):
            raise InvalidInput(
                f"opponent_type has {len(opponent_type)} feature(s): those observed before had {width}; give as many."
            )
        if not self.count:
            actions = self._gram.actions
            check_features(self.kernel, actions.shape[1], np.append(actions[0], opponent_type))
        diagonal = self._gram.diagonal(opponent_type)
        check_scale(self.regularization, diagonal)
        return diagonal

    def _lost(self, variance: Vector, actions: Matrix, opponent_type: Vector) -> Exception:
        queries = pairs(actions, opponent_type[None])
        return lost_variance(variance, self.regularization, self.kernel, self._points(), queries)

    def _mean(self, solved: Solved) -> Matrix:
        t, past, prior = self.count, self._observed, solved.prior_variance
        if t and self.regularization < SUMS_RATIO * prior[prior.argmax()]:
            queries = pairs(self._gram.actions, solved.opponent_type[None])
            told = np.column_stack([past.responses.first(t), np.ones(t)]) * (
                self.regularization / past.variances.first(t)
            )
            return mean_from_sums(self.kernel, self.regularization, self._points(), told, queries)
        recent = solved.v.T @ past.solved.first(past.recent(t))
        return recent if past.base is None else past.base_mean(solved.opponent_type, solved.links) + recent

    def _points(self) -> Matrix:
        """z of all observations (t, d + p)."""
        t = self.count
        return np.hstack([self._gram.actions[self._observed.actions[:t]], self._observed.types.first(t)])
