"""Does the park's result hold on other menus? The paper's claim, on 30 menus drawn as the published one was."""

from dataclasses import dataclass

import polars as pl

from firstmover.experiments.run import Task
from firstmover.experiments.wildlife import (
    GP_UCB,
    OURS,
    WildlifePreset,
    WildlifeTask,
    fit_responses,
    fit_rewards,
)

PUBLISHED_MENU = 3
OTHER_MENUS = tuple(seed for seed in range(31) if seed != PUBLISHED_MENU)
"""Seeds of the 30 menus."""

REWARD_WIDTH = 3.0
"""β of GP-UCB, the best of those in the paper's Figure 3."""

CLAIMED_ROUND = 65
"""The paper's "in about 60 rounds": held from this round on at the latest, the latest published median at a small β."""

COLUMNS = ("learner", "seed", "t", "action", "best_action", "reward")
"""Of a run, what the study keeps."""


@dataclass(frozen=True)
class MenuTask:
    """All games on one menu: ours and GP-UCB, each with hyperparameters fitted to this menu."""

    preset: WildlifePreset
    games: int

    @property
    def label(self) -> str:
        """The study's name in the store."""
        return "menus"

    @property
    def seed(self) -> int:
        """That of the menu."""
        return self.preset.menu_seed

    @property
    def rounds(self) -> int:
        """Of all games together."""
        return 2 * self.games * self.preset.rounds

    def play(self) -> pl.DataFrame:
        """Play the games: one row a round; `seed` is the game's, `menu` the menu's."""
        preset, ours = self.preset, fit_responses(self.preset).kernel
        tasks = [
            task
            for seed in range(self.games)
            for task in (
                WildlifeTask(preset, ours, OURS, preset.shown_width, seed),
                WildlifeTask(preset, fit_rewards(preset, seed).kernel, GP_UCB, REWARD_WIDTH, seed),
            )
        ]
        return pl.concat(task.play().select(COLUMNS) for task in tasks).with_columns(menu=pl.lit(self.seed))


def menu_tasks(preset: WildlifePreset, games: int = 1, menus: tuple[int, ...] = OTHER_MENUS) -> list[Task]:
    """One task a menu."""
    return [MenuTask(preset.model_copy(update={"menu_seed": menu}), games) for menu in menus]


def games_of(table: pl.DataFrame) -> pl.DataFrame:
    """One row a game: its menu and learner, the round from which the best patrol is held (T + 1: never), its reward."""
    away = pl.col("t").filter(pl.col("action") != pl.col("best_action")).max().fill_null(0)
    return table.group_by("menu", "learner", "seed", maintain_order=True).agg(
        held_from=away + 1, never=away == pl.col("t").max(), reward=pl.col("reward").sum()
    )


def menus_of(table: pl.DataFrame) -> pl.DataFrame:
    """One row a menu and learner: medians and means over its games."""
    return (
        games_of(table)
        .group_by("menu", "learner", maintain_order=True)
        .agg(pl.median("held_from"), pl.mean("never"), pl.mean("reward"))
    )


def summarise_menus(table: pl.DataFrame) -> pl.DataFrame:
    """One row a learner: on how many menus it keeps the claim, how often it never does, how often it earns the most."""
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
