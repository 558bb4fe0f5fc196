"""What a newcomer's slips at a match are answered with, and what is said when all is well."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from firstmover.cli import app
from tests.cli.running import begun, match


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def made(name: str, template: str) -> None:
    """A match as a template describes it."""
    Path(f"{template}.toml").write_text(match("template", template))
    match("new", name, "--config", f"{template}.toml")


def test_a_missing_type_of_a_built_in_game_is_named_with_its_flag_and_column() -> None:
    Path("shore.json").write_text('{"menu": {"game": "shore"}}')
    match("new", "bay", "--config", "shore.json")
    match("ask", "bay")
    sentence = "type is missing: give it, such as --type type=1, or, in a file, in a column 'type'."
    assert match("tell", "bay", "--response", "y1=0.5", code=2) == sentence
    Path("past.csv").write_text("action,y1\n0,0.5\n")
    assert match("import", "bay", "past.csv", code=2) == f"row 1: {sentence}"
    assert match("tell", "bay", "--type", "kind=1", "--response", "y1=0.5", code=2) == (
        "Unknown type 'kind': Known: type."
    )
    assert match("tell", "bay", "--type", "type=1", "--response", "y1=0.5") == "1 round told; 0 pending."
    assert "--type type=1" in match("template", "patrol")


def test_the_last_action_is_counted_as_on_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firstmover.matches.drafting.uniform", lambda: 1 - 2.0**-53)
    made("shop", "pricing")
    assert match("ask", "shop").startswith("Round 1: play '14.00' (no. 7 of 7), which had")
    assert '"action": 6' in match("ask", "shop", "--json")


def test_a_match_that_is_stopped_speaks_of_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    begun()
    monkeypatch.setattr("firstmover.matches.Match.ask", stopped)
    result = CliRunner().invoke(app, ["match", "ask", "roads"])
    assert result.exit_code == 130
    assert result.stderr == "Stopped: what was acknowledged is kept; repeat the command.\n"
    assert "130 stopped" in match("--help")


def test_a_picture_is_written_here_whatever_the_match_is_called(tmp_path: Path) -> None:
    Path("match.toml").write_text(match("template", "pricing"))
    for name in ("../道路 नमस्ते مرحبا", ".v1.shop"):
        match("new", name, "--config", "match.toml")
    assert match("plot", "../道路 नमस्ते مرحبا", "map").splitlines() == [
        "Wrote ___道路 नमस्ते مرحبا-map.png",
        "Wrote ___道路 नमस्ते مرحبا-map.pdf",
    ]
    assert match("plot", ".v1.shop", "learning").splitlines() == [
        "Wrote _v1_shop-learning.png",
        "Wrote _v1_shop-learning.pdf",
    ]
    assert len(list(tmp_path.glob("_*"))) == 4
