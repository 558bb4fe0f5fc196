"""The report: from folders of results to claims, tables, figures and one HTML page."""

import os
import platform
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from firstmover.core.errors import InvalidInput
from firstmover.figures import FIGURES
from firstmover.figures.bounds import bound_of, split_of
from firstmover.figures.coverage import reliability_of
from firstmover.figures.html_page import Picture, Section, Verdict, page_of
from firstmover.paper import tables
from firstmover.paper.claims import REPORT, verdicts_on
from firstmover.paper.experiments import EXPERIMENTS, MENUS, PARK_STEPS
from firstmover.paper.figures import menus_record, patrol_record, routing_record, sweep_record
from firstmover.paper.menus import CLAIMED_ROUND
from firstmover.paper.preset import READINGS
from firstmover.paper.results import PUBLISHED, Results
from firstmover.runs.store import versions
from firstmover.runs.stored_theory import AnalysedRun, analysed_runs

Found = dict[str, dict[str, Results]]
"""The complete results of a folder by game and by reading, played with the present presets."""

TITLE = "Learning to play sequential games versus unknown opponents: a reproduction"


@dataclass(frozen=True)
class Chapter:
    """The parts of the report on one experiment: introduction, captioned tables, and records of figures by name."""

    introduction: str
    remark: Callable[[Results], str]
    tables: dict[str, Callable[[Results], pl.DataFrame]]
    records: dict[str, Callable[[Results], Any]]


CHAPTERS = {
    "routing": Chapter(
        "Sioux Falls {reading}: {runs} of each learner.",
        tables.exploration,
        {
            "Regret and reward beside the published ones": tables.routing_table,
            "The table of Figure 1": tables.congestion_table,
        },
        {"figure-1": routing_record},
    ),
    "wildlife": Chapter(
        "The park {reading}: {runs} at each β. {held_from}",
        tables.outside,
        {
            "Reference rewards": tables.references_table,
            "Both algorithms at every β, beside the published figures": tables.wildlife_table,
        },
        {"figure-2": patrol_record, "figure-3": sweep_record},
    ),
}


@dataclass(frozen=True)
class Report:
    """The page, and the verdicts and sections that a terminal shows."""

    page: str
    verdicts: list[Verdict]
    sections: list[Section]


def report_of(out: Path, seconds: float, figures: bool = True) -> Report:
    """Write the figures, if wanted, of all complete experiments in `out`, and return the report."""
    found: Found = {}
    for game, preset in EXPERIMENTS.items():
        read = _complete({reading: out / f"{game}-{reading}" for reading in READINGS}, game)
        present = {name: each for name, each in read.items() if each.manifest.spec == preset.load(name).stored()}
        found |= {game: present} if present else {}
    verdicts = [verdict for game, by_reading in found.items() for verdict in verdicts_on(game, by_reading)]
    sections = [_experiment_section(out, *each, figures) for each in _flat(found)]
    sections += _menus_section(out, found, figures)
    annex = [_provenance(found, seconds)]
    if found:
        sections += [_readings_section(out, found), _guarantees_section(out, found, figures)]
        annex.insert(0, _hyperparameters(found))
    lead = (REPORT["texts"]["lead"], f"Published figures: {PUBLISHED.source}")
    return Report(page_of(TITLE, lead, verdicts, sections + annex), verdicts, sections)


def _flat(found: Found) -> list[tuple[str, str, Results]]:
    return [(game, reading, results) for game, by_reading in found.items() for reading, results in by_reading.items()]


def _complete(folders: Mapping[str, Path], kind: str) -> dict[str, Results]:
    """The results of those folders in which no run is missing or damaged."""
    found = {}
    for name, folder in folders.items():
        with suppress(InvalidInput):
            found[name] = Results.read(folder, kind)
    return found


def _picture(path: Path, record: Any, title: str = "", caption: str = "") -> Picture:
    """Draw the figure that has the name of the file."""
    from firstmover.figures.files import drawn, save  # noqa: PLC0415 - matplotlib is slow to import

    entry, text = FIGURES[path.name], REPORT["captions"][path.name]
    size = (10.5, 3.8) if path.name == MENUS else entry.size  # a panel for each preset
    figure = drawn(lambda figure: entry.draw(record, figure), size, title)
    return Picture(save(figure, path)[0], entry.summary, f"{text} {caption}".strip())


def _experiment_section(out: Path, game: str, reading: str, results: Results, figures: bool) -> Section:
    chapter, texts, title = CHAPTERS[game], REPORT["texts"], results.manifest.title
    runs = "one run" if results.seeds == 1 else f"{results.seeds} runs"
    words = chapter.introduction.format(reading=texts[reading], runs=runs, held_from=texts["held_from"])
    pictures = [
        _picture(out / f"{game}-{reading}" / name, record(results), title, f"Preset {reading}.")
        for name, record in (chapter.records.items() if figures else ())
    ]
    captioned = tuple((caption, table(results)) for caption, table in chapter.tables.items())
    heading = f"{game.capitalize()}, preset {reading}"
    return Section(heading, (words + chapter.remark(results),), captioned, tuple(pictures))


