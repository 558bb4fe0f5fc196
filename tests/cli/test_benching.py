from pathlib import Path

from typer.testing import CliRunner

from firstmover.bench import Record
from firstmover.cli import app

runner = CliRunner()


def test_a_benchmark_is_printed_and_written(tmp_path: Path) -> None:
    arguments = ["bench", "W2", "--rounds", "10", "--peers", "numpy", "--repeats", "1", "--out", str(tmp_path)]
    result = runner.invoke(app, arguments)
    assert result.exit_code == 0
    assert "W2, 10 rounds; routing" in result.stdout
    assert "| firstmover |" in result.stdout
    assert "W2: numpy played 10 rounds" in result.stderr
    assert [part.workload for part in Record.read(tmp_path).parts] == ["W2"]
    assert (tmp_path / "performance.md").exists()


def test_an_unknown_workload_and_peer_are_refused_in_a_sentence() -> None:
    for arguments, words in ((["W9"], "Unknown workload 'W9'"), (["W1", "--peers", "gpie"], "Unknown peer 'gpie'")):
        result = runner.invoke(app, ["bench", *arguments])
        assert result.exit_code == 2
        assert words in result.stderr
        assert result.stderr.count("\n") == 1
