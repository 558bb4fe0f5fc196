from dataclasses import replace
from typing import Any

import pytest
from benchmarks.peers import methods
from benchmarks.peers.measure import one_run
from benchmarks.peers.methods import METHODS, chosen
from benchmarks.peers.reference import errors
from benchmarks.peers.workloads import Workload, menu, park, routing

from firstmover.core.errors import InvalidInput

LOADS = {"W1": park(25), "W2": routing(25), "W3": menu(25, n=300)}
SINGLE = {"W1": replace(LOADS["W1"], responses=LOADS["W1"].responses[:, :1])}


@pytest.mark.filterwarnings("ignore")  # peers remark on the scale of their data
@pytest.mark.parametrize("name", chosen("installed")[0])
@pytest.mark.parametrize("load", [*LOADS.values(), *SINGLE.values()], ids=[*LOADS, "W1, one output"])
def test_every_installed_method_solves_the_same_problem(load: Workload, name: str) -> None:
    trial = one_run(METHODS[name].start, load)
    assert trial.failure is None
    assert trial.prediction is not None
    assert trial.rounds[-1] == 25
    mean_error, std_error, _ = errors(load, 25, *trial.prediction)
    assert mean_error < (1e-6 if name.startswith("gpy") and name != "gpytorch" else 1e-12)  # GPy adds 1e-8 to λ
    assert std_error < (1e-6 if name.startswith("gpy") and name != "gpytorch" else 1e-12)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in chosen("installed")[0] if name != "firstmover"])
@pytest.mark.parametrize("load", LOADS.values(), ids=[*LOADS])
def test_every_peer_that_is_stopped_catches_up_with_the_rounds_it_did_not_play(load: Workload, name: str) -> None:
    trial = one_run(METHODS[name].start, load, budget=0.0)
    assert trial.failure is None
    assert trial.prediction is not None
    assert trial.rounds[-1] == 1
    assert list(trial.later) == [5, 10, 15, 20, 25]
    assert max(errors(load, 25, *trial.prediction)[:2]) < 1e-6


def test_missing_packages_are_named_and_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    absent: Any = replace(METHODS["gpy"], packages=("numpy", "a_package_that_nobody_has"))
    monkeypatch.setitem(methods.METHODS, "gpy", absent)
    assert absent.missing == ("a_package_that_nobody_has",)
    names, missing = chosen("installed")
    assert "gpy" not in names
    assert "gpy" in missing


def test_peers_are_chosen_by_name_and_an_unknown_one_is_refused() -> None:
    assert chosen("numpy, scikit-learn") == (["firstmover", "numpy", "scikit-learn"], [])
    with pytest.raises(InvalidInput, match=r"Unknown peer 'scikit-laern': did you mean 'scikit-learn'\?"):
        chosen("scikit-laern")


def test_versions_are_those_of_the_packages() -> None:
    assert set(methods.versions(["firstmover", "scikit-learn"])) == {"numpy", "scipy", "sklearn"}
