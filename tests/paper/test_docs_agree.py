"""The table of verdicts in the documentation, beside the report that ten seeds give."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from firstmover.cli import app

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "reproduce-the-paper.md"

WORDS = {
    "reproduces under both": "reproduces.",
    "does not reproduce": "does not reproduce.",
    "reproduces under `released`; not settled": "reproduces only under a reading (released; not settled by these runs",
    "reproduces under `released` only": "reproduces only under a reading (released).",
}
"""Words of the page and those of the report."""


@pytest.mark.slow
def test_the_verdicts_on_routing_are_those_of_the_documentation(tmp_path: Path) -> None:
    said = CliRunner().invoke(app, ["reproduce", "routing", "--no-figures", "--out", str(tmp_path)]).output
    rows = [line.split("|") for line in PAGE.read_text().splitlines() if line.startswith("| routing:")]
    reported = [line.split(": ")[-1] for line in said.splitlines() if "reproduce" in line]
    documented = [next(words for page, words in WORDS.items() if row[2].strip().startswith(page)) for row in rows]
    assert len(documented) == len(reported) == 5
    assert all(there.startswith(here) for there, here in zip(reported, documented, strict=True)), (reported, documented)
