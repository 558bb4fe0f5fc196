"""Commands run in the tests' own process."""

from typer.testing import CliRunner

from firstmover.cli import app

runner = CliRunner()
SMALL = ["--rounds", "8", "--seeds", "2"]


def refused(*arguments: str) -> str:
    """The one line on stderr with which a command was refused."""
    result = runner.invoke(app, list(arguments))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert isinstance(result.exception, SystemExit)
    assert result.stderr.count("\n") == 1
    return result.stderr.strip()
