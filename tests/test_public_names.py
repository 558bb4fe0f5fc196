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


def test_playing_loads_nothing_that_is_only_for_plots_results_or_speed() -> None:
    code = (
        "import sys, firstmover\n"
        "loaded = {name.split('.')[0] for name in sys.modules}\n"
        "from firstmover import StackelUCB, play, play_many, regret\n"
        "heavy = {'matplotlib', 'pydantic', 'torch', 'numba', 'ray', 'GPy'} & {*sys.modules}\n"
        "sys.exit(f'{loaded} {heavy}' if heavy or loaded & {'numpy', 'scipy', 'sklearn'} else 0)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'firstmover' has no attribute 'StackelUBC'"):
        _ = firstmover.StackelUBC
