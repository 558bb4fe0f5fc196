import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.gaussian_process.kernels import RBF

from firstmover import InvalidInput
from firstmover.beliefs import FiniteBelief
from firstmover.games import radius_for_horizon, simplex_grid
from firstmover.theory import Premises, corollary_2, corollary_3, theorem_1
from firstmover.theory.bounds import learning_factor

PAPER = Premises(failure_probability=0.05, reward_lipschitz=2.0, regularization=1.0)
T = np.array([50.0, 200.0])


def test_theorem_1_worked_by_hand() -> None:
    bound = theorem_1(PAPER, 200, confidence_width=3.0, information_gain=4.0, n_actions=7)
    assert bound.weights[0] == pytest.approx(np.sqrt(100 * np.log(7)))
    assert bound.chance[0] == pytest.approx(np.sqrt(100 * np.log(20)))
    assert bound.learning[0] == pytest.approx(4 * 2 * 3 * np.sqrt(200 * 1 * 4))
    assert bound.total[0] == pytest.approx(13.9498 + 17.3082 + 678.8225, abs=1e-3)
    assert bound.holds_with == 0.9
    assert list(bound.terms) == ["weights", "chance", "learning the response"]


def test_a_term_that_is_zero_at_first_is_named() -> None:
    bound = theorem_1(PAPER, T, 3.0, np.array([0.0, 4.0]), n_actions=7)
    assert bound.learning[0] == 0
    assert "learning the response" in bound.terms


def test_contexts_cost_the_root_of_their_number() -> None:
    one = theorem_1(PAPER, T, 3.0, 4.0, n_actions=7)
    five = theorem_1(PAPER, T, 3.0, 4.0, n_actions=7, n_contexts=5)
    assert five.weights == pytest.approx(np.sqrt(T / 2 * 5 * np.log(7)))
    assert five.total - five.weights == pytest.approx(one.total - one.weights)
    planned = theorem_1(PAPER, 50, 3.0, 4.0, n_actions=7, n_contexts=5, horizon=200)
    rate = np.sqrt(8 * 5 * np.log(7) / 200)
    assert planned.weights[0] == pytest.approx(5 * np.log(7) / rate + rate * 50 / 8)


def test_corollary_2_is_the_last_term_alone() -> None:
    bound = corollary_2(PAPER, T, np.array([1.0, 3.0]), np.array([2.0, 4.0]))
    assert bound.total == pytest.approx([8 * 1 * np.sqrt(50 * 2), 8 * 3 * np.sqrt(200 * 4)])
    assert bound.holds_with == 0.95


def test_corollary_3_worked_by_hand() -> None:
    bound = corollary_3(PAPER, 200, 3.0, 4.0, n_leader_actions=3, response_lipschitz=0.5)
    # log |D| = 3 log(2 · 1.5 · √600) = 3 log 73.485 = 12.8914
    assert bound.weights[0] == pytest.approx(np.sqrt(100 * 12.8914), rel=1e-5)
    assert bound.discretisation[0] == pytest.approx(np.sqrt(600))
    assert bound.learning[0] == pytest.approx(4 * 2 * 3 * np.sqrt(800))


def test_a_grid_that_was_built_has_its_own_size_and_costs_its_own_radius() -> None:
    """N = 12 steps have (4/3) / 12 = 0.111 ≤ 0.115 and C(14, 2) = 91 points; T L_r (1 + L_b) · 0.115 = 69."""
    built = corollary_3(PAPER, 200, 3.0, 4.0, n_leader_actions=3, response_lipschitz=0.5, radius=0.115)
    assert built.weights[0] == pytest.approx(np.sqrt(100 * np.log(91)))
    assert built.discretisation[0] == pytest.approx(200 * 2 * 1.5 * 0.115)


@pytest.mark.parametrize("width", [0.4875, 1.0, 6.0])
def test_the_radius_of_equation_9_costs_the_same_whatever_the_width_of_the_rewards(width: float) -> None:
    """Eq. (9) knows no w: T L_r (1 + L_b) radius = √(n_l T) in the reward's own units, 34.64 at T = 400."""
    radius = radius_for_horizon(3, 400, 0.5, 1.0)
    premises = Premises(0.1, 0.5, 1.0, reward_width=width, n_outputs=3)
    bound = corollary_3(premises, [100, 400], 1.0, 1.0, n_leader_actions=3, response_lipschitz=1.0, radius=radius)
    assert bound.discretisation == pytest.approx([100 * np.sqrt(3 / 400), np.sqrt(1200)])
    assert bound.weights[1] == pytest.approx(width * np.sqrt(200 * np.log(153)))


