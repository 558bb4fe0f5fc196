from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.peers import METHODS, PROGRAMME, WORKLOADS, Part, Record, Row, benchmark, steps_of, table, write
from benchmarks.peers.figure import shown
from benchmarks.peers.machine import Machine

from firstmover.core.errors import InvalidInput

MACHINE = Machine(processor="a processor", product_rate=4e10, thin_rate=2e10, read_bandwidth=2e10)


def row(method: str, **fields: object) -> Row:
    values = {
        "title": method, "reached": 100, "cpu": 0.5, "wall": 0.6, "total": 0.5, "repeats": 3, "exponent": 0.01,
        "mean_error": 1e-14, "std_error": 2e-15, "relative_std_error": 3e-15, "resident": 1e6,
        "rounds": [1, 10, 100], "curve": [0.1, 0.2, 0.5],
    }  # fmt: skip
    return Row.model_validate(values | {"method": method} | fields)


def part(*rows: Row, workload: str = "W1", horizon: int = 100) -> Part:
    return Part(
        workload=workload, title="a part", horizon=horizon, settled=10, rows=list(rows), missing=["gpy"],
        versions={"numpy": "2"}, machine=MACHINE, limit=0.25, engine_memory=2e6,
    )  # fmt: skip


def cells(text: str, title: str) -> list[str]:
    line = next(line for line in text.splitlines() if line.startswith(f"| {title} "))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_a_row_has_its_time_ratio_growth_memory_and_errors() -> None:
    text = table(part(row("firstmover"), row("numpy", total=20.0, cpu=20.0)))
    assert cells(text, "numpy") == [
        "numpy",
        "20.0 s",
        "600 ms",
        "40",
        "0.01",
        "1.0 MB",
        "1.0e-14",
        "2.0e-15",
        "3.0e-15",
    ]
    assert "Limit: 250 ms, 2.50 ms a round; ours is 2 times that." in text
    assert "Not installed, so not measured: GPy, all actions at once." in text


def test_an_extrapolated_time_is_marked_and_shows_what_was_played() -> None:
    text = table(part(row("firstmover"), row("numpy", total=20.0, reached=60)))
    assert cells(text, "numpy")[1:4] == ["20.0 s *e* (stopped after 60 rounds, 500 ms)", "–", "40"]


def test_what_failed_has_no_ratio() -> None:
    text = table(part(row("firstmover"), row("b", total=None, failure="E: no")))
    assert cells(text, "b")[1] == "failed after 100 rounds: E: no"
    assert cells(text, "b")[3] == "–"


def test_a_part_measured_again_replaces_the_old_one(tmp_path: Path) -> None:
    record = Record().with_part(part(row("firstmover"), horizon=1000)).with_part(part(row("firstmover")))
    again = part(row("firstmover", total=0.1))
    write(record.with_part(again), tmp_path)
    read = Record.read(tmp_path)
    assert [p.horizon for p in read.parts] == [100, 1000]
    assert read.parts[0] == again
    assert Record.read(tmp_path / "nowhere").parts == []


def test_the_page_and_its_figure_are_the_same_every_time(tmp_path: Path) -> None:
    record = Record().with_part(part(row("firstmover"), row("numpy", reached=60, total=9.0)))
    for folder in ("a", "b"):
        write(record, tmp_path / folder)
    for name in ("performance.md", "performance.json", "images/performance.svg"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    page = (tmp_path / "a" / "performance.md").read_text(encoding="utf-8")
    assert "## W1, 100 rounds" in page
    assert "images/performance.svg" in page


def test_the_figure_shows_the_part_with_most_peers() -> None:
    full, alone = part(row("firstmover"), row("numpy")), part(row("firstmover"), horizon=100_000)
    assert shown(Record(parts=[full, alone])) == [full]


@pytest.mark.slow
def test_a_small_benchmark_measures_speed_and_error_of_every_row() -> None:
    said: list[str] = []
    measured = benchmark("W2", 40, "numpy,scikit-learn", repeats=2, budget=60, say=said.append)
    assert [r.method for r in measured.rows] == ["firstmover", "numpy", "scikit-learn"]
    assert len(said) == 6
    assert measured.limit > 0
    assert 1e4 < measured.engine_memory < 1e8
    for r in measured.rows:
        assert r.reached == 40
        assert r.repeats == 2
        assert r.total == r.cpu > 0
        assert r.mean_error is not None
        assert r.mean_error < 1e-12


@pytest.mark.slow
def test_a_run_out_of_time_is_stopped_and_plays_some_of_its_later_rounds() -> None:
    measured = benchmark("W1", 1000, "numpy", repeats=1, budget=0.05, say=lambda _: None)
    peer = measured.rows[1]
    assert peer.reached < 1000
    assert peer.total is not None
    assert peer.total > peer.cpu + sum(peer.later.values())
    assert max(peer.later) == 1000
    assert len(peer.later) == 5
    assert peer.std_error is not None
    assert peer.std_error < 1e-12
    assert measured.ours.reached == 1000  # our own runs are never stopped


@pytest.mark.slow
def test_a_peer_that_cannot_bear_the_menu_is_left_out_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METHODS, "numpy", replace(METHODS["numpy"], largest_menu=40))
    measured = benchmark("W2", 5, "numpy,scikit-learn", repeats=1, say=lambda _: None)
    assert [r.method for r in measured.rows] == ["firstmover", "scikit-learn"]
    assert measured.left_out == ["numpy"]
    assert "Left out, since a single round with so many actions takes minutes: NumPy and SciPy" in table(measured)


def test_the_programme_as_a_whole_and_by_workload() -> None:
    assert steps_of(None, None) == list(PROGRAMME)
    assert {step.workload for step in PROGRAMME} == set(WORKLOADS)
    assert [step.rounds for step in steps_of("W1", None)] == [100, 1000, 100_000]
    assert steps_of("W1", 100_000)[0].peers == "none"
    assert steps_of("W3", 7)[0][:3] == ("W3", 7, "installed")
    with pytest.raises(InvalidInput, match="rounds is 50 without a workload: name one of W1, W2, W3, W3-million"):
        steps_of(None, 50)


def test_bad_arguments_are_refused_in_a_sentence() -> None:
    with pytest.raises(InvalidInput, match="Unknown workload 'W9'"):
        benchmark("W9", 10)
    with pytest.raises(InvalidInput, match="rounds is 0: it must be a finite number above 0"):
        benchmark("W1", 0)
