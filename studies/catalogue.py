"""The studies: for each a title and its runs, stored in a folder of its own."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from firstmover.core.errors import InvalidInput
from firstmover.paper.experiments import Replay
from firstmover.runs import Task, read
from firstmover.runs.arena.families import DEVELOPMENT, REPORT
from studies import contexts, floors, fresh
from studies.adversary import adversary_tasks
from studies.alarms import alarm_tasks
from studies.arena import arena_tasks
from studies.certificates import certificate_tasks
from studies.choice import choice_tasks
from studies.drift import drift_tasks
from studies.growing import growing_tasks
from studies.journals import journal_tasks
from studies.menus import menu_tasks
from studies.misspecification import misspecified_tasks
from studies.overrides import override_tasks
from studies.prices import prices_tasks
from studies.rationality import rationality_tasks
from studies.routing import regret_tasks
from studies.simplex import SearchTask, commitment_tasks

KIND = "beyond"
"""The kind of these results, and the prefix of their folders."""


@dataclass(frozen=True)
class Study:
    """A title, and runs with the same number of rounds for every label and seed.

    Studies of the families have `on_families` instead, which takes the seed of the first instance.
    """

    title: str
    report: Callable[[], list[Task]] = list
    on_families: Callable[[int], list[Task]] | None = None

    def tasks(self, develop: bool = False) -> list[Task]:
        """Return the runs of the report, or those on development instances."""
        if self.on_families is not None:
            return self.on_families((DEVELOPMENT if develop else REPORT).start)
        if develop:
            raise InvalidInput(f"{self.title!r} has no development instances: leave out --develop.")
        return self.report()


STUDIES: dict[str, Study] = {
    "arena": Study("The learner auto beside others on fresh instances of all families", on_families=arena_tasks),
    "fresh-alarms": Study("Alarms in healthy runs and in scenarios made for them", on_families=alarm_tasks),
    "misspecification": Study("Wrong assumptions and wrong data", on_families=misspecified_tasks),
    "fresh-outliers": Study("Responses typed wrongly", on_families=fresh.outlier_tasks),
    "fresh-parks": Study("Fresh parks", on_families=fresh.park_tasks),
    "fresh-simplex": Study("The whole simplex of fresh parks", on_families=fresh.simplex_tasks),
    "fresh-prices": Study("Fresh price games, an adaptive adversary", on_families=fresh.prices_tasks),
    "fresh-template": Study("The template pricing with temperature", on_families=fresh.template_tasks),
    "fresh-hints": Study(
        "Prices with a hint about the segment",
        on_families=lambda first: contexts.context_tasks(contexts.HINTS, 20, first),
    ),
    "fresh-kiosks": Study(
        "Kiosks by weekday", on_families=lambda first: contexts.context_tasks(contexts.KIOSKS, 20, first)
    ),
    "fresh-contexts": Study(
        "Contexts that say nothing, and adversaries",
        on_families=lambda first: contexts.context_tasks(contexts.NOTHING, 20, first),
    ),
    "fresh-closures": Study(
        "A fifth of the actions closed", on_families=lambda first: contexts.context_tasks(contexts.CLOSURES, 20, first)
    ),
    "fresh-floors": Study(
        "A floor under the rewards", on_families=lambda first: floors.floor_tasks(floors.FLOORS, first=first)
    ),
    "fresh-changes": Study(
        "Blocks of rounds and a cost of changing",
        on_families=lambda first: floors.floor_tasks(floors.CHANGES, count=10, first=first),
    ),
    "fresh-menus": Study("A menu that loses three actions and gains five", on_families=menu_tasks),
    "fresh-overrides": Study("Other actions than advised in 30 % of rounds", on_families=override_tasks),
    "fresh-certificates": Study(
        "Certificates of what was lost, on drawn responses and by auto", on_families=certificate_tasks
    ),
    "fresh-journals": Study("A thousand policies from one journal", on_families=journal_tasks),
    "fresh-cost": Study("Processor time on 525 actions", fresh.cost_tasks),
    "menus-paper": Study("Choice beliefs on held-out menus, preset paper", lambda: choice_tasks("paper")),
    "menus-released": Study("Choice beliefs on held-out menus, preset released", lambda: choice_tasks("released")),
    "drift": Study("Poachers whose camp moves", drift_tasks),
    "rationality-park": Study("Poachers of decreasing rationality", lambda: rationality_tasks("park")),
    "rationality-bimatrix": Study(
        "A finite game, followers of decreasing rationality", lambda: rationality_tasks("bimatrix")
    ),
    "rationality-roads": Study("Road users of decreasing rationality", lambda: rationality_tasks("roads")),
    "prices-random": Study("Prices, random segments", lambda: prices_tasks("random")),
    "prices-adversary": Study("Prices, an adaptive adversary", lambda: prices_tasks("adversary")),
    "routing": Study("Routing without horizon and reward range", regret_tasks),
    "adversary": Study("Routing against adversaries", adversary_tasks),
    "simplex": Study("The whole simplex", commitment_tasks),
    "growing": Study("A growing menu, poachers from three camps", growing_tasks),
    "search": Study("The optimum over the simplex, by independent search", lambda: [SearchTask()]),
}
"""In the order of play: the longest first."""

ON_FAMILIES = tuple(name for name in STUDIES if name.startswith(("arena", "fresh-", "misspecification")))
"""The studies of `auto` on fresh games, which take about 25 minutes; the others take seven."""


def replay_of(name: str, develop: bool = False) -> Replay:
    """Return the runs of a study, ready to be played and stored."""
    study = STUDIES[name]
    return Replay.of(f"{KIND}-{name}", KIND, study.title, {"study": name}, study.tasks(develop))


def results_of(out: Path) -> dict[str, pl.DataFrame]:
    """Return the tables of all studies whose results in a folder are complete."""
    tables = {}
    for name in STUDIES:
        try:
            tables[name] = read(out / f"{KIND}-{name}")
        except InvalidInput:  # not played, or incomplete
            continue
    return tables