@given(st.floats(0.01, 1.9), st.floats(0.1, 10), st.integers(0, 2**32 - 1))
def test_a_grid_costs_what_the_term_says(radius: float, slope: float, seed: int) -> None:
    """The steepest reward that L_r (1 + L_b) allows, L ‖x − x*‖₁ below its best: what the nearest point of D loses."""
    best = np.random.default_rng(seed).dirichlet(np.ones(3))
    lost = slope * np.abs(simplex_grid(3, radius) - best).sum(axis=1).min()
    premises = Premises(0.1, slope, 1.0, reward_width=0.1)
    bound = corollary_3(premises, 7, 0.0, 0.0, n_leader_actions=3, response_lipschitz=0.0, radius=radius)
    assert 7 * lost <= bound.discretisation[0] * (1 + 1e-9)


def test_where_one_strategy_is_near_enough_to_all_weights_cost_nothing() -> None:
    flat = Premises(0.1, reward_lipschitz=1e-4, regularization=1.0)
    assert corollary_3(flat, 10, 1.0, 1.0, n_leader_actions=2, response_lipschitz=0.0).weights[0] == 0


def test_a_running_game_pays_for_the_horizon_its_rate_was_chosen_for() -> None:
    """With η = √(8 log n / H): log n / η + η T / 8, from the analysis of the weights."""
    eta = np.sqrt(8 * np.log(7) / 400)
    running = theorem_1(PAPER, T, 3.0, 4.0, n_actions=7, horizon=400)
    assert running.weights == pytest.approx(np.log(7) / eta + eta * T / 8)
    done = theorem_1(PAPER, 400, 3.0, 4.0, n_actions=7)
    assert theorem_1(PAPER, 400, 3.0, 4.0, n_actions=7, horizon=400).total == pytest.approx(done.total)
    leader = corollary_3(PAPER, T, 3.0, 4.0, n_leader_actions=2, response_lipschitz=1.0, horizon=400)
    assert leader.discretisation == pytest.approx(T * np.sqrt(2 / 400))


@given(st.floats(0.01, 100))
def test_regret_in_other_units_has_the_bound_in_other_units(scale: float) -> None:
    wide = Premises(0.05, reward_lipschitz=2 * scale, regularization=1.0, reward_width=scale)
    assert theorem_1(wide, T, 3.0, 4.0, n_actions=7).total == pytest.approx(
        scale * theorem_1(PAPER, T, 3.0, 4.0, n_actions=7).total
    )
    ours, theirs = (
        corollary_3(p, T, 3.0, 4.0, n_leader_actions=3, response_lipschitz=0.5).total for p in (wide, PAPER)
    )
    assert ours == pytest.approx(scale * theirs)


def test_boxes_of_several_outputs_add_up() -> None:
    three = Premises(0.05, 2.0, 1.0, n_outputs=3)
    assert corollary_2(three, 9, 1.0, 1.0).total == 3 * corollary_2(PAPER, 9, 1.0, 1.0).total


def test_the_printed_factor_holds_up_to_a_kernel_of_two_and_a_half_times_lambda() -> None:
    assert learning_factor(2.51, 1.0) == 4
    assert learning_factor(2.52, 1.0) > 4
    assert Premises(0.1, 1.0, 1.0).as_in_the_paper
    assert not Premises(0.1, 1.0, 0.25).as_in_the_paper


@pytest.mark.parametrize("regularization", [0.001, 0.1, 1.0, 4.0])
@pytest.mark.parametrize("spread", [0.0, 1.0, 30.0])
def test_deviations_add_up_to_at_most_what_the_factor_says(regularization: float, spread: float) -> None:
    """Σ_t σ_t(z_t) ≤ factor / 2 · √(T λ γ_T), at points that are all the same, related or unrelated."""
    actions = spread * np.random.default_rng(0).uniform(size=(40, 1))
    belief, deviations = FiniteBelief.prior(RBF(), regularization, actions, np.zeros((1, 1)), 1), []
    for t in range(60):
        deviations.append(belief.predict(np.zeros(1)).std[t % 40])
        belief = belief.condition(t % 40, np.zeros(1), np.zeros(1))
    most = learning_factor(1.0, regularization) / 2 * np.sqrt(60 * regularization * belief.information_gain)
    assert sum(deviations) <= most


