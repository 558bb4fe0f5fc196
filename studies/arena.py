"""The arena: `auto` beside hand-tuned learners, the paper's and baselines on fresh instances of all families.

`python -m studies.arena --develop --only prices --seeds 3` plays development instances; the results of all learners
but `auto` are kept for the next call. `python -m studies arena` plays the instances of the report.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
import polars as pl
import typer

from firstmover.cli.progress import shown
from firstmover.core.arrays import Vector
from firstmover.core.contracts import Learner
from firstmover.core.errors import FirstmoverError, unknown_name
from firstmover.core.files import atomic_file, text_hash
from firstmover.core.records import Feedback
from firstmover.runs import Task, run_tasks
from firstmover.runs.arena import contestants, families, instances
from firstmover.runs.arena.contestants import AUTO, HAND, hand_tuned
from firstmover.runs.arena.families import DEVELOPMENT, FAMILIES, REPORT, Instance
from firstmover.runs.arena.instances import INSTANCES, instance_of
from firstmover.runs.comparison import markdown, with_interval
from firstmover.simulation import true_rewards
from firstmover.simulation.hindsight import regret
from firstmover.simulation.intervals import mean_interval
from firstmover.simulation.loop import play_run
from studies.contestants import CANDIDATES, EXP3, HEDGE, PAPER, RIVALS, labelled

ROUNDS = 250

SEEDS = tuple(range(8))
"""Paired runs of each learner on each instance."""

FIRST_COVERED = 31
"""The first round whose response counts for the coverage of bands."""

BAND, QUANTILE = 0.9, 1.6448536269514722
"""The promised probability of a band, and its half-width in standard deviations."""


def inside_band(learner: Any, feedback: Feedback, place: int | None, draw: float) -> float | None:
    """Return the share of a response's outputs that lie in the learner's 90 % bands; None without a model of responses.

    Bands of numbers are μ ± 1.645 √(σ² + noise variance). For a choice, which is a unit vector or the given place, the
    band is the smallest set of probability 0.9. At its border it is randomised by a `draw` from [0, 1), so that it
    holds 90 % of choices if the probabilities are right, however near to 0 or 1 they are.
    """
    belief = getattr(getattr(learner, "decides", learner), "belief", None)
    if belief is None:
        return None
    mean, std = (rows[feedback.action] for rows in belief.predict(feedback.opponent_type))
    response = feedback.response
    if place is None and len(response) > 1 and np.array_equal(np.sort(response)[-2:], [0.0, 1.0]):
        place = int(np.argmax(response))
    if place is not None:
        chances = np.clip(mean, 1e-9, None) / np.clip(mean, 1e-9, None).sum()
        return float(chances[chances > chances[place]].sum() + draw * chances[place] <= BAND)
    noise = belief.band_variance if hasattr(belief, "band_variance") else belief.regularization
    return float(np.mean(np.abs(response - mean) <= QUANTILE * np.sqrt(std**2 + noise)))


@dataclass(frozen=True, eq=False)
class Watched:
    """A learner whose predictions are compared with the responses: `covered` has one number per round, or None."""

    learner: Any
    instance: Instance
    rng: np.random.Generator
    covered: list[float | None] = field(default_factory=list)

    @property
    def strategy(self) -> Vector:
        """p_t."""
        return self.learner.strategy

    def observe(self, feedback: Feedback) -> Self:
        """Compare the response with the prediction, then observe."""
        t = len(self.covered) + 1
        draw = self.rng.random()
        self.covered.append(
            inside_band(self.learner, feedback, self._place(feedback), draw) if t >= FIRST_COVERED else None
        )
        return replace(self, learner=self.learner.observe(feedback))

    def _place(self, feedback: Feedback) -> int | None:
        """The place that was chosen in truth; a border belongs to the place above it."""
        game = self.instance.game
        if game.places is None:
            return None
        true = self.instance.opponent.respond(game.actions[[feedback.action]], feedback.opponent_type)[0]
        return game.places.nearest(true + 1e-9)


@dataclass(frozen=True)
class ArenaTask:
    """One run of one learner on one instance."""

    family: str
    instance: int
    learner: str
    seed: int
    rounds: int = ROUNDS

    @property
    def label(self) -> str:
        """Instance and learner."""
        return f"{self.family} {self.instance}: {self.learner}"

    def first(self) -> Learner:
        """Return the learner of the first round."""
        return labelled(self.learner, self.family, self.instance, self.rounds)

    def play(self) -> pl.DataFrame:
        """Play the run: one row per round."""
        instance = instance_of(self.family, self.instance)
        game, opponent, first = instance.game, instance.opponent, self.first()
        watched = (
            Watched(first, instance, np.random.default_rng([self.instance, self.seed]))
            if self.learner == AUTO
            else None
        )
        run = play_run(game, opponent, watched or first, self.rounds, self.seed)
        covered = [*watched.covered, None] if watched else [None] * self.rounds  # the last round is not observed
        loss = regret(run, true_rewards(game, opponent.respond))
        assert game.reward_range is not None
        return pl.DataFrame(
            {
                "family": self.family,
                "instance": self.instance,
                "words": instance.words,
                "learner": self.learner,
                "seed": self.seed,
                "t": np.arange(1, self.rounds + 1),
                "reward": run.rewards,
                "cumulative_regret": loss.cumulative,
                "range": float(np.ptp(game.reward_range)),
                "covered": pl.Series(covered[: self.rounds], dtype=pl.Float64),
            }
        )


@dataclass(frozen=True)
class CandidateTask(ArenaTask):
    """One run of a candidate for the hand-tuned learner of a family."""

    def first(self) -> Learner:
        """Return the candidate that the label names."""
        named = {" ".join(map(str, candidate)): candidate for candidate in CANDIDATES[self.family]}
        return hand_tuned(self.family, self.instance, named[self.learner])


def arena_tasks(
    first: int = REPORT.start,
    seeds: Sequence[int] = SEEDS,
    rounds: int = ROUNDS,
    families: Sequence[str] = tuple(FAMILIES),
) -> list[Task]:
    """Return all learners on all instances of some families, with every seed."""
    return [
        ArenaTask(family, instance, learner, seed, rounds)
        for family in families
        for instance in range(first, first + INSTANCES[family])
        for learner in (AUTO, *RIVALS)
        for seed in seeds
    ]


def runs_of(table: pl.DataFrame) -> pl.DataFrame:
    """Return one row per run: R(T)/T and the share of responses in the bands from round 31 on."""
    keys = ["family", "instance", "words", "learner", "seed", "range"]
    return table.group_by(keys, maintain_order=True).agg(
        regret=pl.col("cumulative_regret").last() / pl.len(),
        covered=pl.col("covered").filter(pl.col("t") >= FIRST_COVERED).mean(),
    )


def summarise_arena(runs: pl.DataFrame) -> pl.DataFrame:
    """One row per instance: mean R(T)/T of every learner, and `auto` beside others, paired by seed.

    `ratio` is the mean regret of `auto` over that of the hand-tuned learner; `excess` the mean of auto − 1.25 · hand
    with its half-width, `minus_NAME` that of auto − NAME.
    """
    rows = []
    for key, part in runs.group_by("family", "instance", "words", maintain_order=True):
        by = {str(name): p.sort("seed") for (name,), p in part.group_by("learner", maintain_order=True)}
        regrets = {name: p["regret"].to_numpy() for name, p in by.items()}
        auto = regrets[AUTO]
        row: dict[str, Any] = dict(zip(("family", "instance", "words"), key, strict=True))
        row |= {name: float(values.mean()) for name, values in regrets.items()}
        row["ratio"] = float(auto.mean() / regrets[HAND].mean())
        gaps = {f"minus_{name}": auto - regrets[name] for name in RIVALS} | {"excess": auto - 1.25 * regrets[HAND]}
        for name, gap in gaps.items():
            mean, half = mean_interval(gap)
            row |= {name: float(mean), f"{name}_half_width": float(half)}
        row["coverage"] = by[AUTO]["covered"].mean()
        rows.append(row)
    return pl.DataFrame(rows, schema_overrides={"coverage": pl.Float64})


@dataclass(frozen=True)
class Totals:
    """Numbers of instances out of all: within 1.25 × hand-tuned, ahead of rivals, with 86 to 94 % in the bands."""

    within: tuple[int, int]
    largest_ratio: float
    ahead: dict[str, tuple[int, int]]
    calibrated: tuple[int, int]


def totals(summary: pl.DataFrame) -> Totals:
    """Return the totals over all instances; those without bands do not count for calibration."""
    covered = summary["coverage"].drop_nulls()
    return Totals(
        (int((summary["excess"] <= 0).sum()), len(summary)),
        float(summary["ratio"].max()),  # type: ignore[arg-type]  # a column of numbers
        {rival: (int((summary[f"minus_{rival}"] < 0).sum()), len(summary)) for rival in RIVALS},
        (int(covered.is_between(0.86, 0.94).sum()), len(covered)),
    )


def arena_table(summary: pl.DataFrame) -> pl.DataFrame:
    """Return the table for reading: regrets, the ratio to hand-tuned, differences with intervals, and the coverage."""
    rows = []
    for row in summary.iter_rows(named=True):
        gaps = {
            f"− {rival}": with_interval(row[f"minus_{rival}"], row[f"minus_{rival}_half_width"])
            for rival in (HAND, PAPER, HEDGE, EXP3)
        }
        rows.append(
            {
                "instance": f"{row['family']} {row['instance']}: {row['words']}",
                **{name: f"{row[name]:.3g}" for name in (AUTO, *RIVALS)},
                "ratio": f"{row['ratio']:.2f}",
                **gaps,
                "coverage": "" if row["coverage"] is None else f"{row['coverage']:.0%}",
            }
        )
    return pl.DataFrame(rows)


def _key(task: ArenaTask) -> str:
    """The name of a stored result: the run, and the sources that decide instances and rivals."""
    sources = [Path(str(module.__file__)).read_text(encoding="utf-8") for module in (families, contestants, instances)]
    return text_hash(" ".join([repr(task), *sources]))


def played(tasks: Sequence[ArenaTask], kept: Path, workers: int | None) -> pl.DataFrame:
    """Return one row per run of development tasks; results of rivals are kept in a folder and read from there."""
    kept.mkdir(parents=True, exist_ok=True)
    paths = {task: kept / f"{_key(task)}.parquet" for task in tasks}
    missing = [task for task in tasks if task.learner == AUTO or not paths[task].exists()]
    found = {}
    with shown() as progress:
        for task, table in run_tasks(missing, workers, progress):
            found[task] = runs_of(table)
            with atomic_file(paths[task]) as file:  # type: ignore[index]
                found[task].write_parquet(file)
    return pl.concat([found[task] if task in found else pl.read_parquet(paths[task]) for task in tasks])


app = typer.Typer(add_completion=False)


@app.command()
def arena(  # noqa: PLR0917 - options of a command
    develop: Annotated[bool, typer.Option(help="Play development instances and keep the results of rivals.")] = False,
    only: Annotated[list[str] | None, typer.Option(help="Families to play; all if none is given.")] = None,
    seeds: Annotated[int, typer.Option(help="Number of paired runs.")] = len(SEEDS),
    rounds: Annotated[int, typer.Option(help="Rounds of a run.")] = ROUNDS,
    tune: Annotated[bool, typer.Option(help="Compare the candidates for the hand-tuned learner instead.")] = False,
    first: Annotated[int, typer.Option(help="Seed of the first development instance.")] = DEVELOPMENT.start,
    out: Annotated[Path, typer.Option(help="Folder for kept results.")] = Path("results"),
    workers: Annotated[int | None, typer.Option(help="Number of processes.")] = None,
) -> None:
    """Play the arena and print its table."""
    try:
        for family in only or ():
            if family not in FAMILIES:
                raise unknown_name("family", family, FAMILIES)
        if not develop and not tune:
            raise FirstmoverError("The report is played by python -m studies arena; give --develop or --tune here.")
        if first + max(INSTANCES.values()) > DEVELOPMENT.stop:
            raise FirstmoverError(f"first is {first}: development instances end at {DEVELOPMENT.stop - 1}.")
        families = only or list(FAMILIES)
        tasks = arena_tasks(first, range(seeds), rounds, families)
        if tune:
            tasks = [
                CandidateTask(family, instance, " ".join(map(str, candidate)), seed, rounds)
                for family in families
                for instance in range(first, first + INSTANCES[family])
                for candidate in CANDIDATES[family]
                for seed in range(seeds)
            ]
        runs = played(tasks, out / "arena-development", workers)  # type: ignore[arg-type]
    except FirstmoverError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(error.exit_code) from None
    if tune:
        shares = runs.with_columns(share=100 * pl.col("regret") / pl.col("range"))
        means = shares.group_by("family", "learner", maintain_order=True).agg(pl.col("share").mean().round(3))
        typer.echo(markdown(means.sort("family", "share").cast({"share": pl.String})))
        return
    summary = summarise_arena(runs)
    typer.echo(markdown(arena_table(summary).select(pl.exclude("^− .*$"))))
    typer.echo(str(totals(summary)))


if __name__ == "__main__":
    app()
