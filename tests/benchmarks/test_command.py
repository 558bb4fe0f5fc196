from pathlib import Path

from benchmarks.peers import Record
from benchmarks.peers.__main__ import app
from typer.testing import CliRunner

runner = CliRunner()


def test_a_benchmark_is_printed_and_written(tmp_path: Path) -> None:
    arguments = ["W2", "--rounds", "10", "--peers", "numpy", "--repeats", "1", "--out", str(tmp_path)]
    result = runner.invoke(app, arguments)
    assert result.exit_code == 0
    assert "W2, 10 rounds; routing" in result.stdout
    assert "| firstmover |" in result.stdout
    assert "W2: numpy played 10 rounds" in result.stderr
    assert [part.workload for part in Record.read(tmp_path).parts] == ["W2"]
    assert (tmp_path / "performance.md").exists()


def test_an_unknown_workload_and_peer_are_refused_in_a_sentence() -> None:
    refused = (
        (["W9"], "Unknown workload 'W9'"),
        (["W1", "--peers", "gpie"], "Unknown peer 'gpie'"),
        (["W1", "--rounds", "0"], "rounds is 0: give 1 or more."),
    )
    for arguments, words in refused:
        result = runner.invoke(app, arguments)
        assert result.exit_code == 2
        assert words in result.stderr
        assert result.stderr.count("\n") == 1


def test_a_folder_that_cannot_be_written_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.touch()
    for folder in (taken, taken / "deeper", Path("/proc/x")):
        result = runner.invoke(app, ["W2", "--rounds", "10", "--peers", "none", "--out", str(folder)])
        assert result.exit_code == 2
        assert result.stdout == ""
        assert result.stderr.startswith(f"Folder '{folder}' cannot be written: ")
        assert result.stderr.count("\n") == 1


def test_a_short_single_run_claims_no_medians_and_no_growth() -> None:
    result = runner.invoke(app, ["W1", "--rounds", "10", "--peers", "none", "--repeats", "1"])
    assert " One run of each.\n" in result.stdout
    assert "growth from" not in result.stdout
