"""A belief that needs no assumptions: scaled features and responses, fitted hyperparameters, robust to outliers."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from firstmover.beliefs.functionals import Pairs, Regression
from firstmover.beliefs.outliers import fitting_noise, judged, mixed, predicted_in_turn
from firstmover.beliefs.relevance import Past, Structure, structures
from firstmover.beliefs.sampling import joint_draws
from firstmover.beliefs.scaling import FIRST_FIT, Scale, menu_scale, response_scale, scaled
from firstmover.core.arrays import Matrix, Vector, as_array
from firstmover.core.cards import BeliefCard
from firstmover.core.contracts import Belief, Game
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Feedback, Prediction

MOST_POINTS = 200
"""The different pairs of action and type that hyperparameters are fitted to, the latest ones of each action."""

NEGLIGIBLE = 1e-3
"""Probability below which a structure is left out of predictions."""

PRIOR_COUNT = 4.0
"""Responses at new points that the assumption of correct standard deviations counts as."""

OUTSIDE, NINE_TENTHS, STEP = 0.1, 1.6448536, 0.1
"""The share of responses outside of their bands, half the width of a band in standard deviations, and the step of s."""

MOST_KINDS = 30
"""Types over which the joint uncertainty is computed; of more, equally spaced ones in the order of rounds."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Hyperparameters after `count` observations: scales, and theta and objective of each output and structure.

    `actions` is the scale of a fit to another menu; None: that of the menu.
    """

    count: int
    types: Scale
    responses: tuple[tuple[float, float], ...]
    theta: tuple[tuple[Vector, ...], ...]
    objective: Matrix
    actions: Scale | None = None

    @cached_property
    def weights(self) -> Vector:
        """The posterior probability of each structure, by the objectives summed over outputs; 0 where negligible."""
        total = self.objective.sum(axis=0)
        weights = np.exp(total.min() - total)
        weights = np.where(weights >= NEGLIGIBLE * weights.sum(), weights, 0.0)
        return np.asarray(weights / weights.sum(), dtype=np.float64)

    @cached_property
    def counting(self) -> list[int]:
        """The structures that count: the others are in no prediction."""
        return np.flatnonzero(self.weights).tolist()

    def stored(self) -> dict[str, Any]:
        """Return all of it in plain numbers."""
        return {
            "count": self.count,
            "types": [self.types.low.tolist(), self.types.span.tolist()],
            "responses": [list(scale) for scale in self.responses],
            "theta": [[theta.tolist() for theta in row] for row in self.theta],
            "objective": self.objective.tolist(),
        }

    @classmethod
    def restored(cls, stored: Mapping[str, Any]) -> "Fit":
        """Return the fit that `stored` wrote."""
        low, span = (np.array(values, dtype=float) for values in stored["types"])
        return cls(
            stored["count"],
            Scale(low, span),
            tuple((centre, unit) for centre, unit in stored["responses"]),
            tuple(tuple(np.array(theta) for theta in row) for row in stored["theta"]),
            np.array(stored["objective"], dtype=float),
            Scale(*(np.array(values) for values in stored["actions"])) if "actions" in stored else None,
        )


class Weighted(NamedTuple):
    """The prediction of one structure, its probability, and the width of its joint uncertainty over types.

    `joint` (n, m) is the standard deviation of Σ_s b(x, θ_s) over the types so far, divided by the sum of the standard
    deviations of b(x, θ_s): 1 if the errors at all types are the same, and smaller the less they have in common.
    """

    probability: float
    prediction: Prediction
    joint: Matrix


@dataclass(frozen=True, eq=False, repr=False)
class FittedBelief(BeliefCard):
    """The posterior of b in scaled features and responses, with a bank of structures weighted by their evidence.

    Each output has hyperparameters of its own; `fitted` replaces them, and nothing else does. A response that lies
    r > 4 predicted standard deviations off has the noise variance (r/4)⁴ λ, in the spirit of robust and conjugate
    Gaussian processes (Altamirano, Briol and Knoblauch 2024): one that was typed wrongly hardly counts, all others
    count in full. Standard deviations are multiplied by

    c² = (4 + Σ_s w_s z_s²) / (4 + Σ_s w_s),   w_s = σ_s² / (σ_s² + λ)

    with z_s the error of the prediction before response s in predicted standard deviations, at most 4: responses where
    b was uncertain tell whether σ is right, those at well-known actions do not.

    In 90 % bands of responses the noise variance is exp(2s) λ. After each response s increases by 0.1 (1 − 0.1) if it
    lay outside of its band and by 0.1 (0 − 0.1) otherwise: in the long run a tenth lies outside, whatever the noise is
    (adaptive conformal inference, Gibbs and Candès 2021). Only bands depend on s; fits leave it as it is.

    `further` (k, d) holds the features of actions that were observed and are not on the menu; they are numbered after
    the menu, and predictions leave them out.
    """

    game: Game
    further: Matrix | None = None
    seen: tuple[Feedback, ...] = ()
    last: Fit | None = None
    members: tuple[tuple[Belief, ...], ...] = ()
    noise: tuple[Vector, ...] = ()
    squares: tuple[Vector, Vector] | None = None
    joint: tuple[tuple[Vector, ...], ...] | None = None
    log_factor: Vector | None = None

    @classmethod
    def prior(cls, game: Game) -> Self:
        """Return the belief before the first response."""
        belief = cls(game)
        scales = belief._response_scales()
        if scales is None or game.types is None:
            return belief
        scale = Scale.of(game.types)
        bank = belief._bank(scale)
        theta = tuple(tuple(structure.priors[:, 0].copy() for structure in bank) for _ in scales)
        objective = np.array([[-structure.odds for structure in bank]] * len(scales))
        return belief._with(Fit(0, scale, scales, theta, objective))

    @property
    def count(self) -> int:
        """The number of observations."""
        return len(self.seen)

    @property
    def latest_type(self) -> Vector | None:
        """The type of the last observation; before it, the first known type, or None."""
        if self.seen:
            return self.seen[-1].opponent_type
        return None if self.game.types is None else self.game.types[0]

    @property
    def information_gain(self) -> float:
        """That of the likeliest structure, its largest over the outputs."""
        if self.last is None:
            return 0.0
        likeliest = int(np.argmax(self.last.weights[self.last.counting]))
        return max(row[likeliest].information_gain for row in self.members)

    @cached_property
    def _points(self) -> Matrix:
        """The features of the menu and, after them, of all further actions."""
        return self.game.actions if self.further is None else np.concatenate([self.game.actions, self.further])

    @cached_property
    def _features(self) -> Matrix:
        """The scaled features that vary on the menu, of all points; none if there is one action."""
        other = None if self.last is None else self.last.actions
        return (other or menu_scale(self.game))(self._points)

    @cached_property
    def _actions(self) -> Matrix:
        return _some(self._features)

    @property
    def types(self) -> Matrix:
        """The types of all observations (t, p)."""
        return np.array([seen.opponent_type for seen in self.seen])

    def _bank(self, scale: Scale) -> tuple[Structure, ...]:
        types = self.types if self.game.types is None else self.game.types
        return structures(self._features[: self.game.n_actions], scale(types), congestion=self.game.congestion)

    def _response_scales(self) -> tuple[tuple[float, float], ...] | None:
        domain = self.game.response_domain
        responses = np.array([seen.response for seen in self.seen]).reshape(self.count, self.game.n_outputs)
        rows = zip(domain.lower, domain.upper, responses.T, strict=True)
        scales = [response_scale(*row, from_bound=self.game.congestion) for row in rows]
        found = tuple(scale for scale in scales if scale is not None)
        return found if len(found) == len(scales) else None

    @property
    def fit_due(self) -> bool:
        """Whether the observations have grown by a third since the last fit, or that was of another menu."""
        last = 0 if self.last is None or self.last.actions is not None else self.last.count
        return self.count >= max(FIRST_FIT, last + max(2, last // 3)) and self._response_scales() is not None

    def held(self) -> Self:
        """Return the belief whose hyperparameters stay as they are, whatever it observes: no fit is due."""
        return self if self.last is None else replace(self, last=replace(self.last, count=sys.maxsize))

    def fit(self) -> dict[str, Any]:
        """Return the hyperparameters of largest posterior density given all observations, in plain numbers."""
        if self.last is not None and self.last.actions is not None:
            return replace(self, last=replace(self.last, actions=None)).fit()
        types, scales = self.types, self._response_scales()
        assert scales is not None
        scale = Scale.of_usual(types) if self.game.types is None else Scale.of(self.game.types)
        bank, last = self._bank(scale), self.last
        same = last is not None and np.array_equal(last.types.span > 0, scale.span > 0)
        same = same and last is not None and last.objective.shape[1] == len(bank)  # not with a fit of another version
        counts = last.weights > 0 if same and last else np.ones(len(bank), dtype=bool)
        thetas, objective = [], []
        for output in range(self.game.n_outputs):
            past = self._past(scale, scales, output)
            past = past._replace(noise=fitting_noise(past.responses, past.noise)).merged(MOST_POINTS)
            starts = [last.theta[output][k] if same and last else s.priors[:, 0] for k, s in enumerate(bank)]
            found = [s.fit(past, starts[k], counts=bool(counts[k])) for k, s in enumerate(bank)]
            thetas.append(tuple(fit.theta for fit in found))
            objective.append([fit.objective for fit in found])
        return Fit(self.count, scale, scales, tuple(thetas), np.array(objective)).stored()

    def fitted(self, fit: Mapping[str, Any]) -> Self:
        """Return the belief with these hyperparameters, conditioned on all observations."""
        return self._with(Fit.restored(fit))

    def translated(self, fit: Mapping[str, Any], before: Game, columns: Sequence[int], width: int) -> dict[str, Any]:
        """Return a fit of the game as it was `before`, when it had fewer actions or features of types.

        Its features of types are now in these `columns` of `width`; the others do not vary in it.
        """
        scales = np.zeros((2, width))
        scales[:, list(columns)] = fit["types"]
        return {**fit, "types": scales.tolist(), "actions": [part.tolist() for part in menu_scale(before)]}

    def _past(self, types: Scale, responses: tuple[tuple[float, float], ...], output: int) -> Past:
        """All observations of one output in scaled features and responses."""
        centre, unit = responses[output]
        y = scaled(np.array([seen.response[output] for seen in self.seen]), centre, unit)
        noise = np.array([noise[output] for noise in self.noise])
        return Past(self._actions[[seen.action for seen in self.seen]], _some(types(self.types)), y, noise)

    def _with(self, fit: Fit) -> Self:
        """The belief of these hyperparameters given all observations, as if they had come one by one."""
        if (None if self.last is None else self.last.actions) is not fit.actions:  # scaled features are cached
            return replace(self, last=fit)._with(fit)
        from firstmover.beliefs import belief_over  # noqa: PLC0415 - this module is part of that package

        game, bank, t = self.game, self._bank(fit.types), self.count
        known = None if game.types is None else np.unique(_some(fit.types(game.types)), axis=0)
        noise, squares, rows = np.ones((t, game.n_outputs)), np.zeros((2, game.n_outputs)), []
        actions = [seen.action for seen in self.seen]
        for output, thetas in enumerate(fit.theta):
            pairs = [(bank[k], thetas[k]) for k in fit.counting]
            row = [belief_over(s.kernel(theta), s.noise_variance(theta), self._actions, 1, known) for s, theta in pairs]
            if t:
                past = self._past(fit.types, fit.responses, output)
                found = predicted_in_turn(pairs, fit.weights[fit.counting], past)
                noise[:, output], squares[:, output] = found.noise, found.squares
                row = [
                    member.condition_all(actions, past.types, past.responses[:, None], found.noise, factor)  # type: ignore[attr-defined]
                    for member, factor in zip(row, found.factors, strict=True)
                ]
            rows.append(tuple(row))
        belief = replace(
            self, last=fit, members=tuple(rows), noise=tuple(noise), squares=(squares[0], squares[1]), joint=None
        )
        return replace(belief, joint=belief._joint(bank)) if t else belief

    def _joint(self, bank: tuple[Structure, ...]) -> tuple[tuple[Vector, ...], ...]:
        """The joint uncertainty over types, for each output and structure that counts."""
        assert self.last is not None
        types = _some(self.last.types(self.types))
        kinds, counts = np.unique(types, axis=0, return_counts=True)
        if len(kinds) > MOST_KINDS:
            kinds, counts = (
                types[np.linspace(0, len(types) - 1, MOST_KINDS).astype(int)],
                np.ones(MOST_KINDS, dtype=int),
            )
        rows, menu = [], self._actions[: self.game.n_actions]
        for output, thetas in enumerate(self.last.theta):
            past, shares = (
                self._past(self.last.types, self.last.responses, output).merged(MOST_POINTS),
                counts / counts.sum(),
            )
            rows.append(tuple(bank[k].joint_share(thetas[k], menu, past, kinds, shares) for k in self.last.counting))
        return tuple(rows)

    def condition(self, action: int, opponent_type: Vector, response: Vector) -> Self:
        """Return the belief after one more response; hyperparameters stay."""
        return self._learnt(self.game.check(Feedback(action, opponent_type, response)))

    def reaching(self, features: Matrix) -> Self:
        """Return the belief that also knows these actions (k, d), on the menu or not; its observations stay."""
        new = [row for row in np.unique(features, axis=0) if not (self._points == row).all(axis=1).any()]
        if not new:
            return self
        belief = replace(self, further=np.array(new if self.further is None else [*self.further, *new]))
        return belief if self.last is None else belief._with(self.last)

    def condition_at(self, features: Vector, opponent_type: Vector, response: Vector) -> Self:
        """Return the belief after one more response to an action that it knows by its features."""
        self.game.check(Feedback(0, opponent_type, response))
        return self._learnt(Feedback(self._place(features), opponent_type, response))

    def predict_at(self, features: Vector, opponent_type: Vector) -> Prediction:
        """Mean and standard deviation (m,) at an action that it knows by its features."""
        if self.last is None:
            mean, std = self.predict(opponent_type)
            return Prediction(mean[0], std[0])
        mean, std = self._mixture(opponent_type)
        place = self._place(features)
        return Prediction(mean[place], self.calibration * std[place])

    def _place(self, features: Vector) -> int:
        return int(np.argmax((self._points == features).all(axis=1)))

    def _learnt(self, seen: Feedback) -> Self:
        if self.seen and len(seen.opponent_type) != len(self.seen[0].opponent_type):
            raise InvalidInput(
                f"opponent_type has {len(seen.opponent_type)} feature(s): those before have "
                f"{len(self.seen[0].opponent_type)}."
            )
        if self.last is None:
            return replace(self, seen=(*self.seen, seen), noise=(*self.noise, np.ones(self.game.n_outputs)))
        return self._conditioned(seen)

    def _conditioned(self, seen: Feedback) -> Self:
        assert self.last is not None
        assert self.squares is not None
        mean, std = self._mixture(seen.opponent_type)
        error, variance = seen.response - mean[seen.action], std[seen.action] ** 2
        noise, more = judged(error, variance, self.noise_variance)
        band = NINE_TENTHS * np.sqrt(self.calibration**2 * variance + self.band_variance)
        log_factor = self._log_factor + STEP * ((np.abs(error) > band) - OUTSIDE)
        squares = self.squares[0] + more[0], self.squares[1] + more[1]
        kind, rows = self._kind(seen.opponent_type), []
        for row, y, (centre, unit), factor in zip(
            self.members, seen.response, self.last.responses, noise.tolist(), strict=True
        ):
            response = scaled(np.array([y]), centre, unit)
            rows.append(tuple(member.condition(seen.action, kind, response, factor) for member in row))  # type: ignore[call-arg]
        learnt = replace(self, seen=(*self.seen, seen), members=tuple(rows), noise=(*self.noise, noise))
        return replace(learnt, squares=squares, log_factor=log_factor)

    def _kind(self, opponent_type: Vector) -> Vector:
        assert self.last is not None
        row, types = as_array("opponent_type", opponent_type, ndim=1), self.game.types
        if types is not None and not (types == row).all(axis=1).any():
            raise InvalidInput(f"opponent_type {row.tolist()} is not among the {len(types)} known types of the game.")
        return _some(self.last.types(row[None]))[0]

    @property
    def band_variance(self) -> Vector:
        """exp(2s) λ of each output in its own unit (m,), the noise variance of 90 % bands."""
        return np.asarray(np.exp(2 * self._log_factor) * self.noise_variance, dtype=np.float64)

    @property
    def _log_factor(self) -> Vector:
        """s of each output (m,)."""
        return np.zeros(self.game.n_outputs) if self.log_factor is None else self.log_factor

    @property
    def noise_variance(self) -> Vector:
        """λ of each output in its own unit, averaged over structures (m,); 0 before the first fit."""
        if self.last is None:
            return np.zeros(self.game.n_outputs)
        units = np.array([unit for _, unit in self.last.responses])
        variances = np.array([[member.regularization for member in row] for row in self.members])  # type: ignore[attr-defined]
        return np.asarray(units**2 * (variances @ self.last.weights[self.last.counting]), dtype=np.float64)

    @property
    def calibration(self) -> Vector:
        """c of each output, the factor of its standard deviations (m,)."""
        assert self.squares is not None
        return np.asarray(np.sqrt((PRIOR_COUNT + self.squares[0]) / (PRIOR_COUNT + self.squares[1])), dtype=np.float64)

    @property
    def outliers(self) -> tuple[int, ...]:
        """The numbers of the observations, from 0, that count for less than a tenth."""
        return tuple(i for i, noise in enumerate(self.noise) if noise.max() > 10)

    def _each(self, opponent_type: Vector) -> list[Prediction]:
        """The predictions at one type of the structures that count, σ without c; further actions too."""
        assert self.last is not None
        kind, shape, found = self._kind(opponent_type), (len(self._points), self.game.n_outputs), []
        for members in zip(*self.members, strict=True):
            mean, std = np.empty(shape), np.empty(shape)
            for output, (member, (centre, unit)) in enumerate(zip(members, self.last.responses, strict=True)):
                prediction = member.predict(kind)
                mean[:, output], std[:, output] = centre + unit * prediction.mean[:, 0], unit * prediction.std
            found.append(Prediction(mean, std))
        return found

    def _mixture(self, opponent_type: Vector) -> Prediction:
        assert self.last is not None
        each = self._each(opponent_type)
        means, stds = (np.stack([prediction[i] for prediction in each]) for i in (0, 1))
        return mixed(self.last.weights[self.last.counting], means, stds**2)

    def predict(self, opponent_type: Vector) -> Prediction:
        """Mean and standard deviation (n, m) of the mixture of all structures; an infinite one before the first fit."""
        if self.last is None:
            domain, shape = self.game.response_domain, (self.game.n_actions, self.game.n_outputs)
            anywhere = np.clip(0.0, domain.lower, domain.upper)
            return Prediction(np.broadcast_to(anywhere, shape), np.full(shape, np.inf))
        menu = slice(self.game.n_actions)
        mean, std = self._mixture(opponent_type)
        return Prediction(mean[menu], self.calibration * std[menu])

    def prior_std(self, opponent_type: Vector) -> Matrix:
        """The standard deviation (n, m) by the same hyperparameters without any observation."""
        if self.last is None:
            return self.predict(opponent_type).std
        kind, units = self._kind(opponent_type), [unit for _, unit in self.last.responses]
        each = [np.square([member.prior_std(kind) for member in row]) for row in self.members]  # type: ignore[attr-defined]
        prior = self.calibration * units * np.sqrt(self.last.weights[self.last.counting] @ np.array(each)).T
        return np.asarray(prior[: self.game.n_actions], dtype=np.float64)

    def weighted(self, opponent_type: Vector) -> list[Weighted]:
        """The prediction of each structure that counts; none before the first fit."""
        if self.last is None:
            return []
        found, c, menu = [], self.calibration, slice(self.game.n_actions)
        for k, each in enumerate(self._each(opponent_type)):
            mean, std = each.mean[menu], each.std[menu]
            joint = np.ones_like(std) if self.joint is None else np.stack([row[k] for row in self.joint], axis=1)
            found.append(Weighted(float(self.last.weights[self.last.counting[k]]), Prediction(mean, c * std), joint))
        return found

    @property
    def joint_share(self) -> Matrix | float:
        """Σ_k P(k) ρ_k(x), the joint share of all structures together (n, m); 1 before the first fit."""
        if self.last is None or self.joint is None:
            return 1.0
        shares = np.array(self.joint)  # (m, structures, n)
        return np.asarray(np.einsum("k,mkn->nm", self.last.weights[self.last.counting], shares), dtype=np.float64)

    def influence(self, action: int, opponent_type: Vector, output: int = 0) -> Vector:
        """Return the weight of each past response in the mean at one action and type, by the likeliest structure (t,).

        (K + λ diag(noise))⁻¹ k(z), with z the action and type: the mean is the weighted sum of scaled responses.
        """
        assert self.last is not None
        likeliest = int(np.argmax(self.last.weights))
        structure, theta = self._bank(self.last.types)[likeliest], self.last.theta[output][likeliest]
        past = self._past(self.last.types, self.last.responses, output)
        actions = np.vstack([past.actions, self._actions[[action]]])
        types = np.vstack([past.types, self._kind(opponent_type)])
        gram = structure.covariance(theta, actions, types)
        total = gram[:-1, :-1] + np.diag(structure.noise_variance(theta) * past.noise)
        return np.asarray(np.linalg.solve(total, gram[:-1, -1]), dtype=np.float64)

    def regressions(self, types: Matrix, pairs: Pairs) -> list[tuple[float, tuple[Regression, ...]]]:
        """Return each structure that counts with its probability and a regression of each output; none before a fit.

        `types` (q, p) are distinct ones, and `pairs` the pairs of all observations in their order, by number.
        """
        from firstmover.kernels import DomainGram  # noqa: PLC0415 - slow to import

        if self.last is None:
            return []
        fit, bank, kinds = self.last, self._bank(self.last.types), _some(self.last.types(types))
        found = []
        for k in fit.counting:
            row = []
            for output, (centre, unit) in enumerate(fit.responses):
                theta, past = fit.theta[output][k], self._past(fit.types, fit.responses, output)
                gram = DomainGram(bank[k].kernel(theta), self._actions, kinds)
                noise, c = bank[k].noise_variance(theta) * past.noise, float(self.calibration[output])
                row.append(Regression(gram, pairs, past.responses[:, None], noise, centre=centre, unit=unit, factor=c))
            found.append((float(fit.weights[k]), tuple(row)))
        return found

    def regression(self, k: int, output: int) -> tuple[Structure, Vector, Past]:
        """Return structure k, its hyperparameters for one output, and all observations in scaled units."""
        assert self.last is not None
        past = self._past(self.last.types, self.last.responses, output)
        return self._bank(self.last.types)[k], self.last.theta[output][k], past

    def scaled_grid(self, types: Matrix) -> tuple[Matrix, Matrix]:
        """Return the scaled features of the menu, and of types (q, p)."""
        return self._actions[: self.game.n_actions], np.array([self._kind(each) for each in types])

    def covariance(self, opponent_type: Vector, /, actions: Sequence[int] | None = None) -> NDArray[np.float64]:
        """Return the posterior covariance of each output at some actions (all by default) and one type: (m, k, k).

        It is that of the likeliest structure.
        """
        assert self.last is not None
        likeliest, kind = int(np.argmax(self.last.weights[self.last.counting])), self._kind(opponent_type)
        actions = range(self.game.n_actions) if actions is None else actions
        scales = (self.calibration * [unit for _, unit in self.last.responses]) ** 2
        each = [row[likeliest].covariance(kind, actions=actions) for row in self.members]
        return np.stack([scale * covariance for scale, covariance in zip(scales, each, strict=True)])

    def sample(
        self, n: int, rng: np.random.Generator, opponent_type: Vector, /, actions: Sequence[int] | None = None
    ) -> NDArray[np.float64]:
        """Return n joint draws of b at some actions (all by default) and one type, by the likeliest structure."""
        mean = self.predict(opponent_type).mean
        mean = mean if actions is None else mean[list(actions)]
        covariances = self.covariance(opponent_type, actions=actions)
        draws = [joint_draws(mean[:, [j]], covariance, n, rng) for j, covariance in enumerate(covariances)]
        return np.concatenate(draws, axis=2)


def _some(rows: Matrix) -> Matrix:
    """The rows, or a column of zeros where no feature varies."""
    return rows if rows.shape[1] else np.zeros((len(rows), 1))
