"""The study of certificates: sizes, one run of each kind, and summaries by hand."""

import polars as pl
import pytest
from studies.catalogue import ON_FAMILIES, STUDIES
from studies.certificates import BRIEF, LASTING, CertificateTask, holding, largest_median, summarise_certificates
from studies.report import fresh_certificates_aims

from firstmover.runs.arena.families import DEVELOPMENT, REPORT
from studies import certificates


def test_sizes_are_those_that_were_announced() -> None:
    assert "fresh-certificates" in ON_FAMILIES
    tasks = STUDIES["fresh-certificates"].tasks()
    assert len({(task.label, task.seed) for task in tasks}) == len(tasks)
    for kind in ("proved", BRIEF):
        main = [task for task in tasks if task.kind == kind and task.game in ("shore", "prices", "roads")]
        assert len(main) == 201
    assert all(task.seed in REPORT for task in tasks)
    assert all(task.seed in DEVELOPMENT for task in STUDIES["fresh-certificates"].tasks(develop=True))


@pytest.mark.parametrize(
    ("game", "kind", "seed"),
    [("shore", "proved", 0), ("roads", "proved", 1), ("shore", BRIEF, 1), ("roads", BRIEF, 5), ("prices", BRIEF, 0)],
)
def test_a_run_of_each_kind(monkeypatch: pytest.MonkeyPatch, game: str, kind: str, seed: int) -> None:
    monkeypatch.setattr(certificates, "SHORT", 12)
    monkeypatch.setattr(certificates, "LONG", 20)
    task = CertificateTask(game, kind, seed)
    row = task.play().row(0, named=True)
    assert len(task.play()) == task.rounds
    assert row["loss"] >= max(row["expected"], 0.0)
    if kind == "proved":
        assert row["loss"] >= row["regret"], "on these seeds"


TABLE = pl.DataFrame(
    {
        "game": ["shore"] * 3 + ["roads"],
        "kind": ["proved", "proved", LASTING, LASTING],
        "seed": [0, 1, 0, 0],
        "regret": [2.0, 10.0, 4.0, 1.0],
        "loss": [6.0, 9.0, 8.0, 5.0],
        "expected": [1.0, 8.0, -2.0, 0.9],
    }
)


def test_summaries_by_hand() -> None:
    """0.3 of the width: 1 + 0.3 · 5 = 2.5 holds; 8.3 does not; 0 + 0.3 · 8 = 2.4 does not; 0.9 + 0.3 · 4.1 = 2.13."""
    rows = {(row["kind"], row["game"]): row for row in summarise_certificates(TABLE).iter_rows(named=True)}
    assert (rows["proved", "shore"]["holds"], rows["proved", "shore"]["games"]) == (1, 2)
    assert rows["proved", "shore"]["median"] == pytest.approx((3.0 + 0.9) / 2)
    assert [row["holds_at_0.3"] for row in rows.values()] == [1, 0, 1]
    assert holding(TABLE, "auto") == (2, 2)
    assert largest_median(TABLE, LASTING) == (5.0, "roads")


def test_aims() -> None:
    aims = fresh_certificates_aims(TABLE)
    assert [aim.verdict for aim in aims] == ["missed", "met", "met", "missed"]
    assert "1 of 2" in aims[0].found
    assert "5.00 on roads" in aims[3].found
