import ast
import json
import logging
import subprocess
import sys
from pathlib import Path
from unittest import mock

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


def test_type_checkers_see_the_names_that_are_loaded() -> None:
    stub = ast.parse(Path(firstmover.__file__).with_suffix(".pyi").read_text("utf-8"))
    declared = [(node.module, name) for node in stub.body if isinstance(node, ast.ImportFrom) for name in node.names]
    assert all(name.asname == name.name for _, name in declared)
    assert {name.name: module for module, name in declared} == firstmover._MODULE_OF


def test_a_public_name_can_be_replaced_and_comes_back() -> None:
    with mock.patch("firstmover.regret") as replaced:
        assert firstmover.regret is replaced
    assert firstmover.regret is firstmover.simulation.regret
    with mock.patch.object(firstmover, "play_run", 3):
        assert firstmover.play_run == 3
    assert callable(firstmover.play_run)
    assert set(firstmover.__all__) <= set(dir(firstmover))


def test_the_package_logs_to_its_own_logger_and_prints_nothing(caplog: pytest.LogCaptureFixture) -> None:
    assert [type(each) for each in logging.getLogger("firstmover").handlers] == [logging.NullHandler]
    game = firstmover.GAMES["shore"].build()
    learner = firstmover.LEARNERS["uniform"].build(mock.Mock(game=game, using=lambda _: mock.Mock(game=game)))
    with caplog.at_level(logging.DEBUG, logger="firstmover"):
        firstmover.play_run(game, firstmover.opponent_for("shore", game, "random"), learner, 2, seed=5)
    assert "played seed 5 of Game('shore', 24 actions, 1 output, 5 types) with Fixed" in caplog.text


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
