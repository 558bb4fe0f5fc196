"""The report: from folders of results to claims, tables, figures and one HTML page."""

import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from firstmover.core.errors import InvalidInput
from firstmover.figures import FIGURES
from firstmover.figures.bounds import bound_of, draw_bound, draw_split, split_of
from firstmover.figures.coverage import draw_reliability, reliability_of
from firstmover.figures.html_page import Picture, Section, page_of
from firstmover.paper.claims import Claim, claims_of, report_texts
from firstmover.paper.experiments import EXPERIMENTS, MENUS, PARK_STEPS
from firstmover.paper.menus import CLAIMED_ROUND, summarise_menus
from firstmover.paper.preset import READINGS
from firstmover.paper.published import published
from firstmover.paper.results import Results
from firstmover.paper.routing_claims import (
    ROUTING_CHECKS,
    RoutingEvidence,
    congestion_table,
    exploration,
    routing_table,
)
from firstmover.paper.routing_figures import draw_routing, routing_record
from firstmover.paper.wildlife_claims import (
    WILDLIFE_CHECKS,
    WildlifeEvidence,
    outside,
    references_table,
    wildlife_table,
)
from firstmover.paper.wildlife_figures import (
    MENU_COLUMNS,
    comparable,
    draw_menus_held,
    draw_patrols,
    draw_sweep,
    menus_record,
    patrol_record,
    sweep_record,
)
from firstmover.runs.store import versions
from firstmover.runs.stored_theory import JudgedRun, judged_runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Learning to play sequential games versus unknown opponents, replayed"


@dataclass(frozen=True)
class Report:
    """The page, and the claims and sections that a terminal shows."""

    page: str
    claims: list[Claim]
    sections: list[Section]


@dataclass(frozen=True)
class Found:
    """The complete results of a folder, by reading, played with the present presets."""

    out: Path
    routing: dict[str, RoutingEvidence]
    wildlife: dict[str, WildlifeEvidence]

    @classmethod
    def of(cls, out: Path) -> "Found":
        """Read every experiment whose runs are complete; each file is read once."""
        return cls(out, _complete(out, "routing", RoutingEvidence.of), _complete(out, "wildlife", WildlifeEvidence.of))

    @property
    def experiments(self) -> dict[tuple[str, str], Results]:
        """The results by game and reading."""
        games: dict[str, Mapping[str, Any]] = {"routing": self.routing, "wildlife": self.wildlife}
        return {(game, r): evidence.results for game, found in games.items() for r, evidence in found.items()}


