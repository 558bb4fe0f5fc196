"""A belief that needs no assumptions: scaled features and responses, fitted hyperparameters, weights for outliers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from firstmover.beliefs.relevance import Structure, structures
from firstmover.beliefs.sampling import joint_draws
from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Belief, Game
from firstmover.core.records import Feedback, Prediction, ShortRepr

MOST_POINTS = 300
"""The latest observations that hyperparameters are fitted to."""

FIRST_FIT = 3
"""Observations before the first fit."""

CLEAR = 4.0
"""Predicted standard deviations beyond which a response counts for less."""

GROSS = 100.0
"""Median deviations beyond which a response does not count for the scale of the responses."""


class Scale(NamedTuple):
    """u = (x − low) / span, of the features that vary."""

    low: Vector
    span: Vector

    @classmethod
    def of(cls, rows: Matrix) -> "Scale":
        """The scale on which these rows fill [0, 1]^d; the span of a feature that does not vary is 0."""
        low = rows.min(axis=0)
        return cls(low, rows.max(axis=0) - low)

    def __call__(self, rows: Matrix) -> Matrix:
        """The scaled features that vary (k, d')."""
        varied = self.span > 0
        return (rows[:, varied] - self.low[varied]) / self.span[varied]


def response_scale(lower: float, upper: float, responses: Vector) -> tuple[float, float] | None:
    """The centre and the scale of responses in a domain; None while nothing tells.

    A bounded domain tells both; with one bound it is the median distance from it; without, the mean and the standard
    deviation of three responses or more.
    """
    if np.isfinite(lower) and np.isfinite(upper):
        return (lower + upper) / 2, (upper - lower) / 4
    if len(responses) < FIRST_FIT:
        return None
    if np.isfinite(lower) or np.isfinite(upper):
        bound, sign = (lower, 1.0) if np.isfinite(lower) else (upper, -1.0)
        distance = float(np.median(np.abs(responses - bound)))
        distance = distance if distance > 0 else float(np.mean(np.abs(responses - bound)))
        return (bound + sign * distance, distance) if distance > 0 else None
    away = np.abs(responses - np.median(responses))
    if not away.any():
        return None
    usual = responses[away <= GROSS * np.median(away[away > 0])]
    return float(usual.mean()), float(usual.std())


@dataclass(frozen=True, eq=False)
class Fit:
    """Hyperparameters: scales, theta and objective of each output and structure, and noise factors of outliers.

    `count` is the number of observations that it follows.
    """

    count: int
    types: Scale
    responses: tuple[tuple[float, float], ...]
    theta: tuple[tuple[Vector, ...], ...]
    objective: Matrix
    noise: Matrix

    @cached_property
    def weights(self) -> Vector:
        """The posterior probability of each structure, from the objectives summed over outputs."""
        total = self.objective.sum(axis=0)
        weights = np.exp(total.min() - total)
        return np.asarray(weights / weights.sum(), dtype=np.float64)


@dataclass(frozen=True, eq=False, repr=False)
class FittedBelief(ShortRepr):
    """The posterior of b in scaled features and responses, with a bank of structures weighted by their evidence.

    Each output has hyperparameters of its own. Between fits it is conditioned on each response as any belief. A
    response y that lies r > 4 predicted standard deviations off has a noise variance of (r/4)² λ, as with the weights of
    robust and conjugate Gaussian processes (Altamirano, Briol and Knoblauch 2024): one that was typed wrongly hardly
    counts, and all others count in full.
    """

    game: Game
    seen: tuple[Feedback, ...] = ()
    last: Fit | None = None
    noise: tuple[Vector, ...] = ()
    members: tuple[tuple[Belief, ...], ...] = field(default=(), repr=False)

    @classmethod
    def prior(cls, game: Game) -> Self:
        """Return the belief before the first response."""
        belief = cls(game)
        scales = belief._response_scales()
        if scales is None or game.types is None:
            return belief
        bank = belief._bank(Scale.of(game.types))
        theta = tuple(tuple(s.priors[:, 0].copy() for s in bank) for _ in scales)
        fit = Fit(0, Scale.of(game.types), scales, theta, np.zeros((len(scales), len(bank))), np.empty((0, len(scales))))
        return belief._with(fit)

    @property
    def count(self) -> int:
        """The number of observations."""
        return len(self.seen)

    @cached_property
    def _actions(self) -> Matrix:
        rows = Scale.of(self.game.actions)(self.game.actions)
        return rows if rows.shape[1] else np.zeros((len(rows), 1))

    def _bank(self, types: Scale) -> tuple[Structure, ...]:
        seen = self.game.types if self.game.types is not None else np.array([f.opponent_type for f in self.seen])
        return structures(Scale.of(self.game.actions)(self.game.actions), types(seen))

    def _type_rows(self, scale: Scale, rows: Matrix) -> Matrix:
        scaled = scale(rows)
        return scaled if scaled.shape[1] else np.zeros((len(rows), 1))

    def _response_scales(self) -> tuple[tuple[float, float], ...] | None:
        responses = np.array([f.response for f in self.seen]).reshape(self.count, self.game.n_outputs)
        domain, scales = self.game.response_domain, []
        for output, (lower, upper) in enumerate(zip(domain.lower, domain.upper, strict=True)):
            scale = response_scale(lower, upper, responses[:, output])
            if scale is None:
                return None
            scales.append(scale)
        return tuple(scales)

    @property
    def fit_due(self) -> bool:
        """Whether the observations have grown by a third since the last fit."""
        last = self.last.count if self.last is not None else 0
        return self.count >= max(FIRST_FIT, last + max(2, last // 3))

    def _fitted(self) -> Fit | None:
        """The hyperparameters of largest posterior density given all observations."""
        scales = self._response_scales()
        if scales is None:
            return None
        types = np.array([f.opponent_type for f in self.seen])
        scale = Scale.of(types if self.game.types is None else self.game.types)
        bank, start = self._bank(scale), self.last
        same = start is not None and np.array_equal(start.types.span > 0, scale.span > 0)
        latest = slice(-MOST_POINTS, None)
        u, v = self._actions[[f.action for f in self.seen]][latest], self._type_rows(scale, types)[latest]
        thetas, objective, noise = [], [], []
        for output, (centre, unit) in enumerate(scales):
            y = (np.array([f.response[output] for f in self.seen]) - centre) / unit
            factors = np.array([row[output] for row in self.noise])
            row, costs = [], []
            for k, structure in enumerate(bank):
                theta = start.theta[output][k] if same and start is not None else structure.priors[:, 0]
                found = structure.fit(u, v, y[latest], factors[latest], theta)
                row.append(found.theta)
                costs.append(found.objective)
            thetas.append(tuple(row))
            objective.append(costs)
            noise.append(factors)
        return Fit(self.count, scale, scales, tuple(thetas), np.array(objective), np.array(noise).T)

    def refitted(self) -> Self:
        """Fit, and return the belief with the result."""
        fit = self._fitted()
        return self if fit is None else self._with(fit)

    def _with(self, fit: Fit) -> Self:
        """The belief with these hyperparameters, conditioned on all observations."""
        from firstmover.beliefs import belief_over  # noqa: PLC0415 - this module is part of that package

        game, bank = self.game, self._bank(fit.types)
        known = None if game.types is None else np.unique(self._type_rows(fit.types, game.types), axis=0)
        members = tuple(
            tuple(
                belief_over(s.kernel(theta), s.noise_variance(theta), self._actions, 1, known)
                for s, theta in zip(bank, thetas, strict=True)
            )
            for thetas in fit.theta
        )
        belief = replace(self, last=fit, members=members, noise=())
        for seen, noise in zip(self.seen, fit.noise, strict=True):
            belief = belief._conditioned(seen, noise)
        return belief

    def _conditioned(self, seen: Feedback, noise: Vector) -> Self:
        """The belief with one more response in its members, whose noise factors are given (m,)."""
        assert self.last is not None
        kind = self._kind(seen.opponent_type)
        members = tuple(
            tuple(belief.condition(seen.action, kind, np.array([(y - centre) / unit]), factor) for belief in row)
            for row, y, (centre, unit), factor in zip(self.members, seen.response, self.last.responses, noise, strict=True)
        )
        return replace(self, members=members, noise=(*self.noise, noise))

    def _kind(self, opponent_type: Vector) -> Vector:
        assert self.last is not None
        return self._type_rows(self.last.types, np.asarray(opponent_type)[None])[0]

    def condition(self, action: int, opponent_type: Vector, response: Vector) -> Self:
        """Return the belief after one more response; hyperparameters stay."""
        seen = self.game.check(Feedback(action, opponent_type, response))
        belief = replace(self, seen=(*self.seen, seen))
        m = self.game.n_outputs
        if self.last is None:
            return replace(belief, noise=(*self.noise, np.ones(m)))
        off = np.abs(self.residual(seen))
        return belief._conditioned(seen, np.maximum(1.0, np.square(off / CLEAR)))

    def residual(self, seen: Feedback) -> Vector:
        """The response minus its prediction, in predicted standard deviations including the noise (m,)."""
        mean, std = self.predict(seen.opponent_type)
        return (seen.response - mean[seen.action]) / np.sqrt(std[seen.action] ** 2 + self.noise_std**2)

    @property
    def noise_std(self) -> Vector:
        """√λ of each output in its own unit, averaged over structures (m,)."""
        assert self.last is not None
        units = np.array([unit for _, unit in self.last.responses])
        variances = np.array([[belief.regularization for belief in row] for row in self.members])
        return np.asarray(units * np.sqrt(variances @ self.last.weights), dtype=np.float64)

    def each(self, opponent_type: Vector) -> list[tuple[float, Prediction]]:
        """The weight and the prediction of each structure at one type."""
        if self.last is None:
            return []
        kind, m = self._kind(opponent_type), self.game.n_outputs
        found = []
        for k, weight in enumerate(self.last.weights):
            if weight < 1e-3:
                continue
            mean, std = np.empty((self.game.n_actions, m)), np.empty((self.game.n_actions, m))
            for output, (centre, unit) in enumerate(self.last.responses):
                prediction = self.members[output][k].predict(kind)
                mean[:, output], std[:, output] = centre + unit * prediction.mean[:, 0], unit * prediction.std
            found.append((float(weight), Prediction(mean, std)))
        return found

    def predict(self, opponent_type: Vector) -> Prediction:
        """Mean and standard deviation (n, m) of the mixture of all structures."""
        each = self.each(opponent_type)
        total = sum(weight for weight, _ in each)
        mean = sum(weight * p.mean for weight, p in each) / total
        square = sum(weight * (p.std**2 + (p.mean - mean) ** 2) for weight, p in each) / total
        return Prediction(mean, np.sqrt(square))
