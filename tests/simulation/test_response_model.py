"""Models of responses: forecasts from the past alone, draws that vary, and the judgement on held-out rounds."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LinearRegression

from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box
from firstmover.games import increasing
from firstmover.simulation.held_out import advantage_of_decisions, judged
from firstmover.simulation.regressor_model import RegressorModel
from firstmover.simulation.response_model import BeliefModel, History

PRICES = np.array([[1.0], [2.0], [3.0]])
GAME = Game("shop", PRICES, increasing(lambda x, y: x[:, 0] * y[:, 0]), Box([-np.inf], [np.inf]), context=(0,))


def history(t: int = 60, noise: float = 0.5, seed: int = 0, slope: float = -2.0) -> History:
    rng = np.random.default_rng(seed)
    x, theta = rng.uniform(1, 3, size=(t, 1)), rng.integers(0, 2, size=(t, 1)).astype(float)
    return History(x, theta, 10 + slope * x + 3 * theta + noise * rng.standard_normal((t, 1)))


def after(model, past):
    for seen in zip(*past, strict=True):
        model = model.observe(*seen)
    return model


def models(past):
    return {
        "belief": BeliefModel.start(GAME, past),
        "linear": RegressorModel.start(LinearRegression(), GAME, past),
        "forest": RegressorModel.start(RandomForestRegressor(20), GAME, past),
    }


def test_the_nearest_action_counts_spans_of_each_feature() -> None:
    menu = np.array([[0.0, 0.0], [1.0, 1000.0]])
    game = Game("two", menu, increasing(lambda _, y: y[:, 0]), Box([0], [1]))
    past = History(np.array([[0.9, 400.0], [0.2, 600.0]]), np.zeros((2, 1)), np.zeros((2, 1)))
    assert past.nearest(game).tolist() == [1, 0]


@pytest.mark.parametrize("name", ["belief", "linear", "forest"])
def test_forecasts_and_draws_follow_the_truth(name: str) -> None:
    past = history()
    model = after(models(past)[name], past).refitted()
    mean, std = model.forecast(np.array([2.0]), np.array([1.0]))
    assert mean[0] == pytest.approx(9.0, abs=0.6)  # the noise of 0.5 is averaged over many rounds
    assert 0.3 < std[0] < 1.2
    assert 0.3 < model.noise_std[0] < 1.0
    draws = model.draw_functions(30, np.random.default_rng(0), np.array([[0.0], [1.0]]))
    assert draws.shape == (30, 2, 3, 1)
    spread = draws.std(axis=0).ravel()
    assert (spread > 0.01).all()
    assert (spread < 0.6).all()
    assert (np.diff(draws.mean(axis=0)[..., 0], axis=1) < -1).all()  # demand falls by 2 per unit of price
    middle = draws.mean(axis=0)[:, 1, 0]
    assert middle[1] - middle[0] == pytest.approx(3.0, abs=0.6)  # as far as the mean above


def test_the_forecast_of_a_belief_counts_the_noise_once() -> None:
    past = history()
    model = after(BeliefModel.start(GAME, past), past)
    features, kind = PRICES[1], np.array([1.0])
    mean, std = model.belief.predict_at(features, kind)
    forecast = model.forecast(features, kind)
    assert forecast.mean == pytest.approx(mean)
    assert forecast.std == pytest.approx(np.sqrt(std**2 + model.noise_std**2), rel=1e-12)


def test_a_forecast_before_the_first_fit_is_infinitely_unsure() -> None:
    past = history(5)
    for model in models(past).values():
        assert np.isinf(model.forecast(past.features[0], past.types[0]).std).all()


def test_bootstrap_draws_of_an_exact_line_do_not_vary() -> None:
    past = history(noise=0.0)
    model = after(RegressorModel.start(LinearRegression(), GAME, past), past).refitted()
    draws = model.draw_functions(5, np.random.default_rng(0), np.array([[1.0]]))
    assert draws[:, 0, :, 0] == pytest.approx(np.tile(13 - 2 * PRICES[:, 0], (5, 1)))


def test_errors_are_those_of_forecasts_by_the_past_alone() -> None:
    """By hand, with the mean of the responses before as the model."""

    class Mean:
        def __init__(self, seen=()):
            self.seen = seen

        def forecast(self, _features, _kind):
            return (np.mean(self.seen, axis=0), np.ones(1)) if self.seen else (np.zeros(1), np.full(1, np.inf))

        def observe(self, _features, _kind, response):
            return Mean((*self.seen, response))

    y = np.array([[float(i % 4)] for i in range(20)])
    past = History(np.zeros((20, 1)), np.zeros((20, 1)), y)
    _, found = judged(Mean(), past, ["sold"])
    before = np.array([y[:i].mean() for i in range(10, 20)])
    assert found.rounds == 10
    assert found.constant[0] == pytest.approx(np.sqrt(np.mean((y[10:, 0] - before) ** 2)))
    assert found.error == pytest.approx(found.constant)
    assert found.last[0] == pytest.approx(np.sqrt(np.mean((y[10:, 0] - y[9:-1, 0]) ** 2)))
    assert found.share == pytest.approx(1.0)
    assert found.advantage == 0.0
    assert "no better than a constant" in str(found.refusal)


def test_a_model_that_explains_nothing_is_refused_and_one_that_does_is_not() -> None:
    past = history()
    _, found = judged(models(past)["belief"], past, ["sold"])
    assert found.refusal is None
    assert found.error[0] < 0.8 < found.constant[0]
    assert 0.8 <= found.covered[1, 0] <= 1
    rng = np.random.default_rng(1)
    noise = past._replace(responses=rng.standard_normal((60, 1)))
    _, poor = judged(models(noise)["forest"], noise, ["sold"])
    assert poor.refusal is not None


@pytest.mark.parametrize(
    ("past", "words"),
    [(history(19), "19 rounds"), (history()._replace(responses=np.full((60, 1), 3.0)), "'sold' is the same in all 60")],
)
def test_histories_that_cannot_be_judged_are_refused(past: History, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        judged(models(past)["belief"], past, ["sold"])


def test_a_regressor_that_cannot_be_fitted_is_refused_in_one_sentence() -> None:
    past = history()
    with pytest.raises(InvalidInput, match="'IsotonicRegression' cannot be fitted to this history"):
        after(RegressorModel.start(IsotonicRegression(), GAME, past), past)


def test_decisions_matter_where_they_do() -> None:
    for slope, matter in ((-2.0, True), (0.0, False)):
        past = history(slope=slope)
        start = BeliefModel.start(GAME, past)
        found = judged(start, past, ["sold"])[1]
        assert (advantage_of_decisions(start, past, found) > 1.645) == matter
