import polars as pl

from firstmover.games.wildlife.game import RangersReward
from firstmover.paper.menus import OTHER_MENUS, games_of, menu_tasks, menus_of, summarise_menus
from firstmover.paper.wildlife import WildlifePreset, wildlife_setup
from firstmover.runs import run_tasks

PRESET = WildlifePreset.load("released").model_copy(update={"rounds": 10, "offline_points": 30, "mixed_patrols": 40})


def games(*rows: tuple[int, str, int, list[int], float]) -> pl.DataFrame:
    """Games on menus whose best patrol is 7: menu, learner, seed, actions, reward of the first round."""
    return pl.concat(
        pl.DataFrame(
            {
                "learner": learner, "seed": seed, "t": range(1, len(actions) + 1), "action": actions, "best_action": 7,
                "reward": [reward] + [0.0] * (len(actions) - 1), "menu": menu,
            }
        )
        for menu, learner, seed, actions, reward in rows
    )  # fmt: skip


EARLY, LATE, NEVER = [1] + [7] * 69, [7] * 65 + [1] + [7] * 4, [7] * 69 + [1]
TABLE = games(
    (0, "ours", 0, EARLY, 3.0), (0, "other", 0, LATE, 1.0), (0, "ours", 1, NEVER, 0.0), (0, "other", 1, LATE, 1.0),
    (5, "ours", 0, LATE, 1.0), (5, "other", 0, EARLY, 2.0), (5, "ours", 1, LATE, 1.0), (5, "other", 1, EARLY, 2.0),
)  # fmt: skip


def test_games_worked_by_hand() -> None:
    table = games_of(TABLE)
    assert table["held_from"].to_list() == [2, 67, 71, 67, 67, 2, 67, 2]
    assert table["never"].to_list() == [False, False, True] + [False] * 5
    assert table["reward"].to_list() == [3.0, 1.0, 0.0, 1.0, 1.0, 2.0, 1.0, 2.0]


def test_a_game_that_plays_the_best_from_the_start_holds_it_from_round_1() -> None:
    assert games_of(games((0, "ours", 0, [7, 7], 0.0)))["held_from"].to_list() == [1]


def test_menus_worked_by_hand() -> None:
    """The median of 2 and 71 is 36.5: held in time, though one game of two never does."""
    assert menus_of(TABLE)["held_from"].to_list() == [36.5, 67.0, 67.0, 2.0]
    assert summarise_menus(TABLE).rows() == [("ours", 2, 1, 0.25, 1), ("other", 2, 1, 0.0, 1)]


def test_thirty_menus_none_of_them_the_published_one() -> None:
    assert len(set(OTHER_MENUS)) == 30
    assert PRESET.menu_seed not in OTHER_MENUS
    assert [task.seed for task in menu_tasks(PRESET)] == list(OTHER_MENUS)


def test_each_menu_is_played_by_both_with_its_own_patrols() -> None:
    tasks = menu_tasks(PRESET, games=2, menus=(4, 5))
    tables = [table for _, table in run_tasks(tasks, workers=1)]
    for task, table in zip(tasks, tables, strict=True):
        assert len(table) == task.rounds == 2 * 2 * 10
        assert set(table["menu"]) == {task.seed}
        best = wildlife_setup(PRESET.model_copy(update={"menu_seed": task.seed})).known
        assert set(table["best_action"]) == {best.optimal_action}
        assert table["reward"].max() <= best.optimum
    assert summarise_menus(pl.concat(tables))["learner"].to_list() == ["ours 0.1", "GP-UCB 3"]


def test_menus_of_one_park_share_its_search() -> None:
    first, second = (wildlife_setup(PRESET.model_copy(update={"menu_seed": menu})).game.reward for menu in (4, 5))
    assert isinstance(first, RangersReward)
    assert isinstance(second, RangersReward)
    assert first.smallest_density is second.smallest_density
