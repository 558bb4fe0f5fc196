"""From folders of results to the whole report: figures, tables, claims, page."""

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from firstmover.experiments.beyond import beyond_folders
from firstmover.experiments.preset import READINGS
from firstmover.experiments.published import published
from firstmover.experiments.reproduce import MENUS, PARK_STEPS, finished
from firstmover.experiments.store import read_manifest, versions
from firstmover.plots import PLOTS
from firstmover.plots.figure import figure_of, save
from firstmover.report.beyond import beyond_section
from firstmover.report.claims import Claim, runs_in_words
from firstmover.report.guarantees import guarantees_section
from firstmover.report.menus import menus_section
from firstmover.report.page import page_of
from firstmover.report.readings import steps_table, switch_table
from firstmover.report.routing import ROUTING_QUESTIONS, RoutingEvidence, congestion_table, exploration, routing_table
from firstmover.report.section import Picture, Section
from firstmover.report.wildlife import WILDLIFE_QUESTIONS, WildlifeEvidence, outside, references_table, wildlife_table

TITLE = "Learning to play sequential games versus unknown opponents, replayed"

READING_WORDS = {"paper": "as the text has it", "released": "as the authors' released program has it"}

CAPTIONS = {
    "figure-1": "As the paper's Figure 1. Left: time-averaged regret. Right: congestion of each link, averaged over "
    "all rounds and runs, on one logarithmic scale of colours; blue is the origin, green the destination.",
    "figure-2": "As the paper's Figure 2. Left: reward of each round. Right: animal density, and the patrol that our "
    "algorithm plays most in its last rounds.",
    "figure-3": "As the paper's Figure 3: reward of each round at every β, for our algorithm and for GP-UCB.",
}


OTHER_SCALE = " Rangers count another density here than in the published runs, so that rewards do not compare."


@dataclass(frozen=True)
class Chapter:
    """One game under all readings that were played: its claims, and its tables and figures by reading."""

    claims: list[Claim]
    sections: list[Section]


@dataclass(frozen=True)
class Report:
    """The page, and what a terminal shows of it."""

    page: str
    claims: list[Claim]
    sections: list[Section]


def report_of(out: Path, played: Sequence[tuple[str, str]], seconds: float) -> Report:
    """The report of what was played into `out`."""
    chapters = [_routing(out, played), _wildlife(out, played)]
    claims = [claim for chapter in chapters for claim in chapter.claims]
    sections = [section for chapter in chapters for section in chapter.sections]
    if readings := [r for r in _readings_of(played, "wildlife") if finished(out / f"{MENUS}-{r}")]:
        sections.append(menus_section(out, readings))
    if played:
        sections += [_readings(out, played), guarantees_section(out, played)]
    if (beyond := beyond_section(out)) is not None:
        sections.append(beyond)
    annex = [_hyperparameters(out, played)] if played else []
    annex.append(_making(out, played, seconds))
    return Report(page_of(TITLE, _lead(), claims, sections + annex), claims, sections)


def _lead() -> tuple[str, ...]:
    return (
        "The experiments of Section 4 and Appendices E and F, played again and laid beside the published figures. The "
        "paper's text and the program that its authors released differ in places; each reading is a preset, paper or "
        "released, and what differs is listed below. ± is the 95 % interval over seeds.",
        f"Published figures: {published().source}",
    )


def _readings_of(played: Sequence[tuple[str, str]], game: str) -> list[str]:
    return [reading for name, reading in played if name == game]


def _routing(out: Path, played: Sequence[tuple[str, str]]) -> Chapter:
    found = {r: RoutingEvidence.of(out / f"routing-{r}") for r in _readings_of(played, "routing")}
    sections = [
        Section(
            f"Routing, preset {reading}",
            (
                f"Sioux Falls {READING_WORDS[reading]}: {runs_in_words(len(evidence.results.manifest.seeds))} of each "
                f"learner.{exploration(evidence)}",
            ),
            (
                ("Regret and reward beside the published ones", routing_table(evidence)),
                ("The table of Figure 1", congestion_table(evidence)),
            ),
            _pictures(out / f"routing-{reading}", ["figure-1"], reading),
        )
        for reading, evidence in found.items()
    ]
    return Chapter([question.asked(found, _once(found)) for question in ROUTING_QUESTIONS] if found else [], sections)


