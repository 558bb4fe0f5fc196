"""The park on 30 other menus, drawn as the published one was."""

from dataclasses import dataclass

import polars as pl

from firstmover.paper.wildlife import GP_UCB, WildlifePreset, WildlifeTask, fit_responses, fit_rewards, labelled
from firstmover.runs import Task

PUBLISHED_MENU = 3
OTHER_MENUS = tuple(seed for seed in range(31) if seed != PUBLISHED_MENU)  # seeds of the 30 menus
REWARD_WIDTH = 3.0  # β of GP-UCB, the best of those in the paper's Figure 3
CLAIMED_ROUND = 65  # the paper's "about 60 rounds" as a limit: the latest published median at a small β

COLUMNS = ("learner", "seed", "t", "action", "best_action", "reward")
"""The columns of a run that are stored."""


@dataclass(frozen=True)
class MenuTask:
    """All games on one menu: ours and GP-UCB, each with hyperparameters fitted to this menu."""

    preset: WildlifePreset
    games: int
    label: str = "menus"

    @property
    def seed(self) -> int:
        """The seed of the menu."""
        return self.preset.menu_seed

    @property
    def rounds(self) -> int:
        """The rounds of all games together."""
        return 2 * self.games * self.preset.rounds

    def play(self) -> pl.DataFrame:
        """Play the games: one row per round; `seed` is the seed of the game, `menu` that of the menu."""
        tables = [table.select(COLUMNS) for seed in range(self.games) for table in self.play_game(seed)]
        return pl.concat(tables).with_columns(menu=pl.lit(self.seed))

    def play_game(self, seed: int) -> list[pl.DataFrame]:
        """Return the runs of all algorithms with one seed."""
        preset = self.preset
        return [
            WildlifeTask(preset, preset.shown, seed, fit_responses(preset).kernel).play(),
            WildlifeTask(preset, labelled(GP_UCB, REWARD_WIDTH), seed, fit_rewards(preset, seed).kernel).play(),
        ]


def menu_tasks(preset: WildlifePreset, games: int = 1, menus: tuple[int, ...] = OTHER_MENUS) -> list[Task]:
    """Return one task per menu."""
    return [MenuTask(preset.model_copy(update={"menu_seed": menu}), games) for menu in menus]


def games_of(table: pl.DataFrame) -> pl.DataFrame:
    """One row per game: the round from which the best patrol is held (T + 1 if never), and the total reward."""
    last_other = pl.col("t").filter(pl.col("action") != pl.col("best_action")).max().fill_null(0)
    return table.group_by("menu", "learner", "seed", maintain_order=True).agg(
        held_from=last_other + 1, never=last_other == pl.col("t").max(), reward=pl.col("reward").sum()
    )


def menus_of(table: pl.DataFrame) -> pl.DataFrame:
    """One row per menu and learner: medians and means over its games."""
    return (
        games_of(table)
        .group_by("menu", "learner", maintain_order=True)
        .agg(pl.median("held_from"), pl.mean("never"), pl.mean("reward"))
    )


def summarise_menus(table: pl.DataFrame) -> pl.DataFrame:
    """One row per learner: menus held in time, share of games never held, menus on which it earns the most."""
    best = pl.col("reward") == pl.col("reward").max().over("menu")
    return (
        menus_of(table)
        .with_columns(ahead=best)
        .group_by("learner", maintain_order=True)
        .agg(
            menus=pl.len(),
            held_in_time=(pl.col("held_from") <= CLAIMED_ROUND).sum(),
            never_held=pl.mean("never"),
            ahead=pl.col("ahead").sum(),
        )
    )
