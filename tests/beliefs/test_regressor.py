"""ResponseRegressor: scikit-learn's own checks, and equality with the beliefs."""

import pickle

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from sklearn.utils.estimator_checks import check_estimator

import firstmover as fm
from firstmover.beliefs import posterior
from firstmover.beliefs.regressor import fitted_belief
from firstmover.core.errors import InvalidInput

RNG = np.random.default_rng(0)
X = RNG.uniform(0, 3, (25, 3))
Y = np.column_stack([np.sin(X[:, 0]) * X[:, 2], 5 + X[:, 1]]) + 0.05 * RNG.standard_normal((25, 2))
QUERIES = RNG.uniform(0, 3, (7, 3))


def check(estimator: fm.ResponseRegressor) -> None:
    found = check_estimator(estimator, on_skip=None)
    assert {each["check_name"] for each in found if each["status"] != "passed"} == {"check_array_api_input"}


def test_scikit_learn_finds_nothing_wrong() -> None:
    """But for array libraries, which it checks only if SCIPY_ARRAY_API is set."""
    check(fm.ResponseRegressor(RBF(1.0), regularization=0.1))


@pytest.mark.slow
def test_scikit_learn_finds_nothing_wrong_with_a_fitted_kernel() -> None:
    check(fm.ResponseRegressor())


def test_a_given_kernel_gives_equations_2_and_3() -> None:
    kernel = 2.0 * RBF(0.8)
    mean, std = fm.ResponseRegressor(kernel, regularization=0.3).fit(X, Y).predict(QUERIES, return_std=True)
    peer = GaussianProcessRegressor(kernel, alpha=0.3, optimizer=None).fit(X, Y[:, 0])
    expected = peer.predict(QUERIES, return_std=True)
    assert mean[:, 0] == pytest.approx(expected[0], rel=1e-9)
    assert std[:, 0] == pytest.approx(expected[1], rel=1e-9)
    assert std[:, 1].tolist() == std[:, 0].tolist()


def test_a_kernel_of_actions_and_types_knows_where_the_columns_part() -> None:
    kernel = fm.on_action(RBF(0.5)) * fm.on_type(RBF(2.0))
    model = fm.ResponseRegressor(kernel, regularization=0.1, action_features=1).fit(X, Y[:, 0])
    same = fm.ResponseRegressor(RBF([0.5, 2.0, 2.0]), regularization=0.1).fit(X, Y[:, 0])
    assert model.predict(QUERIES) == pytest.approx(same.predict(QUERIES), rel=1e-9)


@pytest.mark.parametrize("width", [None, 2])
def test_a_fitted_kernel_predicts_as_the_belief_of_auto(width: int | None) -> None:
    model = fm.ResponseRegressor(action_features=width).fit(X, Y)
    actions, types = (X, np.zeros((25, 1))) if width is None else (X[:, :width], X[:, width:])
    points, kinds = (QUERIES, np.zeros((7, 1))) if width is None else (QUERIES[:, :width], QUERIES[:, width:])
    belief = fitted_belief(actions, types, Y).reaching(points)
    expected = [belief.predict_at(point, kind) for point, kind in zip(points, kinds, strict=True)]
    mean, std = model.predict(QUERIES, return_std=True)
    assert mean == pytest.approx(np.array([each.mean for each in expected]), rel=1e-6)
    assert std == pytest.approx(np.array([each.std for each in expected]), rel=1e-6)
    assert model.noise_std_ == pytest.approx(np.sqrt(belief.noise_variance))


def test_factors_of_the_noise_are_those_of_repeated_responses() -> None:
    """A response with half the noise variance counts as two equal ones."""
    points, y = np.array([[0.0], [1.0]]), np.array([[3.0], [1.0]])
    once = posterior(RBF(), 0.4, points, y, points, noise=np.array([0.5, 1.0]))
    twice = posterior(RBF(), 0.4, points[[0, 0, 1]], y[[0, 0, 1]], points)
    assert once.mean == pytest.approx(twice.mean, rel=1e-12)
    assert once.std == pytest.approx(twice.std, rel=1e-12)


def test_one_wrong_response_hardly_counts() -> None:
    """With it, the error stays below four standard deviations of the noise; it is 400 of them off."""
    rng = np.random.default_rng(1)
    points, queries = rng.uniform(0, 1, (40, 2)), rng.uniform(0, 1, (50, 2))
    y = np.sin(5 * points[:, 0]) + points[:, 1] + 0.05 * rng.standard_normal(40)
    y[30] += 20
    error = fm.ResponseRegressor().fit(points, y).predict(queries) - np.sin(5 * queries[:, 0]) - queries[:, 1]
    assert np.abs(error).max() < 0.2


@pytest.mark.parametrize("value", [0.0, 7.0, -1e6])
def test_a_constant_is_learnt(value: float) -> None:
    mean = fm.ResponseRegressor().fit(X, np.full(25, value)).predict(QUERIES)
    assert mean == pytest.approx(np.full(7, value), abs=0.01 * max(1.0, abs(value)))


def test_a_fitted_estimator_survives_a_pickle_of_its_user() -> None:
    model = fm.ResponseRegressor().fit(X, Y[:, 0])
    assert pickle.loads(pickle.dumps(model)).predict(QUERIES).tolist() == model.predict(QUERIES).tolist()


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (fm.ResponseRegressor("rbf"), "kernel is 'rbf': give a scikit-learn kernel"),  # type: ignore[arg-type]
        (fm.ResponseRegressor(RBF(), regularization=0.0), "regularization is 0.0: it must be a finite number above 0"),
        (fm.ResponseRegressor(action_features=4), "action_features is 4: give at most 3"),
        (fm.ResponseRegressor(action_features=0), "action_features is 0: give 1 or more"),
    ],
)
def test_a_wrong_parameter_is_one_sentence(model: fm.ResponseRegressor, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        model.fit(X, Y)
