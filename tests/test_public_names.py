import json
import subprocess
import sys

import pytest

import firstmover

HEAVY = {
    "fastapi",
    "httpx",
    "joblib",
    "matplotlib",
    "numpy",
    "polars",
    "pydantic",
    "ray",
    "scipy",
    "sklearn",
    "sqlalchemy",
}


def loaded_after(code: str) -> set[str]:
    """The top-level packages that a new process has imported after running the code."""
    program = f"{code}\nimport json, sys\nprint('\\n' + json.dumps(sorted({{n.split('.')[0] for n in sys.modules}})))"
    result = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    return set(json.loads(result.stdout.splitlines()[-1]))


def test_every_public_name_exists_and_is_documented() -> None:
    assert len(set(firstmover.__all__)) == len(firstmover.__all__)
    for name in firstmover.__all__:
        assert getattr(firstmover, name).__doc__ or name.isupper()


def test_the_names_of_the_tutorials_are_public() -> None:
    needed = {"opponent_for", "single", "Scripted", "Sampled", "GPUCB", "GPMW"}
    assert needed <= set(firstmover.__all__)
    assert firstmover.GPUCB is firstmover.learners.GPUCB
    assert firstmover.opponent_for is firstmover.simulation.opponent_for


def test_help_loads_no_heavy_library() -> None:
    code = "from firstmover.__main__ import main\nimport sys\nsys.argv = ['firstmover', '--help']\n"
    assert loaded_after(f"{code}try:\n    main()\nexcept SystemExit:\n    pass") & HEAVY == set()


def test_importing_the_package_loads_no_heavy_library() -> None:
    assert loaded_after("import firstmover") & HEAVY == set()


def test_playing_loads_nothing_that_is_only_for_figures_documents_or_processes() -> None:
    loaded = loaded_after("from firstmover import StackelUCB, play, play_many, regret")
    assert loaded & {"fastapi", "matplotlib", "pydantic", "ray", "sqlalchemy", "typer"} == set()


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'firstmover' has no attribute 'StackelUBC'"):
        _ = firstmover.StackelUBC
