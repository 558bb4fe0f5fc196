import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_runs_and_prints_what_it_says_it_prints(example: Path, tmp_path: Path) -> None:
    """The last line of an example's docstring is the last line that it prints."""
    result = subprocess.run(
        [sys.executable, "-W", "error", example], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert result.returncode == 0, result.stderr
    promised = example.read_text().split('"""')[1].strip().splitlines()[-1].strip()
    assert result.stdout.strip().splitlines()[-1] == promised
