"""An estimator of scikit-learn whose predictions are those of the beliefs."""

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from firstmover.beliefs.exact import posterior
from firstmover.beliefs.fitted import FittedBelief
from firstmover.beliefs.outliers import mixed
from firstmover.beliefs.scaling import FIRST_FIT, Scale
from firstmover.core.arrays import Matrix, Vector, as_count, positive
from firstmover.core.contracts import Game
from firstmover.core.numerics import one_thread
from firstmover.core.records import Box, Feedback
from firstmover.kernels import bind

if TYPE_CHECKING:
    from sklearn.gaussian_process.kernels import Kernel
    from sklearn.utils import Tags

MOST_FITS = 10
"""Fits of the hyperparameters: after each the outliers are found again, and if they are others it is repeated."""


class Process(NamedTuple):
    """A Gaussian process of one output: its probability, its kernel and λ, responses (t,) and their factors of λ."""

    probability: float
    kernel: "Kernel"
    regularization: float
    responses: Vector
    noise: Vector
    centre: float = 0.0
    unit: float = 1.0
    calibration: float = 1.0


class ResponseRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A regressor of responses on actions and types: the posterior of the response function b.

    Without a kernel, features and responses are scaled and the kernel and the noise are fitted as by `auto`: a mixture
    of several structures, in which responses far from their prediction count for less. With one, the posterior is
    Eqs. (2) and (3) of the paper, and nothing is scaled or fitted. A fit costs O(t³) for t rows.

    Parameters
    ----------
    kernel
        A kernel over the rows of X, also of `on_action` and `on_type`; None: it is fitted.
    regularization
        λ, the variance of the noise, for a given kernel.
    action_features
        The number of columns of X, the first ones, that are features of the action; the others are features of the
        type. None: all of them.

    Attributes
    ----------
    noise_std_
        The standard deviation of the noise of each output (m,).
    n_features_in_
        The number of columns of X.

    Raises
    ------
    InvalidInput
        If a parameter cannot be used.
    ValueError
        By `fit` and `predict`, if X or y is no finite array of the right shape, or has fewer than three rows.

    Examples
    --------
    >>> import numpy as np
    >>> import firstmover as fm
    >>> price = np.linspace(1.0, 8.0, 15)[:, None]
    >>> sold = 10 * np.exp(-price[:, 0] / 3) + np.random.default_rng(0).normal(0, 0.1, 15)
    >>> model = fm.ResponseRegressor().fit(price, sold)
    >>> mean, std = model.predict([[3.3]], return_std=True)
    >>> print(mean.round(1), bool(abs(mean[0] - 10 * np.exp(-1.1)) < 3 * std[0]))
    [3.3] True
    """

    def __init__(
        self, kernel: "Kernel | None" = None, *, regularization: float = 0.01, action_features: int | None = None
    ) -> None:
        self.kernel, self.regularization, self.action_features = kernel, regularization, action_features

    def __sklearn_tags__(self) -> "Tags":
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Condition on responses y (t,) or (t, m) at the rows of X (t, k).

        Parameters
        ----------
        X
            One row of features per response: those of the action, then those of the type.
        y
            The responses, of one output or of several.

        Returns
        -------
        ResponseRegressor
            This estimator.

        Raises
        ------
        ValueError
            If X or y cannot be used.
        """
        X, y = validate_data(
            self, X, y, dtype=np.float64, multi_output=True, y_numeric=True, ensure_min_samples=FIRST_FIT
        )
        rows, responses = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
        width = rows.shape[1] if self.action_features is None else self.action_features
        self.action_width_ = as_count("action_features", width, most=rows.shape[1])
        self.one_output_ = responses.ndim == 1
        with one_thread():
            self._condition(rows, responses.reshape(len(rows), -1))
        return self

    def _condition(self, rows: Matrix, responses: Matrix) -> None:
        width = self.action_width_
        if self.kernel is not None:
            kernel, variance = bind(self.kernel, width), positive("regularization", self.regularization)
            same = np.ones(len(rows))
            self.scales_, self.points_ = None, rows
            self.processes_ = [[Process(1.0, kernel, variance, output, same)] for output in responses.T]
            self.noise_std_ = np.full(responses.shape[1], np.sqrt(variance))
            return
        actions, types = self._sides(rows)
        belief = fitted_belief(actions, types, responses)
        last = belief.last
        assert last is not None
        self.scales_ = Scale.of(actions), last.types
        self.points_ = self._points(rows)
        self.processes_ = []
        for output, (centre, unit) in enumerate(last.responses):
            processes = []
            for k in last.counting:
                structure, theta, past = belief.regression(k, output)
                kernel, variance = structure.kernel(theta), structure.noise_variance(theta)
                kernel = bind(kernel, past.actions.shape[1])
                scale = centre, unit, float(belief.calibration[output])
                processes.append(Process(float(last.weights[k]), kernel, variance, past.responses, past.noise, *scale))
            self.processes_.append(processes)
        self.noise_std_ = np.sqrt(belief.noise_variance)

    def _points(self, rows: Matrix) -> Matrix:
        """The rows as the kernels take them: scaled, with a column of zeros in place of features that do not vary."""
        if self.scales_ is None:
            return rows
        scaled = [scale(part) for scale, part in zip(self.scales_, self._sides(rows), strict=True)]
        return np.hstack([part if part.shape[1] else np.zeros((len(rows), 1)) for part in scaled])

    def _sides(self, rows: Matrix) -> tuple[Matrix, Matrix]:
        """The features of the action, and those of the type: a 0 if there are none."""
        actions, types = np.split(rows, [self.action_width_], axis=1)
        return actions, types if types.shape[1] else np.zeros((len(rows), 1))

    def predict(
        self, X: ArrayLike, return_std: bool = False
    ) -> NDArray[np.float64] | tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the posterior mean of b at the rows of X, and perhaps its standard deviation.

        Parameters
        ----------
        X
            One row of features per prediction (k, d + p).
        return_std
            Whether to return standard deviations too: of b, without the noise of a new response, which has
            `noise_std_`.

        Returns
        -------
        ndarray or tuple of ndarray
            Means (k,) or (k, m), as y was given; with `return_std` also standard deviations of the same shape.

        Raises
        ------
        ValueError
            If X cannot be used, or the estimator was not fitted.
        """
        check_is_fitted(self)
        queries = self._points(np.asarray(validate_data(self, X, dtype=np.float64, reset=False), dtype=np.float64))
        with one_thread():
            found = [self._predicted(processes, queries) for processes in self.processes_]
        mean, std = (np.stack([output[i] for output in found], axis=1) for i in (0, 1))
        if self.one_output_:
            mean, std = mean[:, 0], std[:, 0]
        return (mean, std) if return_std else mean

    def _predicted(self, processes: list[Process], queries: Matrix) -> tuple[Vector, Vector]:
        """Mean and standard deviation of one output (k,): those of the mixture of its processes."""
        first, means, variances = processes[0], [], []
        for each in processes:
            y = each.responses[:, None]
            mean, std = posterior(each.kernel, each.regularization, self.points_, y, queries, noise=each.noise)
            means.append(mean[:, 0])
            variances.append(std**2)
        probabilities = np.array([each.probability for each in processes])
        mean, std = mixed(probabilities, np.array(means), np.array(variances))
        return first.centre + first.unit * mean, first.calibration * first.unit * std


def fitted_belief(actions: Matrix, types: Matrix, responses: Matrix) -> FittedBelief:
    """Return the belief of `auto` with hyperparameters fitted to responses (t, m) to actions (t, d) by types (t, p)."""
    menu, place = np.unique(actions, axis=0, return_inverse=True)
    game = Game("rows", menu, _NoReward(), _domain(responses))
    seen = [Feedback(*row) for row in zip(place.ravel().tolist(), types, responses, strict=True)]
    belief = FittedBelief(game, seen=tuple(seen), noise=tuple(np.ones_like(responses)))
    for _ in range(MOST_FITS):
        before, belief = belief.noise, belief.fitted(belief.fit())
        if np.allclose(before, belief.noise, rtol=0.1):
            break
    return belief


def _domain(responses: Matrix) -> Box:
    """Any responses; of an output that is constant, those within twice its size: nothing else tells its scale."""
    constant, value = np.ptp(responses, axis=0) == 0, responses[0]
    reach = np.where(constant, 2 * np.where(value == 0, 1.0, np.abs(value)), np.inf)
    return Box(value - reach, value + reach)


class _NoReward:
    """The reward of a game that is never played."""

    def __call__(self, actions: Matrix, responses: Matrix) -> Vector:  # noqa: ARG002
        return np.zeros(len(actions))

    def best_in_box(self, actions: Matrix, box: Any) -> Vector:  # noqa: ARG002
        return np.zeros(len(actions))
