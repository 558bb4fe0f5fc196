"""The whole programme on a small project: a planted defect that tests notice, and others that they do not."""

from dataclasses import replace
from pathlib import Path

import pytest
from coverage import CoverageData
from mutants.areas import Area, Mutant, sample
from mutants.covering import Covering, measured
from mutants.operators import mutations
from mutants.report import judgements, report
from mutants.trials import Trial, tried

from mutants import trials as trials_module

SOURCE = """\
def smaller(a, b):
    return a < b


def larger(a, b):
    return a > b


def unused(a, b):
    return a == b


def endless(a):
    while a != 3:
        a += 1
    return a
"""
TESTS = """\
from pathlib import Path

import pytest
from planted.numbers import endless, larger, smaller


@pytest.fixture(scope="module")
def three():
    return endless(0)


def test_smaller():
    assert smaller(1, 2) and not smaller(2, 2)


def test_larger_is_only_called():
    larger(1, 2)


def test_that_fails_in_every_trial():
    larger(1, 2)
    assert not any(name.startswith("mutants-") for name in Path.cwd().parts)


def test_three(three):
    assert three == 3


def test_three_again(three):
    assert three == 3
"""
AREA = Area("numbers", ("src/planted/*.py",), ("tests/",))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("project")
    files = {"src/planted/__init__.py": "", "src/planted/numbers.py": SOURCE, "tests/numbers/test_numbers.py": TESTS}
    for name, text in (files | {"pyproject.toml": ""}).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the coverage is kept."""
    return tmp_path_factory.mktemp("coverage")


@pytest.fixture(scope="module")
def covering(root: Path, folder: Path) -> Covering:
    return measured(root, folder, jobs=1, package="planted")


def planted(root: Path, line: int, text: str) -> Mutant:
    found = [mutant for mutant in sample(root, (AREA,), 100, 0) if mutant.mutation.first == line]
    return next(mutant for mutant in found if text in mutant.diff)


@pytest.fixture(scope="module")
def trials(root: Path, covering: Covering) -> dict[int, Trial]:
    """The trials of one mutant of each function, by line; the run without end is waited for shortly."""
    lines = {2: "+", 6: "+", 10: "+", 14: "=="}
    with pytest.MonkeyPatch.context() as small:
        small.setattr(trials_module, "LIBRARIES", ())
        ending = list(tried(root, [planted(root, line, text) for line, text in lines.items()], covering, jobs=1))
        small.setattr(trials_module, "SLACK", 2.0)
        endless = list(tried(root, [planted(root, 15, "pass")], covering, jobs=1))
    return {trial.mutant.mutation.first: trial for trial in ending + endless}


@pytest.mark.slow
def test_a_defect_that_a_test_notices_is_counted_with_the_test(trials: dict[int, Trial]) -> None:
    assert (trials[2].noticed, trials[2].by) == (True, "tests/numbers/test_numbers.py::test_smaller")


@pytest.mark.slow
def test_a_defect_that_no_test_notices_survives(trials: dict[int, Trial]) -> None:
    assert not trials[6].noticed, "its line is executed, its value is not looked at; one test fails without it too"
    assert not trials[10].noticed, "its line is not executed"


@pytest.mark.slow
def test_what_a_shared_fixture_executes_is_tried_by_all_tests_of_the_file(
    root: Path, covering: Covering, trials: dict[int, Trial]
) -> None:
    [near] = covering.batches(planted(root, 14, "=="))[:1]
    assert {"tests/numbers/test_numbers.py::test_three", "tests/numbers/test_numbers.py::test_three_again"} <= set(near)
    assert trials[14].noticed


def test_what_is_executed_elsewhere_is_tried_by_the_tests_that_start_it(root: Path) -> None:
    unseen, mutant = Covering(CoverageData(no_disk=True), {"tests/served.py::test": 1.0}), planted(root, 10, "+")
    assert unseen.batches(mutant) == []
    served = replace(mutant, area=replace(AREA, elsewhere=("tests/served.py",)))
    assert unseen.batches(served) == [["tests/served.py::test"]]


@pytest.mark.slow
def test_a_run_without_end_is_noticed(trials: dict[int, Trial]) -> None:
    assert (trials[15].noticed, trials[15].by) == (True, "time limit")


@pytest.mark.slow
def test_the_tree_is_as_before(root: Path, trials: dict[int, Trial]) -> None:
    assert len(trials) == 5
    assert (root / "src/planted/numbers.py").read_text() == SOURCE


@pytest.mark.slow
def test_the_report_has_a_table_and_the_survivors_with_their_judgement(
    trials: dict[int, Trial], tmp_path: Path
) -> None:
    judged = tmp_path / "judged.toml"
    change = '"""\n- return a == b\n+ return a != b\n"""'
    judged.write_text(f'[[harmless]]\nfile = "src/planted/numbers.py"\nchange = {change}\nwhy = "Unused."\n')
    page = report(trials.values(), judgements(judged), "Mutants")
    assert "| numbers | 5 | 3 | 2 | 1 | 60.0 |" in page
    open_ones, harmless = page.split("## Survivors judged harmless")
    assert "- return a > b" in open_ones
    assert "- return a == b" not in open_ones
    assert "Unused." in harmless


def test_every_judgement_is_about_a_mutant_of_the_present_sources() -> None:
    """One that is not would hide nothing and mislead: the line was changed since."""
    tree, judged = Path(__file__).parents[2], judgements()
    for file in {file for file, _ in judged}:
        found = {Mutant(AREA, tree, file, each).diff for each in mutations((tree / file).read_bytes())}
        assert {change for name, change in judged if name == file} <= found


def test_unchanged_test_files_are_not_run_again(
    root: Path, folder: Path, covering: Covering, capfd: pytest.CaptureFixture[str]
) -> None:
    assert measured(root, folder, jobs=1, package="planted").seconds == covering.seconds
    assert len(covering.seconds) == 5
    assert "Measuring" not in capfd.readouterr().out


def test_a_sample_is_fixed_by_its_seed_and_has_one_change_per_place(root: Path) -> None:
    one, again, other = (sample(root, (AREA,), 4, seed) for seed in (1, 1, 2))
    assert one == again != other
    places = [(mutant.mutation.operator, mutant.mutation.start) for mutant in sample(root, (AREA,), 100, 1)]
    assert len(places) == len(set(places))
