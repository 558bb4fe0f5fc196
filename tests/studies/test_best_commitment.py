import numpy as np
import pytest
from studies.best_commitment import best_commitment

from firstmover.core.errors import InvalidInput
from firstmover.games.wildlife.opponents import Poachers
from firstmover.games.wildlife.park import published_park

SHY = Poachers(published_park(1.0), coverage_sign=1, density_factor=10.0)


def earned(x):
    y = SHY(x[None], np.zeros(0))
    covered = x[SHY.park.cell_of(y)[0]]
    return float(covered - (1 - covered) * SHY.park.density(y)[0])


def test_the_level_is_equal_over_the_cells_worth_attacking_and_all_mass_is_used():
    known = best_commitment(SHY)
    assert known.coverage.sum() == pytest.approx(1.0, abs=1e-9)
    _, cells, gain = SHY.best_places
    x = known.coverage[cells]
    f = 2 * x**3 / (2 * x**3 + (1 - x) ** 3)
    promised = gain - 3 * f
    assert promised[x > 0] == pytest.approx(np.full(np.sum(x > 0), promised.max()), abs=1e-9)


def test_a_hair_less_coverage_of_its_cell_earns_it_and_none_found_by_local_search_earns_more():
    known = best_commitment(SHY)
    x = known.coverage.copy()
    x[known.cell] -= 1e-6
    assert earned(x / x.sum()) == pytest.approx(known.reward, abs=1e-4)
    rng, best, value = np.random.default_rng(0), x / x.sum(), known.reward - 1e-4
    for scale in np.repeat([0.1, 0.03, 0.01, 0.003, 0.001], 200):
        trial = np.abs(best + scale * rng.normal(size=25) * (rng.random(25) < 0.2))
        trial /= trial.sum()
        assert earned(trial) <= known.reward + 1e-9
        if earned(trial) > value:
            best, value = trial, earned(trial)


def test_poachers_who_seek_rangers_are_refused():
    with pytest.raises(InvalidInput, match="poachers seek rangers"):
        best_commitment(Poachers(published_park(1.0), coverage_sign=-1))
