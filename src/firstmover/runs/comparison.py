"""Compare learners: means with 95 % intervals over seeds, and paired tests on common seeds."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike
from scipy.special import stdtr
from sklearn.gaussian_process.kernels import ConstantKernel, Kernel

from firstmover.beliefs import ConstantWidth
from firstmover.core.arrays import MOST_ROUNDS, Vector, as_count
from firstmover.core.contracts import Game, Learner
from firstmover.core.errors import InvalidInput, counted
from firstmover.core.html_repr import html_table
from firstmover.learners import LEARNERS, Setup
from firstmover.runs.grid import ARENA
from firstmover.runs.pool import run_tasks
from firstmover.runs.setup import arena_of, learner_of
from firstmover.runs.spec import read_seeds
from firstmover.runs.store import Entry, Manifest, arenas, ledger, read_manifest, read_results, task_table, write_table
from firstmover.runs.task import CURVE, table_with_regret
from firstmover.simulation import Opponent, play_run, true_rewards
from firstmover.simulation.intervals import mean_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEVEL = 0.05
"""A difference counts when its corrected p-value is below."""

COLUMNS = ["learner", "seed", "t", "reward", "cumulative_regret"]
"""The columns that `summarise` reads."""

MEASURES = {
    "regret": "regret R(T)",
    "time_averaged_regret": "R(T) / T",
    "dynamic_regret": "dynamic regret",
    "reward": "total reward",
}
"""Measures of a run; dynamic regret is known where the opponent drifts."""

RUNS, CURVES = "runs.parquet", "curves.parquet"


@dataclass(frozen=True, eq=False)
class Collected:
    """The results of a folder so far; every row has the run's place on the axes.

    Parameters
    ----------
    manifest
        Of the folder.
    runs
        One row per task: its state (done, failed or missing), and regret, time-averaged regret and reward of the whole
        run.
    curves
        One row per round that was kept.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from firstmover.runs import Collected, ExperimentSpec, plan_of, run_sweep
    >>> spec = ExperimentSpec.read({"games": ["shore"], "learners": ["exp3"], "horizons": [9], "seeds": 2})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = run_sweep(plan_of(spec), Path(folder, "results"), workers=1)
    ...     found = Collected.of(Path(folder, "results"))
    >>> found.runs["state"].to_list()
    ['done', 'done']
    """

    manifest: Manifest
    runs: pl.DataFrame
    curves: pl.DataFrame

    @classmethod
    def of(cls, folder: Path, arena: int | None = None) -> "Collected":
        """Return the results of a folder, or of one of its arenas; a damaged file is refused.

        Parameters
        ----------
        folder
            Of an experiment.
        arena
            The number of a game, opponent and horizon, from 0; None: all.

        Returns
        -------
        Collected
            The results.

        Raises
        ------
        InvalidInput
            If the folder has no results of firstmover, or a file is damaged.
        """
        table = task_table(folder)
        table = table if arena is None else arenas(table)[arena]
        mine = set(table["key"])
        entries = {key: entry for key, entry in ledger(folder).items() if key in mine}
        kept = [_curve(part) for part in read_results(entries, [*CURVE, "reward"])]
        empty = pl.DataFrame(schema={"key": pl.String, "t": pl.Int64, **dict.fromkeys(CURVE[1:], pl.Float64)})
        curves = pl.concat([empty, *kept])
        last = pl.col("cumulative_regret", "cumulative_reward", "t").sort_by("t").last()
        ends = (
            curves.group_by("key")
            .agg(last)
            .select(
                "key",
                regret="cumulative_regret",
                time_averaged_regret=pl.col("cumulative_regret") / pl.col("t"),
                reward="cumulative_reward",
            )
        )
        runs = with_states(table, entries).join(ends, on="key", how="left", maintain_order="left")
        return cls(read_manifest(folder), runs, table.join(curves, on="key", maintain_order="left_right"))

    def write(self, folder: Path) -> list[Path]:
        """Write DIR/runs.parquet, and DIR/curves.parquet where more than the summary is kept; return the files."""
        tables = {RUNS: self.runs} | ({} if self.manifest.keep == "summary" else {CURVES: self.curves})
        return [write_table(folder / name, table) for name, table in tables.items()]


def _curve(part: pl.DataFrame) -> pl.DataFrame:
    if "cumulative_reward" not in part.columns:  # results of format 1
        part = part.with_columns(cumulative_reward=pl.col("reward").cum_sum().over("key"))
    return part.select("key", *CURVE)


def with_states(table: pl.DataFrame, entries: Mapping[str, Entry]) -> pl.DataFrame:
    """The tasks of a folder with the state, the seconds and the error of each."""
    rows = [(key, "done" if e.error is None else "failed", e.seconds, e.error) for key, e in entries.items()]
    schema = {"key": pl.String, "state": pl.String, "seconds": pl.Float64, "error": pl.String}
    states = pl.DataFrame(rows, schema=schema, orient="row")
    joined = table.drop("document", strict=False).join(states, on="key", how="left", maintain_order="left")
    return joined.with_columns(pl.col("state").fill_null("missing"))


def run_totals(table: pl.DataFrame) -> pl.DataFrame:
    """One row per run of a table of rounds: R(T), R(T) / T and the total reward, and dynamic regret if there is any."""
    dynamic = [pl.col("dynamic_regret").last()] if "dynamic_regret" in table.columns else []
    return table.group_by("learner", "seed", maintain_order=True).agg(
        *dynamic,
        regret=pl.col("cumulative_regret").last(),
        time_averaged_regret=pl.col("cumulative_regret").last() / pl.col("t").last(),
        reward=pl.col("reward").sum(),
    )


def summarise(table: pl.DataFrame) -> pl.DataFrame:
    """Return mean and 95 % half-width over seeds of every measure, one row per learner.

    Parameters
    ----------
    table
        Rounds, as `run_experiment` returns them.

    Returns
    -------
    pl.DataFrame
        The means.

    Examples
    --------
    >>> from firstmover import compare
    >>> from firstmover.runs import summarise
    >>> summarise(compare("shore", "random", ["exp3"], rounds=9, seeds=2).rounds)["seeds"].to_list()
    [2]
    """
    return _means(run_totals(table), "learner")


def summarise_runs(runs: pl.DataFrame) -> pl.DataFrame:
    """Return mean and 95 % half-width over the seeds that are done, one row for each variant in each arena.

    Parameters
    ----------
    runs
        One row per run: game, opponent, horizon, variant, seed, state, and measures.

    Returns
    -------
    pl.DataFrame
        The means.

    Examples
    --------
    >>> import polars as pl
    >>> from firstmover.runs import summarise_runs
    >>> place = {"game": "shore", "opponent": "random", "horizon": 9, "state": "done", "variant": "exp3"}
    >>> runs = pl.DataFrame([place | {"seed": 0, "regret": 2.0}, place | {"seed": 1, "regret": 4.0}])
    >>> summarise_runs(runs)["regret"].to_list()
    [3.0]
    """
    return _means(runs.filter(state="done"), *ARENA, "variant")


def _means(runs: pl.DataFrame, *names: str) -> pl.DataFrame:
    measures = [measure for measure in MEASURES if measure in runs.columns]
    rows = []
    for part in runs.partition_by(*names, maintain_order=True):
        mean, half_width = mean_interval(part.select(measures).to_numpy())
        pairs = zip(mean.tolist(), half_width.tolist(), strict=True)
        rows.append((*part.select(names).row(0), len(part), *(value for pair in pairs for value in pair)))
    columns = [f"{name}{ending}" for name in measures for ending in ("", "_half_width")]
    schema = {name: runs.schema[name] for name in names} | {"seeds": pl.Int64} | dict.fromkeys(columns, pl.Float64)
    return pl.DataFrame(rows, schema=schema, orient="row")


def compare_runs(runs: pl.DataFrame) -> pl.DataFrame:
    """Compare every two variants of an arena on the seeds that both have done: how much more regret the first has.

    Parameters
    ----------
    runs
        One row per run, as in `Collected.runs`.

    Returns
    -------
    pl.DataFrame
        One row per pair: mean difference with its half-width; `p` of the paired t-test, null with fewer than two common
        seeds; `p_holm`, corrected by Holm's method for all comparisons of the arena.

    Examples
    --------
    >>> import polars as pl
    >>> from firstmover.runs import compare_runs
    >>> place = {"game": "shore", "opponent": "random", "horizon": 9, "state": "done"}
    >>> regrets = {"hedge": [1.0, 2.0, 3.0], "exp3": [4.0, 6.0, 8.0]}
    >>> rows = [place | {"variant": v, "seed": s, "regret": r} for v in regrets for s, r in enumerate(regrets[v])]
    >>> compare_runs(pl.DataFrame(rows)).select("first", "second", "difference").row(0)
    ('hedge', 'exp3', -4.0)
    """
    parts = runs.filter(state="done").partition_by(*ARENA, maintain_order=True)
    return pl.DataFrame([row for part in parts for row in _arena(part)], schema=_PAIRS)


_PAIRS = {name: pl.Int64 if name == "horizon" else pl.String for name in ARENA} | {
    "first": pl.String,
    "second": pl.String,
    "seeds": pl.Int64,
    "difference": pl.Float64,
    "half_width": pl.Float64,
    "p": pl.Float64,
    "p_holm": pl.Float64,
}


def _arena(part: pl.DataFrame) -> list[dict[str, object]]:
    place = dict(zip(ARENA, part.select(ARENA).row(0), strict=True))
    named = part.select("variant", "regret", pl.col("seed").alias(""))  # a variant may be called seed, none is nameless
    wide = named.pivot(on="variant", index="", values="regret", maintain_order=True)
    rows: list[dict[str, object]] = []
    for first, second in combinations(wide.columns[1:], 2):
        both = wide.select(first, second).drop_nulls().to_numpy()
        gaps = both[:, 0] - both[:, 1]
        if len(gaps):
            mean, half = mean_interval(gaps[:, None])
            row = {"first": first, "second": second, "seeds": len(gaps), "difference": float(mean[0])}
            rows.append(place | row | {"half_width": float(half[0]), "p": paired_p(gaps)})
    known = [i for i, row in enumerate(rows) if row["p"] is not None]
    for i, value in zip(known, holm([rows[i]["p"] for i in known]).tolist(), strict=True):  # type: ignore[arg-type]
        rows[i]["p_holm"] = value
    return rows


def paired_p(gaps: Vector) -> float | None:
    """The two-sided p-value of Student's t-test that paired differences have mean zero; None for fewer than two.

    t = mean / (s / √n), with n − 1 degrees of freedom.

    >>> round(paired_p(np.array([1.0, 2.0, 6.0])), 4)
    0.1885
    """
    n = len(gaps)
    if n < 2:
        return None
    mean, error = gaps.mean(), gaps.std(ddof=1) / np.sqrt(n)
    if error == 0:
        return 1.0 if mean == 0 else 0.0
    return float(2 * stdtr(n - 1, -abs(mean / error)))


def holm(p_values: ArrayLike) -> Vector:
    """Holm's correction (1979): the i-th smallest of m is multiplied by m − i + 1, kept in order, and at most 1.

    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate((len(p) - np.arange(len(p))) * p[order])
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(steps, 1.0)
    return corrected