def test_without_its_factor_a_small_lambda_would_break_the_bound() -> None:
    """One observation with λ = 0.001: σ = 1, but 2 √(λ γ) = 0.12."""
    gain = 0.5 * np.log(1 + 1 / 0.001)
    assert 2 * np.sqrt(0.001 * gain) < 0.13
    assert learning_factor(1.0, 0.001) / 2 * np.sqrt(0.001 * gain) == pytest.approx(1.0)  # the factor is sharp


def test_one_action_has_no_weights_to_learn() -> None:
    assert theorem_1(PAPER, T, 3.0, 4.0, n_actions=1).weights.tolist() == [0, 0]


def test_a_constant_reward_leaves_nothing_to_lose() -> None:
    assert theorem_1(Premises(0.1, 0.0, 1.0, reward_width=0.0), T, 3.0, 4.0, n_actions=3).total.tolist() == [0, 0]
    flat = Premises(0.1, 0.0, 1.0, reward_width=0.0)
    for radius in (None, 0.5):
        leader = corollary_3(flat, T, 3.0, 4.0, n_leader_actions=2, response_lipschitz=1.0, radius=radius)
        assert leader.total.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"failure_probability": 1.0}, "failure_probability is 1.0: give a number between 0 and 1"),
        ({"failure_probability": -0.1}, "failure_probability is -0.1: it must be"),
        ({"reward_lipschitz": float("inf")}, "reward_lipschitz is inf: give a finite number"),
        ({"regularization": 0.0}, "regularization is 0.0: it must be"),
        ({"n_outputs": 0}, "n_outputs is 0: give 1 or more"),
    ],
)
def test_premises_that_cannot_be_are_refused(change: dict[str, float], sentence: str) -> None:
    fields = {"failure_probability": 0.1, "reward_lipschitz": 1.0, "regularization": 1.0}
    with pytest.raises(InvalidInput, match=sentence):
        Premises(**fields | change)  # type: ignore[arg-type]


def test_curves_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InvalidInput, match="confidence_width must be finite, 0 or more, and one number or 2"):
        theorem_1(PAPER, T, [1.0, 2.0, 3.0], 1.0, n_actions=2)
    with pytest.raises(InvalidInput, match="t reaches 200, beyond the horizon 100"):
        theorem_1(PAPER, T, 1.0, 1.0, n_actions=2, horizon=100)


@pytest.mark.parametrize("t", ["a", np.inf, np.nan, 0, [[1.0]], None, [1, [2]], [5, 0], [np.nan, 5]])
def test_rounds_that_are_none_are_refused(t: object) -> None:
    with pytest.raises(InvalidInput, match="t must hold finite numbers of rounds, 1 or more, in one dimension"):
        theorem_1(PAPER, t, 1.0, 1.0, n_actions=2)  # type: ignore[arg-type]


@pytest.mark.parametrize("width", ["x", [[1.0]], None, -1.0, [1.0, -1.0], [np.nan, 1.0]])
def test_widths_that_are_none_are_refused(width: object) -> None:
    with pytest.raises(InvalidInput, match="confidence_width must be finite, 0 or more, and one number or 2"):
        theorem_1(PAPER, T, width, 1.0, n_actions=2)  # type: ignore[arg-type]


def test_a_delta_that_leaves_nothing_certain_is_refused() -> None:
    """With probability 1 − 2δ: at δ = 0.6 Theorem 1 says nothing, Corollary 2 still holds with 0.4."""
    unsure = Premises(0.6, 1.0, 1.0)
    with pytest.raises(InvalidInput, match=r"failure_probability is 0.6: the bound holds with probability 1 − 2δ"):
        theorem_1(unsure, T, 1.0, 1.0, n_actions=2)
    with pytest.raises(InvalidInput, match=r"so give less than 0.5"):
        corollary_3(unsure, T, 1.0, 1.0, n_leader_actions=2, response_lipschitz=1.0)
    assert corollary_2(unsure, T, 1.0, 1.0).holds_with == pytest.approx(0.4)
    with pytest.raises(InvalidInput, match=r"failure_probability is 0.5: .* so give less than 0.5"):
        theorem_1(Premises(0.5, 1.0, 1.0), T, 1.0, 1.0, n_actions=2)
