"""The record in words: a table for the terminal, and docs/performance.md."""

from pathlib import Path

from benchmarks.peers.figure import draw
from benchmarks.peers.methods import METHODS
from benchmarks.peers.results import Part, Record, Row

FIGURE = Path("images") / "performance.svg"

_HEAD = ["method", "CPU", "wall", "times ours", "growth", "memory", "error of μ", "error of σ", "relative to σ"]

_INTRO = """\
# Performance

This page is written by the benchmark (`make bench`, extra `[bench]`), never by hand; the numbers are in
`performance.json` beside it. `python -m benchmarks.peers W3 --out docs` measures one workload again.

In every round a belief gives μ and σ of all actions at the type just seen and takes in one response. Each method plays
whole runs of the same rounds, all in one process on one thread, in turn; times are medians. A row says how long a run
took, how its cost per round grows (t^p, from the stated round on), by how much resident memory rose, and how far μ
(with responses in [−1, 1]) and σ are off at the end, at most, from a Cholesky solve in 80-bit numbers. A method that
took longer than its budget was stopped; of the rounds that were left it played five more, spread evenly up to the last.
Its time is then estimated from a cost per round of a + bt + ct² + dt³, fitted to all that it played, and marked *e*.
The limit is what the algorithm's arithmetic and memory traffic would cost at the rates of matrix products and of
reading that were measured in the same process.
"""

_LAWS = """\
## Growth laws, and what bounds them

n actions, q types, p numbers in a type; t is the round. Operations and bytes:

| workload | method | cost per round | memory | bound by |
|---|---|---|---|---|
| W1 | firstmover, t < n/4 | 2tn: one row of V = L⁻¹K | 8tn | reading V |
| W1 | firstmover, later | n²: covariance, 48 rounds in one product | 16n² | matrix products; constant in t |
| W2 | firstmover | nt² + 2tp: one solve, n columns | 4t² + 8tp | thin products: all of L is read every round |
| W3 | firstmover | 2qtn: one row of V at each type | 8tn to 8qtn | matrix products and reading |
| all | refitting | t³/3 + nt², and tn kernel values | 8t² + 16tn | factorisation and solves |

A method that refits pays T⁴/12 + nT³/3 operations for a run of T rounds. Keeping the factor saves the first term;
where types are known, keeping V or the covariance of the menu saves the second. In W2 the 41 plans lie in the span of
three routes, over which a cubic kernel has rank 20: the limit counts r = 20.
"""


def seconds(value: float | None) -> str:
    """Three digits and a unit.

    >>> seconds(0.0028), seconds(31.52), seconds(2007.0), seconds(7e-6)
    ('2.80 ms', '31.5 s', '2,007 s', '7.00 µs')
    """
    if value is None:
        return "–"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= scale or unit == "µs":
            shown = value / scale
            digits = 0 if shown >= 100 else 1 if shown >= 10 else 2
            return f"{shown:,.{digits}f} {unit}"
    raise AssertionError


def _size(value: float | None) -> str:
    """Megabytes."""
    return "–" if value is None else f"{value / 1e6:,.1f} MB" if value < 1e9 else f"{value / 1e9:,.2f} GB"


def _number(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)


def _cells(part: Part, row: Row) -> list[str]:
    stopped = row.reached < part.horizon
    if row.failure:
        time = f"failed after {row.reached:,} rounds: {row.failure}"
    else:
        time = seconds(row.total) + (f" *e* (stopped after {row.reached:,} rounds, {seconds(row.cpu)})" * stopped)
    ratio = part.ratio(row)
    return [
        row.title,
        time,
        "–" if stopped else seconds(row.wall),
        "–" if ratio is None else f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}",
        _number(row.exponent, ".2f"),
        _size(row.resident),
        _number(row.mean_error, ".1e"),
        _number(row.std_error, ".1e"),
        _number(row.relative_std_error, ".1e"),
    ]


def _runs(part: Part) -> str:
    repeats = sorted({row.repeats for row in part.rows})
    return "One run of each" if repeats == [1] else f"Medians of {', '.join(map(str, repeats))} runs"


def _growth(part: Part) -> str:
    """From where on growth was read, if the run was long enough for any."""
    return "" if all(row.exponent is None for row in part.rows) else f"; growth from round {part.settled} on"


def table(part: Part) -> str:
    """One part as a Markdown table, with the limit, the missing peers and the machine below it."""
    lines = [_HEAD, ["---"] * len(_HEAD), *(_cells(part, row) for row in part.rows)]
    machine, ours = part.machine, part.ours.total
    over = "" if ours is None else f"; ours is {ours / part.limit:.2g} times that"
    notes = [
        f"Limit: {seconds(part.limit)}, {seconds(part.limit / part.horizon)} a round{over}. firstmover's arrays take "
        f"{_size(part.engine_memory)} at most. {machine.processor}; products {machine.product_rate / 1e9:.1f} Gflop/s, "
        f"thin ones {machine.thin_rate / 1e9:.1f}, reading {machine.read_bandwidth / 1e9:.1f} GB/s. "
        f"{_runs(part)}{_growth(part)}."
    ]
    notes.append("Versions: " + ", ".join(f"{name} {version}" for name, version in part.versions.items()) + ".")
    if part.missing:
        notes.append("Not installed, so not measured: " + ", ".join(METHODS[m].title for m in part.missing) + ".")
    if part.left_out:
        left_out = ", ".join(METHODS[m].title for m in part.left_out)
        notes.append(f"Left out, since a single round with so many actions takes minutes: {left_out}.")
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + "\n\n" + "\n".join(notes) + "\n"


def page(record: Record) -> str:
    """docs/performance.md as text."""
    parts = [
        f"## {p.workload}, {p.horizon:,} rounds\n\n{p.title[:1].upper()}{p.title[1:]}.\n\n{table(p)}"
        for p in record.parts
    ]
    figure = f"![CPU time of a run over its rounds]({FIGURE.as_posix()})\n\nDotted lines lead to estimated times.\n"
    return "\n".join([_INTRO, figure, *parts, _LAWS])


def write(record: Record, folder: Path) -> None:
    """Write the record, the page and its figure to a folder."""
    record.write(folder)
    (folder / FIGURE).parent.mkdir(exist_ok=True)
    draw(record, folder / FIGURE)
    (folder / "performance.md").write_text(page(record), encoding="utf-8")
