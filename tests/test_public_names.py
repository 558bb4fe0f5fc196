import subprocess
import sys

import pytest

import firstmover


def test_every_public_name_exists_and_the_list_is_sorted_without_doubles() -> None:
    assert len(set(firstmover.__all__)) == len(firstmover.__all__)
    for name in firstmover.__all__:
        assert getattr(firstmover, name).__doc__ or name.isupper()


def test_what_the_tutorials_need_stands_at_the_top() -> None:
    needed = {"opponent_for", "single", "Scripted", "Sampled", "GPUCB", "GPMW"}
    assert needed <= set(firstmover.__all__)
    assert firstmover.GPUCB is firstmover.learners.GPUCB
    assert firstmover.opponent_for is firstmover.opponents.opponent_for


def test_the_command_starts_without_the_heavy_libraries_and_functions_keep_their_names() -> None:
    code = (
        "import sys, firstmover.cli\n"
        "early = {'numpy', 'scipy', 'sklearn', 'matplotlib', 'polars', 'pydantic'} & set(sys.modules)\n"
        "assert firstmover.games.GAMES is firstmover.GAMES\n"
        "import firstmover.experiments; from firstmover import play, regret\n"
        "sys.exit(f'{early}' if early or not (callable(play) and callable(regret)) else 0)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_importing_all_that_plays_takes_less_than_half_a_second_beyond_numpy_scipy_and_scikit_learn() -> None:
    """Measured at 0.2 to 0.3 s of CPU time, the quickest of three; what draws and reports is loaded when it is used."""
    code = (
        "import sys, time, numpy, scipy.linalg, scipy.optimize, scipy.sparse, scipy.spatial, scipy.special\n"
        "import sklearn.gaussian_process\n"
        "start = time.process_time()\n"
        "import firstmover; from firstmover import *\n"
        "print(time.process_time() - start, {'matplotlib', 'pydantic', 'torch'} & set(sys.modules) or '')"
    )
    outputs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
        for _ in range(3)
    ]
    assert min(float(seconds) for seconds, *_ in outputs) < 0.5
    assert all(len(output) == 1 for output in outputs)


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'firstmover' has no attribute 'StackelUBC'"):
        _ = firstmover.StackelUBC