def best_of_arenas(summary: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """Return the variant of least mean regret in each arena, and those not significantly different, least regret first.

    Parameters
    ----------
    summary
        As `summarise_runs` returns it.
    pairs
        As `compare_runs` returns it.

    Returns
    -------
    pl.DataFrame
        One row per arena.

    Examples
    --------
    >>> import polars as pl
    >>> from firstmover.runs import best_of_arenas, compare_runs, summarise_runs
    >>> place = {"game": "shore", "opponent": "random", "horizon": 9, "state": "done"}
    >>> regrets = {"hedge": [1.0, 2.0, 3.0], "exp3": [4.0, 5.1, 6.0]}
    >>> rows = [place | {"variant": v, "seed": s, "regret": r} for v in regrets for s, r in enumerate(regrets[v])]
    >>> runs = pl.DataFrame(rows)
    >>> best_of_arenas(summarise_runs(runs), compare_runs(runs)).select("variant", "not_different").row(0)
    ('hedge', [])
    """
    decided, rows = _decided(pairs), []
    for arena in summary.partition_by(*ARENA, maintain_order=True):
        part = arena.sort("regret", maintain_order=True)
        best = part.row(0, named=True)
        behind = decided.filter(**{name: best[name] for name in ARENA}, winner=best["variant"])["loser"].to_list()
        alike = [name for name in part["variant"] if name not in behind and name != best["variant"]]
        rows.append(best | {"variants": len(part), "not_different": alike})
    return pl.DataFrame(rows, schema={**summary.schema, "variants": pl.Int64, "not_different": pl.List(pl.String)})


def wins_of(summary: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """Return one row per variant: comparisons with significantly less regret, no significant difference, and more.

    Parameters
    ----------
    summary
        As `summarise_runs` returns it.
    pairs
        As `compare_runs` returns it.

    Returns
    -------
    pl.DataFrame
        The counts, most wins first.

    Examples
    --------
    >>> import polars as pl
    >>> from firstmover.runs import compare_runs, summarise_runs, wins_of
    >>> place = {"game": "shore", "opponent": "random", "horizon": 9, "state": "done"}
    >>> regrets = {"hedge": [1.0, 2.0, 3.0], "exp3": [4.0, 5.1, 6.0]}
    >>> rows = [place | {"variant": v, "seed": s, "regret": r} for v in regrets for s, r in enumerate(regrets[v])]
    >>> runs = pl.DataFrame(rows)
    >>> wins_of(summarise_runs(runs), compare_runs(runs)).rows()
    [('hedge', 1, 0, 0), ('exp3', 0, 0, 1)]
    """
    decided, rows = _decided(pairs), []
    for name in summary["variant"].unique(maintain_order=True):
        wins, losses = (decided.filter(pl.col(side) == name).height for side in ("winner", "loser"))
        compared = pairs.filter((pl.col("first") == name) | (pl.col("second") == name)).height
        rows.append((name, wins, compared - wins - losses, losses))
    schema = {"variant": pl.String, "wins": pl.Int64, "undecided": pl.Int64, "losses": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row").sort("wins", descending=True, maintain_order=True)


def _decided(pairs: pl.DataFrame) -> pl.DataFrame:
    """The comparisons with a significant difference, with `winner`, which has less regret, and `loser`."""
    first_wins = pl.col("difference") < 0
    return pairs.filter(pl.col("p_holm") < LEVEL, pl.col("difference") != 0).with_columns(
        winner=pl.when(first_wins).then("first").otherwise("second"),
        loser=pl.when(first_wins).then("second").otherwise("first"),
    )


def as_markdown(summary: pl.DataFrame) -> str:
    """Return the summary of learners as a table for a terminal or a report.

    Parameters
    ----------
    summary
        As `summarise` returns it.

    Returns
    -------
    str
        Markdown.

    Examples
    --------
    >>> import polars as pl
    >>> from firstmover.runs import as_markdown
    >>> print(as_markdown(pl.DataFrame({"learner": ["exp3"], "regret": [2.0], "regret_half_width": [0.25]})))
    | learner | regret R(T) |
    |---------|-------------|
    | exp3    | 2.00 ± 0.25 |
    """
    return markdown(as_text(summary))


def as_text(summary: pl.DataFrame) -> pl.DataFrame:
    """A summary in which every measure is one column of text, mean ± half-width, under its title."""
    for measure, title in MEASURES.items():
        if measure in summary.columns:
            words = [with_interval(*pair) for pair in summary.select(measure, f"{measure}_half_width").iter_rows()]
            summary = summary.drop(measure, f"{measure}_half_width").with_columns(pl.Series(title, words, pl.String))
    return summary


def markdown(table: pl.DataFrame) -> str:
    """A table as text, with all rows and columns."""
    with pl.Config(
        tbl_formatting="ASCII_MARKDOWN",
        tbl_hide_column_data_types=True,
        tbl_hide_dataframe_shape=True,
        tbl_rows=-1,
        tbl_cols=-1,
        tbl_width_chars=1000,
        fmt_str_lengths=100,
    ):
        return str(table)


def with_interval(mean: float, half_width: float) -> str:
    """Two digits of the interval, and as many decimals of the mean; an interval of rounding errors is shown as 0.

    >>> with_interval(12.3456, 0.0789), with_interval(123.456, 78.9), with_interval(0.5, float("nan"))
    ('12.346 ± 0.079', '123 ± 79', '0.5')
    >>> with_interval(271.2591799, 2.7e-14)
    '271.3 ± 0'
    """
    if not half_width > 1e-12 * abs(mean):
        return f"{mean:.4g}" if np.isnan(half_width) else f"{mean:.4g} ± 0"
    decimals = max(0, 1 - int(np.floor(np.log10(half_width))))
    return f"{mean:.{decimals}f} ± {half_width:.{decimals}f}"


@dataclass(frozen=True, eq=False)
class ObjectTask:
    """A run of objects instead of names."""

    game: Game
    opponent: Opponent
    learner: Learner
    label: str
    rounds: int
    seed: int

    def play(self) -> pl.DataFrame:
        """Play the run: one row per round."""
        run = play_run(self.game, self.opponent, self.learner, self.rounds, self.seed)
        return table_with_regret(self.game, self.opponent, run, self.seed, self.label)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Learners that played the same game against the same opponent with the same seeds, as `compare` returns it.

    Parameters
    ----------
    title
        Of tables and figures.
    rounds
        All rounds: one row per learner, seed and round.

    Examples
    --------
    >>> from firstmover import compare
    >>> compare("shore", "random", ["exp3"], rounds=9, seeds=2).title
    'shore, opponent random, 9 rounds, 2 seeds'
    """

    title: str
    rounds: pl.DataFrame

    @cached_property
    def table(self) -> pl.DataFrame:
        """One row per learner: mean and 95 % half-width over seeds of regret and reward."""
        return summarise(self.rounds)

    @cached_property
    def tests(self) -> pl.DataFrame:
        """One row per pair of learners: the paired t-test of their regret, corrected by Holm's method."""
        place = {"game": pl.lit(""), "opponent": pl.lit(""), "horizon": pl.lit(1, pl.Int64)}
        runs = run_totals(self.rounds).with_columns(state=pl.lit("done"), variant="learner", **place)
        return compare_runs(runs).drop(ARENA)

    def plot(self) -> "Figure":
        """The figure of time-averaged regret with 95 % bands."""
        curves, files = (import_module(f"firstmover.figures.{name}") for name in ("curves", "files"))
        record = curves.regret_curves(self.rounds)
        figure: Figure = files.drawn(lambda f: curves.draw_curves(record, f.add_subplot()), (7.6, 4.0), self.title)
        return figure

    def __repr__(self) -> str:
        return f"{self.title}\n{as_markdown(self.table)}"

    def _repr_html_(self) -> str:
        found = as_text(self.table)
        return html_table(self.title, {name: [str(value) for value in found[name]] for name in found.columns})


def compare(
    game: Game | str,
    opponent: Opponent | str,
    learners: Mapping[str, Learner | str | Mapping[str, Any]] | Sequence[str],
    rounds: int,
    seeds: int | Sequence[int] = 5,
    *,
    kernel: Kernel | None = None,
    workers: int = 1,
) -> Comparison:
    """Let learners play the same game, and compare them.

    Parameters
    ----------
    game
        A name of GAMES, or a game.
    opponent
        A name of OPPONENTS, which needs a game by name, or an opponent.
    learners
        By label: a learner, which is copied for each seed, a name of LEARNERS, or a table of its name and parameters. A
        list of names is short for a table.
    rounds
        T, the number of rounds.
    seeds
        How many seeds, meaning 0, 1, 2 and so on; or a list of them.
    kernel
        The assumption about b of learners by name, for a game that is an object.
    workers
        Processes; objects must be picklable for more than one.

    Returns
    -------
    Comparison
        The rounds of all learners, with a table of regret, paired tests and a figure.

    Raises
    ------
    InvalidInput
        If a name is unknown, a number is outside its range, or a learner by name has no kernel.

    Examples
    --------
    >>> from firstmover import compare
    >>> found = compare("shore", "random", ["hedge", "exp3"], rounds=40, seeds=3)
    >>> found.table["learner"].to_list(), found.tests["seeds"].to_list()
    (['hedge', 'exp3'], [3])
    """
    if isinstance(learners, str) or not learners:
        raise InvalidInput(f"learners is {learners!r}: give a list of names, or a table of labels and learners.")
    listed = learners if isinstance(learners, Mapping) else {str(name): name for name in learners}
    rounds = as_count("rounds", rounds, most=MOST_ROUNDS)
    if isinstance(game, Game) and isinstance(opponent, str):
        raise InvalidInput(f"opponent is {opponent!r}, and the game an object: give an Opponent, or a game by name.")
    numbers = read_seeds(list(seeds) if isinstance(seeds, Sequence) else seeds)
    names = {"game": game, "opponent": opponent if isinstance(opponent, str) else "random", "rounds": rounds}
    played, found = (game, opponent) if isinstance(game, Game) else arena_of(names)
    answering = opponent if isinstance(opponent, Opponent) else found
    assert isinstance(answering, Opponent)

    def built(label: str, seed: int) -> Learner:
        learner = listed[label]
        if not isinstance(learner, str | Mapping):
            if not hasattr(learner, "observe"):
                raise InvalidInput(f"learner {label!r} is {learner!r}: give a learner, a name, or a table with a name.")
            return deepcopy(learner)  # one that updates in place must not carry its state to the next seed
        fields = {"name": learner} if isinstance(learner, str) else dict(learner)
        if not isinstance(fields.get("name"), str):
            raise InvalidInput(f"learner {label!r} is {learner!r}: give a table with a name of LEARNERS.")
        if isinstance(game, str):
            return learner_of(names | {"learner": fields}, played, answering, seed)
        return _for_object(fields, played, answering, rounds, kernel)

    tasks = [
        ObjectTask(played, answering, built(label, seed), label, rounds, seed) for label in listed for seed in numbers
    ]
    table = pl.concat(table for _, table in run_tasks(tasks, workers))
    against = f", opponent {opponent}" if isinstance(opponent, str) else ""
    return Comparison(f"{played.name}{against}, {counted(rounds, 'round')}, {counted(len(numbers), 'seed')}", table)


def _for_object(fields: dict[str, Any], game: Game, opponent: Opponent, rounds: int, kernel: Kernel | None) -> Learner:
    """A learner by name for a game that is an object."""
    name = fields.pop("name")
    entry, parameters = LEARNERS.resolve(name, fields)
    if (
        kernel is None
        and getattr(parameters, "kernel", None) is None
        and "kernel" in LEARNERS.takes(name.partition(":")[0])
    ):
        raise InvalidInput(f"learner {name!r} has no kernel for game {game.name!r}: give one, such as kernel=RBF(0.3).")
    setup = Setup(
        game=game,
        kernel=ConstantKernel() if kernel is None else kernel,
        regularization=max(float(np.mean(opponent.noise_std)) ** 2, 1e-4),
        confidence=ConstantWidth(1.0),
        horizon=rounds,
        true_rewards=true_rewards(game, opponent.respond),
    )
    return entry.build(setup, parameters)
