"""The parts of the park's experiment."""

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import ConstantKernel, Matern

from firstmover.beliefs import FiniteBelief
from firstmover.beliefs.noisy import WithNoise
from firstmover.paper import wildlife
from firstmover.paper.wildlife import (
    GP_UCB,
    OURS,
    WildlifePreset,
    WildlifeTask,
    belief_over_menu,
    fit_responses,
    fit_rewards,
    held_from,
    labelled,
    offline_reward,
    wildlife_setup,
)
from firstmover.simulation import true_rewards

SHORT = {"rounds": 15, "offline_points": 40, "history_points": 60, "mixed_patrols": 80}
TEXT, RELEASED = (WildlifePreset.load(r).model_copy(update=SHORT) for r in ("paper", "released"))
KERNEL = ConstantKernel(4.0) * Matern(0.3, nu=2.5)


@pytest.mark.parametrize(
    ("actions", "expected"),
    [([7, 7, 7], 1), ([1, 7, 7], 2), ([7, 7, 1], 4), ([7, 1, 7], 3), ([1, 1, 1], 4), ([1], 2), ([7], 1)],
)
def test_the_round_from_which_the_best_patrol_is_held(actions: list[int], expected: int) -> None:
    """T + 1 where the last round plays another: an earlier visit is not holding it."""
    assert held_from(np.array(actions), 7) == expected


def test_the_published_menu_has_525_patrols() -> None:
    setup = wildlife_setup(WildlifePreset.load("paper"))
    assert setup.game.actions.shape == (525, 25)
    cells = setup.poachers.park.cell_of(setup.responses)
    assert set(cells) == {8, 16}  # the poachers' answer takes two values: b jumps


def test_density_scales_are_those_of_poachers_and_rangers() -> None:
    text, released = wildlife_setup(TEXT), wildlife_setup(RELEASED)
    np.testing.assert_array_equal(text.responses, released.responses)  # the poachers are the same
    at = text.responses
    assert text.poachers.park.density(at) == pytest.approx(10 * released.poachers.park.density(at))
    covered = text.game.actions[np.arange(105), text.poachers.park.cell_of(at)]
    phi = released.poachers.park.density(at)
    assert text.true_rewards == pytest.approx(covered - (1 - covered) * 10 * phi)
    assert released.true_rewards == pytest.approx(covered - (1 - covered) * phi)


def test_true_rewards_are_those_of_the_opponents_table() -> None:
    setup = wildlife_setup(TEXT)
    np.testing.assert_array_equal(true_rewards(setup.game, setup.poachers)(setup.opponent_type), setup.true_rewards)


def test_offline_responses_are_noisy_answers_to_the_patrols_named() -> None:
    setup = wildlife_setup(TEXT)
    history = setup.sampled(400, 0.1, seed=2)
    noise = np.array([f.response - setup.responses[f.action] for f in history])
    assert noise.std() == pytest.approx(0.1, rel=0.15)  # 800 numbers leave 2.5 %
    assert abs(noise.mean()) < 4 * 0.1 / np.sqrt(800)


def test_hyperparameters_of_gp_ucb_are_fitted_anew_for_every_run() -> None:
    assert fit_rewards(TEXT, 0).kernel != fit_rewards(TEXT, 1).kernel
    assert fit_rewards(TEXT, 1).kernel == fit_rewards(TEXT, 1).kernel
    assert fit_responses(TEXT).kernel == fit_responses(RELEASED).kernel  # responses do not depend on rewards


def test_the_belief_before_round_1() -> None:
    setup, seen = wildlife_setup(RELEASED), wildlife_setup(RELEASED).sampled(1, 0.1, 0)[0]
    plain = belief_over_menu(TEXT, KERNEL, 2, 0.1)
    assert isinstance(plain, FiniteBelief)
    assert plain.information_gain == 0
    informed = belief_over_menu(RELEASED, KERNEL, 2, 0.1)
    assert isinstance(informed, WithNoise)
    at_once = informed.predict(setup.opponent_type)
    assert at_once.mean[seen.action] == pytest.approx(seen.response * 4 / 4.01)
    assert at_once.std[seen.action] == pytest.approx(np.sqrt(4 * 0.01 / 4.01 + 0.01))
    of_rewards = belief_over_menu(RELEASED, KERNEL, 1, 0.002).predict(setup.opponent_type)
    assert of_rewards.mean[seen.action, 0] == pytest.approx(setup.true_rewards[seen.action], rel=1e-5)


@pytest.mark.parametrize("algorithm", [OURS, GP_UCB])
def test_a_run_is_compared_with_the_best_patrol(algorithm: str) -> None:
    task = WildlifeTask(TEXT, labelled(algorithm, 0.5), 4, KERNEL)
    table, setup = task.play(), wildlife_setup(TEXT)
    assert set(table["learner"]) == {f"{algorithm} 0.5"}
    assert set(table["best_action"]) == {setup.known.optimal_action}
    rewards = setup.true_rewards[table["action"].to_numpy()]
    assert table["reward"].to_numpy() == pytest.approx(rewards)
    assert table["cumulative_regret"].to_numpy() == pytest.approx(np.cumsum(setup.known.optimum - rewards), abs=1e-9)
    assert task.play().equals(table)


def test_tasks_and_what_is_noted_of_them() -> None:
    tasks, notes = RELEASED.model_copy(update={"widths": (0.1, 1.0), "reward_widths": (3.0,)}).tasks(2)
    assert [(t.label, t.seed) for t in tasks] == [
        (label, seed) for label in ("ours 0.1", "ours 1", "GP-UCB 3") for seed in (0, 1)
    ]
    assert list(notes["fits"]) == [OURS, f"{GP_UCB}, seed 0", f"{GP_UCB}, seed 1"]  # refitted every run
    known = wildlife_setup(RELEASED).known
    assert notes["max_min"] == known.max_min_guaranteed < known.max_min_obtained
    assert notes["optimum"] == known.optimum
    assert len(notes["best_offline"]) == 2
    assert max(notes["best_offline"]) <= known.optimum


def test_best_offline_finds_the_optimum_when_the_data_show_every_patrol() -> None:
    """With 3,000 points on 105 patrols, a kernel without correlation and no jump between, the mean is nearly b."""
    plenty = RELEASED.model_copy(update={"history_points": 3000})
    apart = ConstantKernel(10.0) * Matern(0.001, nu=2.5)
    assert offline_reward(plenty, apart, 0) == wildlife_setup(RELEASED).known.optimum


def test_offline_rewards_have_the_noise_of_the_preset(monkeypatch: pytest.MonkeyPatch) -> None:
    fitted = []
    monkeypatch.setattr(wildlife, "fit_kernel", lambda *given: fitted.append(given))
    fit_rewards.__wrapped__(TEXT, 0)
    fit_rewards.__wrapped__(TEXT.model_copy(update={"reward_noise_std": 0.0}), 0)
    (_, points, noisy, variance), (_, same, exact, _) = fitted
    np.testing.assert_array_equal(points, same)
    assert np.std(noisy - exact) == pytest.approx(TEXT.reward_noise_std, rel=0.2)
    assert variance == TEXT.reward_noise_std**2
