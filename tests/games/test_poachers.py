import math

import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.games.wildlife.game import patrol_menu, wildlife_game
from firstmover.games.wildlife.opponents import Poachers, answering_commitments, references
from firstmover.games.wildlife.park import Park, published_park
from firstmover.simulation import Committed

ANY = np.zeros(25)


def two_by_two(**changes):
    """φ = exp(−(d₁² + 2 d₂²) / 2) around (1, 1), one place in each cell: (0, 0), (0, 1), (1, 0), (1, 1)."""
    scale = 2 * np.pi * np.sqrt(0.5)
    park = Park([1.0], [[1.0, 1.0]], [[[1.0, 0.0], [0.0, 0.5]]], cells=(2, 2), grid_step=1.0, density_scale=scale)
    return Poachers(park, **changes)


def test_the_utilities_are_as_worked_by_hand():
    # φ: e^−1.5, e^−½, e^−1, 1; D / max D: 0, 1/√2, 1/√2, 1; R = φ − D / (2 max D); and the penalty, −1
    expected = [0.2231301601 - 1, 0.6065306597 - 0.3535533906 - 1, 0.3678794412 - 0.3535533906 - 1, 1 - 0.5 - 1]
    np.testing.assert_allclose(two_by_two().utilities, expected, atol=1e-9)


@pytest.mark.parametrize(
    ("patrol", "changes", "place"),
    [
        # f: .002736, .030303, .136020, .372093; with + ω₁ f: −.78508, −.83793, −1.39373, −1.61628
        ([0.1, 0.2, 0.3, 0.4], {"coverage_sign": 1}, [0, 0]),
        # with − ω₁ f: −.76866, −.65611, −.57761, .61628
        ([0.1, 0.2, 0.3, 0.4], {}, [1, 1]),
        # f: .666667, .002736, .002736, .136020; with + ω₁ f: −2.77687, −.75523, −.99388, −.90806
        ([0.5, 0.1, 0.1, 0.3], {"coverage_sign": 1}, [0, 1]),
        # the same with P = (−1, −1.3, −1, −1): −2.77687, −1.05523, −.99388, −.90806
        ([0.5, 0.1, 0.1, 0.3], {"coverage_sign": 1, "penalties": np.array([-1, -1.3, -1, -1])}, [1, 1]),
        # the same with 2 φ: −2.55374, −.14870, −.62600, .09194
        ([0.5, 0.1, 0.1, 0.3], {"coverage_sign": 1, "density_factor": 2.0}, [1, 1]),
        # the same from (1, 0), D / max D = 1/√2, 1, 0, 1/√2: −3.13043, −.90168, −.64033, −.76161
        ([0.5, 0.1, 0.1, 0.3], {"coverage_sign": 1, "start": (1.0, 0.0)}, [1, 0]),
        # the same with δ = 1, γ = 1, f(p) = p: −2.27687, −1.04702, −1.28567, −1.4; and then ω₂ = 4:
        # R: .22313, .25298, .01433, .5, so −1.60748, −.28809, −1.24270, .1
        ([0.5, 0.1, 0.1, 0.3], {"coverage_sign": 1, "curve": (1.0, 1.0)}, [0, 1]),
        ([0.5, 0.1, 0.1, 0.3], {"coverage_sign": 1, "curve": (1.0, 1.0), "preferences": (-3, 4, 1)}, [1, 1]),
    ],
)
def test_the_choice_is_as_worked_by_hand(patrol, changes, place):
    assert two_by_two(**changes)(np.array([patrol]), ANY).tolist() == [place]


def plain_choice(poachers, patrol):
    """The text of Appendix F, place by place."""
    park, (w1, w2, w3), (delta, gamma) = poachers.park, poachers.preferences, poachers.curve
    places = [tuple(p) for p in park.grid.tolist()]
    far = max(math.dist(p, poachers.start) for p in places)
    best, choice = -math.inf, None
    for place in places:
        i = math.floor(place[0]) * park.cells[1] + math.floor(place[1])
        f = delta * patrol[i] ** gamma / (delta * patrol[i] ** gamma + (1 - patrol[i]) ** gamma)
        density = poachers.density_factor * float(park.density(np.array([place]))[0])
        gain = density - poachers.distance_weight * math.dist(place, poachers.start) / far
        utility = (
            poachers.coverage_sign * w1 * f + w2 * gain + w3 * np.broadcast_to(poachers.penalties, park.n_cells)[i]
        )
        if utility > best:
            best, choice = utility, place
    return choice


