"""The report of the studies: verdicts computed from stored runs."""

from pathlib import Path

import polars as pl
import pytest
from studies.__main__ import app
from studies.adversary import AdversaryTask
from studies.catalogue import STUDIES, Study, results_of
from studies.drift import drift_tasks
from studies.prices import prices_tasks
from studies.rationality import RationalityTask
from studies.report import drift_aims, menus_aims, prices_aims, search_aims, simplex_aims, verdict
from studies.routing import HEDGE, RECOMMENDED, regret_tasks
from studies.simplex import SearchTask, commitment_tasks
from typer.testing import CliRunner

from firstmover.runs import Task, read_manifest
from studies import catalogue


def _careless() -> list[Task]:
    return [RationalityTask("bimatrix", "logit 10", learner, s, 6) for learner in ("choice", "Exp3") for s in (0, 1)]


SMALL: dict[str, Study] = {
    "drift": Study("Drift", lambda: drift_tasks((31, 32), 4)),
    "rationality-bimatrix": Study("Rationality", _careless),
    "prices-random": Study("Prices", lambda: prices_tasks("random", (1, 2), 4)),
    "routing": Study("Routing", lambda: regret_tasks((3, 4), (HEDGE, RECOMMENDED))),
    "adversary": Study(
        "Adversary",
        lambda: [AdversaryTask(a, s, 100) for a in ("smallest reward", "largest shortfall") for s in (0, 1)],
    ),
    "simplex": Study("Simplex", lambda: commitment_tasks((20, 21), 200)),
    "search": Study("Search", lambda: [SearchTask(iterations=20)]),
}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    out = tmp_path_factory.mktemp("beyond")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogue, "STUDIES", SMALL)
        result = CliRunner().invoke(app, ["--out", str(out), "--workers", "1"])
    assert result.exit_code == 0, result.output
    return out, result.output


def test_every_study_is_stored_with_its_own_seeds(played: tuple[Path, str]) -> None:
    out, _ = played
    assert set(results_of(out)) == set(SMALL)
    manifest = read_manifest(out / "beyond-routing")
    assert (manifest.kind, manifest.labels, manifest.seeds) == ("beyond", (HEDGE, RECOMMENDED), (3, 4))
    assert "opponent_type" not in results_of(out)["routing"].columns


def test_the_page_and_the_terminal_have_the_aims(played: tuple[Path, str]) -> None:
    out, said = played
    page = (out / "beyond.html").read_text()
    assert "<h1>Beyond the paper</h1>" in page
    for words in ("routing, R(T)/T, 2 seeds", "rounds 131–150, 2 seeds", "data:image/png"):
        assert words in page
    assert read_manifest(out / "beyond-simplex").seeds == (20, 21)
    assert "Targets and measured values\n\n| measured" in said
    assert "at most 10" in said


def test_a_study_cut_short_stays_out(played: tuple[Path, str]) -> None:
    out, _ = played
    held = read_manifest(out / "beyond-simplex")
    run = out / "beyond-simplex" / "results" / f"{held.key(held.labels[0], 21)}.parquet"
    content = run.read_bytes()
    run.unlink()
    assert "simplex" not in results_of(out)
    run.write_bytes(content)
    assert "simplex" in results_of(out)


def test_an_unknown_study_is_refused() -> None:
    result = CliRunner().invoke(app, ["drif"])
    assert result.exit_code == 2
    assert result.stderr.startswith("Unknown study 'drif': did you mean 'drift'?")
    assert result.stderr.count("\n") == 1


def test_sizes_are_those_that_were_announced() -> None:
    tasks = {name: STUDIES[name].tasks() for name in ("menus-paper", "menus-released", "drift", "simplex", "routing")}
    for name in ("menus-paper", "menus-released"):
        assert [task.seed for task in tasks[name]] == list(range(121, 151))
        assert tasks[name][0].rounds == 5 * 100 * 8  # five games, ours and GP-UCB at seven β
    assert len({task.seed for task in tasks["simplex"]}) == 20
    assert len({task.seed for task in tasks["routing"]}) == 50


def test_verdicts_of_hand_made_figures() -> None:
    assert verdict(10.0, 0.0, 10.0) == "met"
    shares = pl.DataFrame(
        {
            "learner": ["StackelUCB"] * 2 + ["GP-MW 1"] * 2 + ["Exp3"] * 2,
            "seed": [0, 1] * 3,
            "reward": [96.0, 96.0, 97.0, 97.0, 50.0, 50.0],
            "cumulative_regret": [4.0, 4.0, 3.0, 3.0, 50.0, 50.0],
        }
    )
    assert [aim.verdict for aim in prices_aims(shares, "by chance")] == ["met", "missed", "met"]
    rows = {"learner": ["remembers all"] * 2 + ["forgets"] * 2, "menu": [1, 2] * 2, "t": 9, "regret": 1.0}
    drift = pl.DataFrame({**rows, "dynamic_regret": [10.0, 20.0, 4.0, 10.0]})
    assert [aim.verdict for aim in drift_aims(drift)] == ["met on average"]  # 0.4 and 0.5
    assert (
        search_aims(pl.DataFrame({"found": [0.15], "optimum": [0.142]}))[0].verdict == "missed"
    )  # above the reference
    rewards = [{"seed": s, "t": t, "reward": 0.125} for s in (0, 1) for t in range(1, 201)]
    assert [aim.verdict for aim in simplex_aims(pl.DataFrame(rewards))] == ["met", "missed"]


def test_menus_are_judged_by_their_games() -> None:
    """The best patrol, 7, is held from round 16 on: one too late for the median; GP-UCB earns less."""
    base = {"seed": 0, "t": range(1, 21), "best_action": 7, "menu": 40}
    ours = pl.DataFrame({**base, "learner": "choice", "action": [1] * 15 + [7] * 5, "reward": 1.0})
    theirs = pl.DataFrame({**base, "learner": "GP-UCB 1", "action": [1] * 20, "reward": 0.5})
    assert [aim.verdict for aim in menus_aims(pl.concat([ours, theirs.select(ours.columns)]), "preset paper")] == [
        "missed",
        "met",
        "met",
    ]
