import polars as pl
import pytest
from studies.choice import CHOICE, ChoiceMenuTask, summarise_choice
from studies.simplex import (
    CommitmentTask,
    SearchTask,
    commitment_tasks,
    reference,
    summarise_commitments,
)

from firstmover.paper.wildlife import WildlifePreset


def game(menu: int, learner: str, actions: list[int], reward: float) -> pl.DataFrame:
    """A game on a menu whose best patrol is 7, all of its reward in the first round."""
    rewards = [reward] + [0.0] * (len(actions) - 1)
    rows = {"learner": learner, "seed": 0, "t": range(1, len(actions) + 1), "action": actions, "best_action": 7}
    return pl.DataFrame({**rows, "reward": rewards, "menu": menu})


def test_a_summary_worked_by_hand() -> None:
    table = pl.concat(
        [
            game(0, CHOICE, [1, 7, 7, 7], 5.0),
            game(0, "GP-UCB 1", [1, 1, 7, 7], 2.0),
            game(0, "GP-UCB 3", [7, 7, 7, 1], 4.0),
            game(5, CHOICE, [7, 7, 7, 1], 1.0),
            game(5, "GP-UCB 1", [7, 7, 7, 7], 3.0),
            game(5, "GP-UCB 3", [7, 7, 7, 7], 0.0),
        ]
    )
    found = summarise_choice(table)
    assert (found["menus"], found["games"], found["ahead"]) == (2, 2, 1)
    assert found["held_from_median"] == 3.5  # rounds 2 and 5, which is never
    assert found["never_held"] == 0.5
    assert found["lead"] == pytest.approx((1.0 - 2.0) / 2)  # against the best β of each menu


def test_a_menu_is_played_by_both_algorithms_at_every_width() -> None:
    small = {"rounds": 6, "mixed_patrols": 30, "offline_points": 20, "reward_widths": (1.0, 3.0)}
    preset = WildlifePreset.load("released").model_copy(update=small)
    task = ChoiceMenuTask(preset, games=2)
    table = task.play()
    assert len(table) == task.rounds == 2 * 6 * 3
    assert set(table["learner"]) == {CHOICE, "GP-UCB 1", "GP-UCB 3"}


def test_commitments_of_two_seeds_stay_below_the_optimum() -> None:
    table = pl.concat(task.play() for task in commitment_tasks([0, 1], rounds=12))
    assert len(table) == 24
    assert table["reward"].max() <= reference().reward
    assert table.filter(pl.col("seed") == 0)["reward"].to_list() == CommitmentTask(0, 12).play()["reward"].to_list()


def test_windows_are_averaged_over_rounds_then_seeds() -> None:
    rows = [{"seed": s, "t": t, "reward": float(s) if t > 180 else 0.5} for s in (0, 1) for t in range(1, 201)]
    found = summarise_commitments(pl.DataFrame(rows))
    assert (found["rounds_131_150"], found["rounds_181_200"], found["rounds_181_200_worst"]) == (0.5, 0.5, 0.0)


def test_an_independent_search_comes_close_to_the_reference_and_never_above() -> None:
    found = SearchTask(iterations=120).play()
    assert 0.11 < found["found"][0] <= found["optimum"][0] + 1e-9
    assert found["optimum"][0] == reference().reward