def _menus_section(out: Path, found: Found, figures: bool) -> list[Section]:
    folders = {f"preset {reading}": out / f"{MENUS}-{reading}" for reading in found.get("wildlife", {})}
    complete = _complete(folders, MENUS)
    if not complete:
        return []
    records = {name: menus_record(results) for name, results in complete.items()}
    menus = next(iter(records.values())).menus
    words = REPORT["texts"]["menus"].format(menus=menus, round=CLAIMED_ROUND)
    pictures = (_picture(out / MENUS, records),) if figures else ()
    captioned = (("Ours and GP-UCB on other menus", tables.menus_table(complete)),)
    return [Section("Beyond the paper: other menus of the park", (words,), captioned, pictures)]


def _readings_section(out: Path, found: Found) -> Section:
    captioned = [(f"Switches of {game}", tables.switch_table(game)) for game in found]
    park = found.get("wildlife", {})
    steps = _complete({name: out / name for name in PARK_STEPS}, "wildlife")
    if len(park) == len(READINGS) and len(steps) == len(PARK_STEPS):
        captioned.append(("The park, from the released program to the text", tables.steps_table(park, steps)))
    return Section("Text and program: the readings", (REPORT["texts"]["readings"],), tuple(captioned))


def _guarantees_section(out: Path, found: Found, figures: bool) -> Section:
    """A table of the first run of each learner, and up to three figures per experiment."""
    rows: list[tuple[str, ...]] = []
    pictures: list[Picture] = []
    for game, reading, _ in _flat(found):
        folder = out / f"{game}-{reading}"
        runs = analysed_runs(folder)
        bounded = _bound(runs[0]) != tables.NOTHING  # whether the theorem applies depends on the game alone
        rows += [(f"{game}, {reading}", *_guarantees_row(analysed, bounded)) for analysed in runs]
        if figures:
            records: dict[str, Any] = {"split": split_of(runs[0]), "reliability": reliability_of(runs)}
            records |= {"bound": bound_of(runs[0])} if bounded else {}
            caption = f"{game.capitalize()}, preset {reading}."
            pictures += [_picture(folder / name, record, "", caption) for name, record in records.items()]
    columns = ("experiment", "learner", "R(T)", "R₁", "R₂", "gain", "bound", "in 50 %", "in 90 %")
    captioned = (("One run of each learner", pl.DataFrame(rows, schema=columns, orient="row")),)
    return Section("Guarantees", (REPORT["texts"]["guarantees"],), captioned, tuple(pictures))


def _guarantees_row(analysed: AnalysedRun, bounded: bool) -> tuple[str, ...]:
    split, curve = analysed.analysis.split, analysed.analysis.reliability
    inside = dict(zip(curve.levels.round(2).tolist(), curve.observed, strict=True))
    return (
        analysed.label,
        *(f"{part[-1]:.1f}" for part in (split.regret, split.weights, split.optimism)),
        f"{analysed.analysis.replay.information_gains[-1]:.1f}",
        _bound(analysed) if bounded else tables.NOTHING,
        *(f"{100 * inside[level]:.0f} %" for level in (0.5, 0.9)),
    )


def _bound(analysed: AnalysedRun) -> str:
    try:
        return f"{analysed.analysis.realised_bound.total[-1]:,.0f}"
    except InvalidInput:
        return tables.NOTHING


def _hyperparameters(found: Found) -> Section:
    rows = [
        (game, reading, label, fit["kernel"], f"{fit['log_likelihood']:.1f}")
        for game, reading, results in _flat(found)
        for label, fit in results.notes["fits"].items()
        if "seed" not in label or label.endswith("seed 0")
    ]
    table = pl.DataFrame(rows, schema=("game", "preset", "learner", "kernel", "log likelihood"), orient="row")
    captioned = (("Kernels and their log marginal likelihood", table),)
    return Section("Hyperparameters", (REPORT["texts"]["hyperparameters"],), captioned)


def _provenance(found: Found, seconds: float) -> Section:
    ranges = {f"{game}-{reading}": results.manifest.seeds for game, reading, results in _flat(found)}
    seeds = {name: f"{s[0]} alone" if len(s) == 1 else f"{s[0]} to {s[-1]}" for name, s in ranges.items()}
    same = len(set(seeds.values())) == 1
    facts = {
        "time of the last command, up to this page": f"{seconds:.0f} s of wall-clock time, {os.cpu_count()} processors",
        "seeds": next(iter(seeds.values())) if same else "; ".join(f"{name}: {each}" for name, each in seeds.items()),
        "system": f"{platform.system()} {platform.machine()}",
        **versions(),
    }
    table = pl.DataFrame({"fact": list(facts), "value": list(facts.values())})
    return Section("Provenance", (REPORT["texts"]["provenance"],), (("Seeds, versions, time", table),))
