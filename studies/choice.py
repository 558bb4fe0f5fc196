"""Choice beliefs on other menus of the park: from which round the best patrol is held, and rewards beside GP-UCB."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from firstmover.beliefs import ConstantWidth
from firstmover.learners import LEARNERS, Setup
from firstmover.paper.menus import MenuTask, games_of
from firstmover.paper.wildlife import (
    GP_UCB,
    SHAPE,
    WildlifePreset,
    WildlifeTask,
    fit_rewards,
    labelled,
    wildlife_setup,
)
from firstmover.runs import Task
from firstmover.runs.setup import Stage
from firstmover.simulation.intervals import mean_interval

CHOICE = "choice"
"""The learner, by its name in the table."""

GAMES_PER_MENU = 5

HELD_OUT_MENUS = tuple(range(121, 151))
"""Seeds of 30 menus; the learner was developed on menus 0 to 30 and 61 to 120."""


@dataclass(frozen=True)
class ChoiceTask(WildlifeTask):
    """One run of the choice learner; nothing in it is fitted to the menu."""

    def stage(self) -> Stage:
        """Return the park, its poachers and the learner as the table LEARNERS has it."""
        preset, park = self.preset, wildlife_setup(self.preset)
        setup = Setup(park.game, self.kernel, preset.noise_std**2, ConstantWidth(preset.shown_width))
        return Stage(park.game, park.opponent(preset.noise_std), LEARNERS[CHOICE].build(setup))


@dataclass(frozen=True)
class ChoiceMenuTask(MenuTask):
    """All games on one menu: the choice learner, and GP-UCB at every β of the preset."""

    games: int = GAMES_PER_MENU

    @property
    def label(self) -> str:
        """The name of the study in a store."""
        return "choice-menus"

    @property
    def rounds(self) -> int:
        """The rounds of all games together."""
        return self.games * self.preset.rounds * (1 + len(self.preset.reward_widths))

    def play_game(self, seed: int) -> list[pl.DataFrame]:
        """Return the runs of all algorithms with one seed."""
        preset, kernel = self.preset, fit_rewards(self.preset, seed).kernel
        gp_ucb = [WildlifeTask(preset, labelled(GP_UCB, width), seed, kernel) for width in preset.reward_widths]
        return [task.play() for task in (ChoiceTask(preset, CHOICE, seed, SHAPE), *gp_ucb)]


def choice_tasks(reading: str, menus: Sequence[int] = HELD_OUT_MENUS, games: int = GAMES_PER_MENU) -> list[Task]:
    """Return one task per menu, under one reading of the density."""
    preset = WildlifePreset.load("wildlife", reading)
    return [ChoiceMenuTask(preset.model_copy(update={"menu_seed": menu}), games) for menu in menus]


def summarise_choice(table: pl.DataFrame) -> dict[str, float]:
    """Return when the best patrol is held, and on how many menus GP-UCB, at its best β for each, earns less.

    `lead` is the mean over menus of the difference in total reward, `lead_half_width` that of its 95 % interval.
    """
    games = games_of(table)
    choice = pl.col("learner") == CHOICE
    held = games.filter(choice)["held_from"].to_numpy()
    earned = games.group_by("menu", "learner").agg(pl.mean("reward"))
    best = earned.group_by("menu").agg(
        lead=pl.col("reward").filter(choice).first() - pl.col("reward").filter(~choice).max()
    )
    lead = best["lead"].to_numpy()
    mean, half_width = mean_interval(lead)
    return {
        "menus": len(lead),
        "games": len(held),
        "held_from_median": float(np.median(held)),
        "held_from_95": float(np.quantile(held, 0.95, method="higher")),
        "never_held": float(games.filter(choice)["never"].mean()),  # type: ignore[arg-type]  # a share
        "ahead": int(np.sum(lead > 0)),
        "lead": float(mean),
        "lead_half_width": float(half_width),
    }
