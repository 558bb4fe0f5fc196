"""The report: which mutants were noticed, by area, and each survivor with its judgement."""

import tomllib
from collections.abc import Iterable
from pathlib import Path

from mutants.trials import Trial

JUDGED = Path(__file__).parent / "judged.toml"
HEAD = "| area | mutants | noticed | survived | judged harmless | noticed, % |\n|---|---:|---:|---:|---:|---:|\n"


def judgements(file: Path = JUDGED) -> dict[tuple[str, str], str]:
    """Return why a change of a file makes no difference that matters, by the file and the changed lines."""
    entries = tomllib.loads(file.read_text("utf-8")).get("harmless", [])
    return {(entry["file"], entry["change"].strip()): entry["why"] for entry in entries}


def report(trials: Iterable[Trial], judged: dict[tuple[str, str], str], title: str) -> str:
    """Return a page in Markdown: a table by area, then the survivors, those without a judgement first."""
    trials = list(trials)
    survivors = [trial for trial in trials if not trial.noticed]
    reasons = {id(trial): judged.get((trial.mutant.file, trial.mutant.diff)) for trial in survivors}
    areas = dict.fromkeys(trial.mutant.area.name for trial in trials)
    rows = [_row(area, [trial for trial in trials if trial.mutant.area.name == area], reasons) for area in areas]
    parts = [f"# {title}\n", HEAD + "\n".join([*rows, _row("all", trials, reasons)]) + "\n"]
    for heading, harmless in (("## Survivors that are not judged", False), ("## Survivors judged harmless", True)):
        listed = [trial for trial in survivors if (reasons[id(trial)] is not None) == harmless]
        if listed:
            parts += [heading + "\n", *(_survivor(trial, reasons[id(trial)]) for trial in listed)]
    return "\n".join(parts)


def _row(area: str, trials: list[Trial], reasons: dict[int, str | None]) -> str:
    noticed = sum(trial.noticed for trial in trials)
    harmless = sum(reasons.get(id(trial)) is not None for trial in trials)
    cells = (area, len(trials), noticed, len(trials) - noticed, harmless, f"{100 * noticed / len(trials):.1f}")
    return "| " + " | ".join(map(str, cells)) + " |"


def _survivor(trial: Trial, reason: str | None) -> str:
    mutant = trial.mutant
    said = f"\n{reason}\n" if reason else ""
    place = f"`{mutant.file}`, line {mutant.mutation.first}, {mutant.mutation.operator}; {trial.tests} tests passed"
    return f"{place}\n\n```diff\n{mutant.diff}\n```\n{said}"
