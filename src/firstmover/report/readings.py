"""Where the paper's text and the authors' released program differ, switch by switch."""

from pathlib import Path

import numpy as np
import polars as pl

from firstmover.experiments.menus import CLAIMED_ROUND
from firstmover.experiments.reproduce import EXPERIMENTS, PARK_STEPS
from firstmover.report.wildlife import WildlifeEvidence

CHANGES = {
    "ties": "which of two equally long routes comes first: for the operator's third route and 82 pairs of users",
    "units_counted": "g(x): 75, 50 and 25 % all on the shortest route count as 300, 225 and 150 units",
    "travel_time": "the time that users expect under the plan: c (1 + 0.15 (x/C)⁴) or c (1 + 0.15 x/C)⁴",
    "detour_limit": "second routes so many times longer than the first are dropped: 54 of 528 pairs",
    "pairs": "552 pairs, or the 528 between which somebody travels",
    "deviation": "σ_t in the bounds: the posterior's, or with the noise variance added",
    "first_observation": "one offline point is known before round 1",
    "exp3": "whether Exp3 mixes in uniform exploration",
    "baseline_feedback": "whether Exp3 observes noisy rewards",
    "paired": "whether all learners meet the same demands",
    "degrees": "degrees of the polynomial kernels that are played",
    "density_of_rangers": "φ in the rangers' reward, in times of the mixture; poachers see 10 times the mixture",
    "optimism": "r̃: the maximum over the whole box, or the reward at its corner μ + βσ",
    "max_min": "what Max-Min stands for: the reward that its patrol obtains, or the one that it guarantees",
}
"""What each switch of a preset changes."""


def switch_table(game: str) -> pl.DataFrame:
    """Every field in which the two presets of a game differ."""
    text, program = (EXPERIMENTS[game].preset.load(game, reading).stored() for reading in ("paper", "released"))
    return pl.DataFrame(
        [
            {"switch": name, "paper": _shown(text[name]), "released": _shown(program[name]), "what it changes": change}
            for name, change in CHANGES.items()
            if name in text and text[name] != program[name]
        ]
    )


def steps_table(out: Path) -> pl.DataFrame:
    """The park from the released program to the text: when the best patrol is held at the β of Figure 2."""
    folders = {
        "wildlife-released": "the released program",
        **{name: words for name, (words, _) in PARK_STEPS.items()},
        "wildlife-paper": "then the poachers' density for the rangers too: the text",
    }
    return pl.DataFrame(
        [{"reading": words, **_step(WildlifeEvidence.of(out / name))} for name, words in folders.items()]
    )


def _step(evidence: WildlifeEvidence) -> dict[str, str]:
    held, last = evidence.held(evidence.shown), evidence.last(evidence.shown).mean()
    return {
        "OPT": f"{evidence.notes['optimum']:.3f}",
        "last 10 rounds": f"{last:.3f}",
        "held from (median)": evidence.when(evidence.shown),
        "runs that hold it": f"{np.sum(held <= evidence.results.manifest.rounds)} of {len(held)}",
        "optimal in about 60 rounds": "reproduces" if np.median(held) <= CLAIMED_ROUND else "does not reproduce",
    }


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "none" if value == "Infinity" else str(value)