def _wildlife(out: Path, played: Sequence[tuple[str, str]]) -> Chapter:
    found = {r: WildlifeEvidence.of(out / f"wildlife-{r}") for r in _readings_of(played, "wildlife")}
    sections = [
        Section(
            f"Wildlife, preset {reading}",
            (
                f"The park {READING_WORDS[reading]}: {runs_in_words(len(evidence.results.manifest.seeds))} at each β. "
                "“Held from” is the median round from which a run plays the best patrol of the menu to its end."
                + (outside(evidence) if evidence.comparable else OTHER_SCALE),
            ),
            (
                ("What to compare with", references_table(evidence)),
                ("Both algorithms at every β, beside the published figures", wildlife_table(evidence)),
            ),
            _pictures(out / f"wildlife-{reading}", ["figure-2", "figure-3"], reading),
        )
        for reading, evidence in found.items()
    ]
    return Chapter([question.asked(found, _once(found)) for question in WILDLIFE_QUESTIONS] if found else [], sections)


def _once(found: Mapping[str, RoutingEvidence | WildlifeEvidence]) -> tuple[str, ...]:
    """The readings that were played with one seed."""
    return tuple(reading for reading, evidence in found.items() if len(evidence.results.manifest.seeds) == 1)


def _pictures(folder: Path, plots: list[str], reading: str) -> tuple[Picture, ...]:
    return tuple(
        Picture(
            save(figure_of(plot, folder), folder / plot)[0], PLOTS[plot].summary, f"{CAPTIONS[plot]} Preset {reading}."
        )
        for plot in plots
    )


def _readings(out: Path, played: Sequence[tuple[str, str]]) -> Section:
    games = list(dict.fromkeys(game for game, _ in played))
    tables = [(f"Switches of {game}", switch_table(game)) for game in games]
    both = len(_readings_of(played, "wildlife")) == len(READINGS)
    if both and all(finished(out / step) for step in PARK_STEPS):
        tables.append(("The park, from the released program to the text", steps_table(out)))
    words = (
        "Each difference is a switch in the preset's file, so that any reading between the two can be played as well."
    )
    return Section("Text and program: the readings", (words,), tuple(tables))


def _hyperparameters(out: Path, played: Sequence[tuple[str, str]]) -> Section:
    rows: list[tuple[str, ...]] = []
    for game, reading in played:
        for label, fit in read_manifest(out / f"{game}-{reading}").notes["fits"].items():
            likelihood = f"{fit['log_likelihood']:.1f}"
            rows.append((game, reading, label, fit["kernel"], likelihood))
    columns = ("game", "preset", "learner", "kernel", "log likelihood")
    table = pl.DataFrame(rows, schema=columns, orient="row").filter(~pl.col("learner").str.contains(r"seed [1-9]"))
    words = (
        "By largest marginal likelihood over offline points. Those of GP-UCB are fitted anew for every run: the first "
        "is shown, all are in the manifest."
    )
    return Section("Hyperparameters", (words,), (("Kernels and their log marginal likelihood", table),))


def _making(out: Path, played: Sequence[tuple[str, str]], seconds: float) -> Section:
    facts = {
        "time of the last command, up to this page": f"{seconds:.0f} s of wall-clock time, {os.cpu_count()} processors",
        "seeds": _seeds(out, played),
        "system": f"{platform.system()} {platform.machine()}",
        **versions(),
    }
    table = pl.DataFrame({"": list(facts), "value": list(facts.values())})
    words = (
        "All runs are stored beside this page, one Parquet table each with a checksum, and a manifest.json for each "
        "folder; firstmover plot draws any figure again from them."
    )
    return Section("How this was made", (words,), (("Seeds, versions, time", table),))


def _seeds(out: Path, played: Sequence[tuple[str, str]]) -> str:
    names = [f"{game}-{reading}" for game, reading in played]
    seeds = {name: _counted(read_manifest(out / name).seeds) for name in (*names, *beyond_folders(out))}
    alike = set(seeds.values())
    return alike.pop() if len(alike) == 1 else "; ".join(f"{name}: {words}" for name, words in seeds.items())


def _counted(seeds: Sequence[int]) -> str:
    return f"{seeds[0]} alone" if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]}"
