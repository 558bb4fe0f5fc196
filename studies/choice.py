"""Choice beliefs on other menus of the park: how soon the best patrol is held, and what is earned beside GP-UCB."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from firstmover.beliefs import ConstantWidth
from firstmover.games.tabulated import Tabulated
from firstmover.learners import LEARNERS, Setup
from firstmover.paper.menus import COLUMNS, games_of
from firstmover.paper.wildlife import (
    GP_UCB,
    SHAPE,
    WildlifePreset,
    WildlifeSetup,
    WildlifeTask,
    fit_rewards,
    wildlife_setup,
)
from firstmover.runs.play_tasks import Task, table_of
from firstmover.simulation import Opponent, single
from firstmover.simulation.hindsight import regret
from firstmover.simulation.intervals import mean_interval
from firstmover.simulation.loop import play_run

CHOICE = "choice"
"""The learner, by its name in the table."""

GAMES_A_MENU = 5

FRESH_MENUS = tuple(range(121, 151))
"""Seeds of 30 menus that nothing was chosen on: the learner was tried on menus 0 to 30 and 61 to 120."""


@dataclass(frozen=True)
class ChoiceMenuTask:
    """All games on one menu: the choice learner as it stands in the table, and GP-UCB at every β of the preset."""

    preset: WildlifePreset
    games: int = GAMES_A_MENU

    @property
    def label(self) -> str:
        """The study's name in a store."""
        return "choice-menus"

    @property
    def seed(self) -> int:
        """That of the menu."""
        return self.preset.menu_seed

    @property
    def rounds(self) -> int:
        """Of all games together."""
        return self.games * self.preset.rounds * (1 + len(self.preset.reward_widths))

    def play(self) -> pl.DataFrame:
        """Play the games: one row a round; `seed` is the game's, `menu` the menu's."""
        tables = []
        for seed in range(self.games):
            tables.append(choice_run(self.preset, seed))
            kernel = fit_rewards(self.preset, seed).kernel
            tables += [WildlifeTask(self.preset, kernel, GP_UCB, w, seed).play() for w in self.preset.reward_widths]
        return pl.concat(table.select(COLUMNS) for table in tables).with_columns(menu=pl.lit(self.seed))


def choice_run(preset: WildlifePreset, seed: int) -> pl.DataFrame:
    """One game of the choice learner; nothing in it is fitted to the menu beforehand."""
    scene = wildlife_setup(preset)
    setup = Setup(scene.game, SHAPE, preset.noise_std**2, ConstantWidth(preset.shown_width))
    learner = LEARNERS[CHOICE].build(setup)
    run = play_run(scene.game, _opponent(scene, preset.noise_std), learner, preset.rounds, seed)
    return table_of(run, regret(run, lambda _: scene.true_rewards), CHOICE, seed)


def _opponent(scene: WildlifeSetup, noise_std: float) -> Opponent:
    answers = Tabulated(scene.game.actions, scene.opponent_type[None], scene.responses[None])
    return Opponent(single(scene.opponent_type), answers, noise_std)


def choice_tasks(reading: str, menus: Sequence[int] = FRESH_MENUS, games: int = GAMES_A_MENU) -> list[Task]:
    """One task a menu, under one reading of the density."""
    preset = WildlifePreset.load("wildlife", reading)
    return [ChoiceMenuTask(preset.model_copy(update={"menu_seed": menu}), games) for menu in menus]


def summarise_choice(table: pl.DataFrame) -> dict[str, float]:
    """When the best patrol of the menu is held, and on how many menus GP-UCB, at its best β for each, earns less.

    `lead` is the mean over menus of the difference in total reward, `lead_half_width` that of its 95 % interval.
    """
    games = games_of(table)
    held = games.filter(pl.col("learner") == CHOICE)["held_from"].to_numpy()
    earned = games.group_by("menu", "learner").agg(pl.mean("reward"))
    ours = earned.filter(pl.col("learner") == CHOICE).sort("menu")["reward"].to_numpy()
    others = earned.filter(pl.col("learner") != CHOICE).group_by("menu").agg(pl.max("reward")).sort("menu")
    lead = ours - others["reward"].to_numpy()
    mean, half_width = mean_interval(lead[:, None])
    return {
        "menus": len(lead),
        "games": len(held),
        "held_from_median": float(np.median(held)),
        "held_from_95": float(np.quantile(held, 0.95, method="higher")),
        "never_held": float(np.mean(held > int(table["t"].max() or 0))),  # type: ignore[arg-type]
        "ahead": int(np.sum(lead > 0)),
        "lead": float(mean[0]),
        "lead_half_width": float(half_width[0]),
    }