@pytest.mark.parametrize("seed", range(8))
def test_the_choice_is_that_of_plain_loops_over_the_text(seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(3, 2, 2))
    park = Park(
        rng.dirichlet(np.ones(3)),
        rng.uniform(0, 3, (3, 2)),
        root @ root.transpose(0, 2, 1) + 0.1 * np.eye(2),
        cells=(3, 2),
        grid_step=0.2,
        density_scale=rng.uniform(1, 5),
    )
    poachers = Poachers(
        park,
        preferences=tuple(rng.uniform(-3, 3, 3)),
        coverage_sign=int(rng.choice([-1, 1])),
        density_factor=rng.uniform(0.5, 3),
        distance_weight=rng.uniform(0, 2),
        curve=tuple(rng.uniform(0.5, 3, 2)),
        penalties=rng.uniform(-2, 0, 6),
        start=tuple(rng.uniform(0, 2, 2)),
    )
    patrols = patrol_menu(6, n_mixed=15, menu_seed=seed)
    np.testing.assert_array_equal(poachers(patrols, ANY), [plain_choice(poachers, x) for x in patrols])


def test_ties_go_to_the_first_place_of_the_grid_even_in_a_later_cell():
    # a ridge from (0, 1), in cell 1, to (0.5, 0.5), in cell 0: equal density, and (0, 1) comes first on the grid
    park = Park([1.0], [[0.25, 0.75]], [[[0.1, -0.09], [-0.09, 0.1]]], cells=(1, 2), grid_step=0.5)
    poachers = Poachers(park, distance_weight=0.0)
    assert poachers(np.array([[0.5, 0.5]]), ANY).tolist() == [[0.0, 1.0]]


def released():
    park = published_park(density_scale=1.0)
    return wildlife_game(park), Poachers(park, coverage_sign=1, density_factor=10.0)


def test_the_published_references_are_met_to_their_printed_digits():
    known = references(*released())
    assert f"{known.optimum:.5f}" == "0.05004"
    assert f"{known.max_min_guaranteed:.5f}" == "-0.04262"
    assert f"{known.max_min_obtained:+.3f}" == "+0.017"


def test_on_the_published_menu_poachers_go_to_two_places():
    game, poachers = released()
    responses = poachers(game.actions, game.types[0])
    places, counts = np.unique(responses, axis=0, return_counts=True)
    assert places.tolist() == [[1.5, 3.3], [3.3, 1.5]]
    assert poachers.park.cell_of(places).tolist() == [8, 16]
    assert counts.tolist() == [293, 232]
    # pure patrols elsewhere leave the two places equal, so that the first is chosen; that of cell 8 drives them away
    assert poachers.park.cell_of(responses[500:]).tolist() == [8] * 8 + [16] + [8] * 16


def test_as_printed_poachers_seek_the_rangers_and_the_best_patrol_earns_all():
    game = wildlife_game()
    known = references(game, Poachers(published_park()))
    assert known.optimum == 1.0
    assert known.optimal_action >= 500


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"start": (2.5, 0.0)}, r"start is \(2.5, 0.0\): give a place in the park, from \(0, 0\) to \(2, 2\)."),
        ({"start": (0.0,)}, r"start has 1 number\(s\): give 2"),
        ({"start": (np.nan, 0.0)}, "start has the value nan at position 0"),
        ({"preferences": (1.0, 2.0)}, r"preferences has 2 number\(s\): give 3"),
        ({"coverage_sign": 0}, "coverage_sign is 0: give -1, as printed, or 1."),
        ({"curve": (2.0,)}, r"curve has 1 number\(s\): give 2"),
        ({"curve": (0.0, 3.0)}, r"curve\[0\] is 0.0: it must be a finite number above 0."),
        ({"curve": (2.0, -1.0)}, r"curve\[1\] is -1.0"),
        ({"penalties": np.zeros(3)}, "penalties has 3 numbers: give one, or one for each of 4."),
        ({"density_factor": np.inf}, "density_factor and distance_weight has the value inf at position 0"),
    ],
)
def test_poachers_that_make_no_sense_are_refused_in_one_sentence(changes, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        two_by_two(**changes)


@pytest.mark.parametrize(
    ("patrols", "sentence"),
    [
        (np.ones((1, 3)), r"actions has shape \(1, 3\): give one row or more of 4 coverage probabilities."),
        (np.array([[0.5, 0.5, 0.5, np.nan]]), "actions reach from nan to nan: give probabilities, from 0 to 1."),
        (np.array([[0.5, 0.7, -0.2, 0.0]]), "actions reach from -0.2 to 0.7"),
    ],
)
def test_patrols_that_make_no_sense_are_refused_in_one_sentence(patrols, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        two_by_two()(patrols, ANY)


def test_watchers_answer_the_commitment_and_not_the_cell():
    watchers = Poachers(published_park(1.0), coverage_sign=1, density_factor=10.0)
    theta = np.full(25, 0.04)
    answers = answering_commitments(watchers)(np.eye(25)[:3], theta)
    assert np.array_equal(answers, np.repeat(watchers(theta[None], theta), 3, axis=0))
    assert np.array_equal(Committed().draw(theta, [], np.random.default_rng(0)), theta)
