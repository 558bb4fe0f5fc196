"""The experiments that `firstmover reproduce` replays, and the report about them."""

from pathlib import Path

from firstmover.experiments.spec import ExperimentSpec
from firstmover.experiments.store import read, whole_file
from firstmover.experiments.summary import COLUMNS, as_markdown, summarise

_STANDARD = ["stackelucb", "hedge", "gp-mw", "exp3", "max-min", "uniform"]
"""The learners of every experiment; the optimum joins where types do not adapt to the learner."""


def toy_experiments(rounds: int = 300, seeds: int = 5) -> dict[str, ExperimentSpec]:
    """The shore and the flock against random types and against the adversary, by the name of their folder."""
    fields = {"rounds": rounds, "seeds": seeds}
    return {
        f"{game}-{opponent}": ExperimentSpec.read(
            {"game": game, "opponent": opponent, "learners": _STANDARD + privileged, **fields}
        )
        for game in ("shore", "flock")
        for opponent, privileged in (("random", ["optimum"]), ("adversary", []))
    }


def write_report(path: Path, folders: dict[str, Path], plots: list[str]) -> None:
    """One page: of each folder of results the summary, and the figures that stand in it."""
    parts = ["# firstmover: results\n\nRegret is measured on noiseless responses; ± is the 95 % interval over seeds."]
    for name, folder in folders.items():
        table = read(folder, COLUMNS)
        parts.append(f"## {name}\n\n{as_markdown(summarise(table))}")
        parts += [f"![{plot} of {name}]({(folder / plot).relative_to(path.parent).as_posix()}.png)" for plot in plots]
    with whole_file(path) as file:
        file.write(("\n\n".join(parts) + "\n").encode())