def _complete(out: Path, game: str, read: Callable[[Path], Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for reading in READINGS:
        evidence = _read_or_none(read, out / f"{game}-{reading}")
        spec = EXPERIMENTS[game].preset.load(game, reading).stored()
        if evidence is not None and evidence.results.manifest.spec == spec:
            found[reading] = evidence
    return found


def _read_or_none(read: Callable[[Path], Any], folder: Path) -> Any:
    try:
        return read(folder)
    except InvalidInput:
        return None


def report_of(out: Path, seconds: float, figures: bool = True) -> Report:
    """Write the figures, if wanted, of all complete experiments in `out`, and return the report."""
    found, words = Found.of(out), report_texts()["texts"]
    claims = claims_of("routing", ROUTING_CHECKS, found.routing, _of_one_run(found.routing)) if found.routing else []
    if found.wildlife:
        claims += claims_of("wildlife", WILDLIFE_CHECKS, found.wildlife, _of_one_run(found.wildlife))
    sections = _routing_sections(found, figures) + _wildlife_sections(found, figures) + _menus_section(found, figures)
    if found.experiments:
        sections += [_readings_section(found), _guarantees_section(found, figures)]
    annex = [_hyperparameters(found)] if found.experiments else []
    annex.append(_provenance(found, seconds))
    lead = (words["lead"], f"Published figures: {published().source}")
    page = page_of(TITLE, lead, [claim.on_page() for claim in claims], sections + annex)
    return Report(page, claims, sections)


def _of_one_run(found: Mapping[str, RoutingEvidence | WildlifeEvidence]) -> tuple[str, ...]:
    return tuple(reading for reading, evidence in found.items() if evidence.results.seeds == 1)


def _runs(results: Results) -> str:
    return "one run" if results.seeds == 1 else f"{results.seeds} runs"


def _picture(path: Path, draw: "Callable[[Figure], None]", title: str = "", caption: str = "") -> Picture:
    """Draw a figure of the table, or of the report alone, to `path`."""
    from firstmover.figures.files import drawn, save  # noqa: PLC0415 - matplotlib is slow to import

    entry, text = FIGURES[path.name], report_texts()["captions"][path.name]
    size = (10.5, 3.8) if path.name == MENUS else entry.size
    return Picture(save(drawn(draw, size, title), path)[0], entry.summary, f"{text} {caption}".strip())


def _routing_sections(found: Found, figures: bool) -> list[Section]:
    sections = []
    for reading, evidence in found.routing.items():
        record = routing_record(evidence.results, evidence.congestion)
        folder, title = found.out / f"routing-{reading}", evidence.results.manifest.title
        drawings = [("figure-1", lambda figure, record=record: draw_routing(record, figure))]
        sections.append(
            Section(
                f"Routing, preset {reading}",
                (
                    f"Sioux Falls {report_texts()['texts'][reading]}: {_runs(evidence.results)} of each learner."
                    f"{exploration(evidence)}",
                ),
                (
                    ("Regret and reward beside the published ones", routing_table(evidence)),
                    ("The table of Figure 1", congestion_table(evidence)),
                ),
                tuple(_picture(folder / n, draw, title, f"Preset {reading}.") for n, draw in drawings if figures),
            )
        )
    return sections


def _wildlife_sections(found: Found, figures: bool) -> list[Section]:
    words, sections = report_texts()["texts"], []
    for reading, evidence in found.wildlife.items():
        results = evidence.results
        folder, title = found.out / f"wildlife-{reading}", results.manifest.title
        drawings = [
            ("figure-2", lambda figure, results=results: draw_patrols(patrol_record(results), figure)),
            ("figure-3", lambda figure, results=results: draw_sweep(sweep_record(results), figure)),
        ]
        sections.append(
            Section(
                f"Wildlife, preset {reading}",
                (
                    f"The park {words[reading]}: {_runs(results)} at each β. {words['held_from']}"
                    f"{outside(evidence) if comparable(results) else words['other_scale']}",
                ),
                (
                    ("Reference rewards", references_table(evidence)),
                    ("Both algorithms at every β, beside the published figures", wildlife_table(evidence)),
                ),
                tuple(_picture(folder / n, draw, title, f"Preset {reading}.") for n, draw in drawings if figures),
            )
        )
    return sections


def _menus_section(found: Found, figures: bool) -> list[Section]:
    tables = {r: _read_or_none(_read_menus, found.out / f"{MENUS}-{r}") for r in found.wildlife}
    tables = {f"preset {reading}": table for reading, table in tables.items() if table is not None}
    if not tables:
        return []
    records = {name: menus_record(table) for name, table in tables.items()}

    def draw(figure: "Figure") -> None:
        draw_menus_held(records, figure.subplots(1, len(records), sharey=True, squeeze=False)[0])

    menus = next(iter(records.values())).menus
    words = report_texts()["texts"]["menus"].format(menus=menus, round=CLAIMED_ROUND)
    rows = [
        {
            "preset": name,
            "learner": row["learner"],
            "best patrol held in time": f"{row['held_in_time']} of {row['menus']}",
            "games that never hold it": f"{100 * row['never_held']:.0f} %",
            "ahead": f"{row['ahead']} of {row['menus']}",
        }
        for name, table in tables.items()
        for row in summarise_menus(table).iter_rows(named=True)
    ]
    pictures = (_picture(found.out / MENUS, draw),) if figures else ()
    captioned = (("Ours and GP-UCB on other menus", pl.DataFrame(rows)),)
    return [Section("Beyond the paper: other menus of the park", (words,), captioned, pictures)]


def _read_menus(folder: Path) -> pl.DataFrame:
    return Results.read(folder, MENUS, MENU_COLUMNS).table


def _readings_section(found: Found) -> Section:
    games = dict.fromkeys(game for game, _ in found.experiments)
    tables = [(f"Switches of {game}", switch_table(game)) for game in games]
    steps = {name: _read_or_none(WildlifeEvidence.of, found.out / name) for name in PARK_STEPS}
    if len(found.wildlife) == len(READINGS) and None not in steps.values():
        tables.append(("The park, from the released program to the text", _steps_table(found, steps)))
    return Section("Text and program: the readings", (report_texts()["texts"]["readings"],), tuple(tables))


def switch_table(game: str) -> pl.DataFrame:
    """Return every field in which the two presets of a game differ, with an explanation."""
    text, program = (EXPERIMENTS[game].preset.load(game, reading).stored() for reading in READINGS)
    return pl.DataFrame(
        [
            {"switch": name, "paper": _shown(text[name]), "released": _shown(program[name]), "what it changes": change}
            for name, change in report_texts()["switches"].items()
            if name in text and text[name] != program[name]
        ]
    )


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "none" if value == "Infinity" else str(value)


def _steps_table(found: Found, steps: Mapping[str, WildlifeEvidence]) -> pl.DataFrame:
    """The park from the released program to the text: when the best patrol is held at the β of Figure 2."""
    rows = {"the released program": found.wildlife["released"]}
    rows |= {words: steps[name] for name, (words, _) in PARK_STEPS.items()}
    rows["then the poachers' density for the rangers too: the text"] = found.wildlife["paper"]
    return pl.DataFrame([{"reading": words, **_step(evidence)} for words, evidence in rows.items()])


def _step(evidence: WildlifeEvidence) -> dict[str, str]:
    held, last = evidence.held(evidence.shown), evidence.last(evidence.shown).mean()
    return {
        "OPT": f"{evidence.notes['optimum']:.3f}",
        "last 10 rounds": f"{last:.3f}",
        "held from (median)": evidence.when(evidence.shown),
        "runs that hold it": f"{np.sum(held <= evidence.results.manifest.rounds)} of {len(held)}",
        "optimal in about 60 rounds": "reproduces" if np.median(held) <= CLAIMED_ROUND else "does not reproduce",
    }


def _guarantees_section(found: Found, figures: bool) -> Section:
    """A table of the first run of each learner, and up to three figures per experiment."""
    rows: list[tuple[str, ...]] = []
    pictures: list[Picture] = []
    for game, reading in found.experiments:
        folder = found.out / f"{game}-{reading}"
        runs = judged_runs(folder)
        bounded = _bound(runs[0]) != "–"  # whether the theorem applies depends on the game alone
        rows += [(f"{game}, {reading}", *_guarantees_row(judged, bounded)) for judged in runs]
        drawings = {
            "split": lambda figure, runs=runs: draw_split(split_of(runs[0]), figure),
            "reliability": lambda figure, runs=runs: draw_reliability(reliability_of(runs), figure),
            "bound": lambda figure, runs=runs: draw_bound(bound_of(runs[0]), figure),
        }
        if not bounded:
            del drawings["bound"]
        caption = f"{game.capitalize()}, preset {reading}."
        pictures += [_picture(folder / name, draw, "", caption) for name, draw in drawings.items() if figures]
    columns = ("experiment", "learner", "R(T)", "R₁", "R₂", "gain", "bound", "in 50 %", "in 90 %")
    tables = (("One run of each learner", pl.DataFrame(rows, schema=columns, orient="row")),)
    return Section("Guarantees", (report_texts()["texts"]["guarantees"],), tables, tuple(pictures))


def _guarantees_row(judged: JudgedRun, bounded: bool) -> tuple[str, ...]:
    split, curve = judged.judgement.split, judged.judgement.reliability
    inside = dict(zip(curve.levels.round(2).tolist(), curve.observed, strict=True))
    return (
        judged.label,
        *(f"{part[-1]:.1f}" for part in (split.regret, split.weights, split.optimism)),
        f"{judged.judgement.replay.information_gains[-1]:.1f}",
        _bound(judged) if bounded else "–",
        *(f"{100 * inside[level]:.0f} %" for level in (0.5, 0.9)),
    )


def _bound(judged: JudgedRun) -> str:
    try:
        return f"{judged.judgement.realised_bound.total[-1]:,.0f}"
    except InvalidInput:
        return "–"


def _hyperparameters(found: Found) -> Section:
    rows = [
        (game, reading, label, fit["kernel"], f"{fit['log_likelihood']:.1f}")
        for (game, reading), results in found.experiments.items()
        for label, fit in results.manifest.notes["fits"].items()
        if "seed" not in label or label.endswith("seed 0")
    ]
    table = pl.DataFrame(rows, schema=("game", "preset", "learner", "kernel", "log likelihood"), orient="row")
    captioned = (("Kernels and their log marginal likelihood", table),)
    return Section("Hyperparameters", (report_texts()["texts"]["hyperparameters"],), captioned)


def _provenance(found: Found, seconds: float) -> Section:
    facts = {
        "time of the last command, up to this page": f"{seconds:.0f} s of wall-clock time, {os.cpu_count()} processors",
        "seeds": _seeds({f"{game}-{r}": results.manifest.seeds for (game, r), results in found.experiments.items()}),
        "system": f"{platform.system()} {platform.machine()}",
        **versions(),
    }
    table = pl.DataFrame({"": list(facts), "value": list(facts.values())})
    return Section("Provenance", (report_texts()["texts"]["provenance"],), (("Seeds, versions, time", table),))


def _seeds(seeds: Mapping[str, Sequence[int]]) -> str:
    words = {name: f"{s[0]} alone" if len(s) == 1 else f"{s[0]} to {s[-1]}" for name, s in seeds.items()}
    distinct = set(words.values())
    return distinct.pop() if len(distinct) == 1 else "; ".join(f"{name}: {each}" for name, each in words.items())
