import numpy as np
import polars as pl
import pytest
from sklearn.gaussian_process.kernels import RBF

from firstmover import GAMES, Box, Game, InvalidInput, increasing
from firstmover.beliefs import LemmaWidth
from firstmover.runs.calibration import (
    CalibrationSpec,
    CalibrationTask,
    Centred,
    Drawing,
    calibration_tasks,
    coverages,
)

SMALL = CalibrationSpec(game="shore", draws=3, rounds=4)


def test_every_lambda_with_every_width() -> None:
    labels = [task.label for task in calibration_tasks(SMALL)]
    assert labels[:4] == ["tight 0.25", "sum 0.25", "printed 0.25", "constant 0.25"]
    assert len(labels) == 12
    assert labels[8] == "tight 4"
    assert SMALL.manifest.labels == tuple(labels)


def test_a_task_gives_a_row_for_each_draw_and_round_and_again_the_same() -> None:
    task = CalibrationTask(SMALL, 1.0, "tight")
    table = task.play()
    assert len(table) == task.rounds == SMALL.manifest.rounds == 3 * 5
    assert table.equals(CalibrationTask(SMALL, 1.0, "tight").play())


def test_the_width_is_that_of_the_norm_and_the_noise_of_the_document() -> None:
    spec = CalibrationSpec(game="shore", draws=1, rounds=1, rkhs_norm_bound=3.0)
    task = CalibrationTask(spec, 4.0, "tight")
    assert task.drawing.noise_std != 4.0
    width = LemmaWidth(3.0, task.drawing.noise_std, 4.0, spec.failure_probability, n_outputs=1, formula="tight")
    assert task.confidence()(0.7) == width(0.7)


def test_at_lambda_one_both_readings_are_one_width() -> None:
    added, printed = (CalibrationTask(SMALL, 1.0, width).play()["used"] for width in ("sum", "printed"))
    assert added.equals(printed)


@pytest.mark.parametrize("noise_std", [0.1, 2.0])
@pytest.mark.parametrize(
    ("regularization", "width"), [(0.25, "tight"), (1.0, "tight"), (4.0, "tight"), (4.0, "sum"), (0.25, "printed")]
)
def test_b_is_covered_as_promised(regularization: float, width: str, noise_std: float) -> None:
    spec = CalibrationSpec(game="shore", draws=40, rounds=10, noise_std=noise_std)
    (found,) = coverages(CalibrationTask(spec, regularization, width).play())
    assert found.share.value >= 0.9


def test_above_one_the_printed_width_does_not() -> None:
    """Half of the sum at λ = 4: functions with one high place leave it before anything is learnt."""
    spec = CalibrationSpec(game="shore", draws=40, rounds=2)
    (found,) = coverages(CalibrationTask(spec, 4.0, "printed").play())
    assert found.share.interval[1] < 0.9


def test_the_counts_worked_by_hand() -> None:
    table = pl.DataFrame(
        {
            "regularization": [1.0] * 6,
            "width": ["tight"] * 6,
            "draw": [0, 0, 1, 1, 2, 2],
            "t": [0, 1] * 3,
            "used": [0.5, 0.7, 0.2, 1.5, 0.9, 0.1],
        }
    )
    (found,) = coverages(table)
    assert (found.share.seen, found.share.trials) == (2, 3)
    assert found.used == 0.9  # of 0.7, 1.5 and 0.9


@pytest.mark.parametrize("game", sorted(GAMES))
def test_every_game_can_be_drawn_from(game: str) -> None:
    spec = CalibrationSpec(game=game, draws=1, rounds=2)
    used = CalibrationTask(spec, 1.0, "tight").play()["used"].to_numpy()
    assert np.all(np.isfinite(used))
    assert Drawing(spec).types.ndim == 2


def test_responses_are_counted_from_the_middle_of_their_domain() -> None:
    game = GAMES["shore"].build()
    centred = Centred.of(game, reach=4.0)
    y = np.array([[-4.0], [0.0], [4.0]])
    assert centred(game.actions[:3], y) == pytest.approx(game.reward(game.actions[:3], np.array([[0.0], [0.5], [1.0]])))
    best = centred.best_in_box(game.actions[:1], Box([[-4.0]], [[0.0]]))
    assert best == pytest.approx(centred(game.actions[:1], np.array([[-4.0]])))  # a raider's share hurts


def test_domains_that_do_not_begin_at_0_are_centred_and_those_without_bounds_stay() -> None:
    """[2, 6] is 4 ± 2: a centred response of ± 8 is at its ends."""
    total = increasing(lambda _, y: y[:, 0] + 100 * y[:, 1])
    game = Game("two", np.zeros((1, 1)), total, Box([2.0, 0.0], [6.0, np.inf]))
    centred = Centred.of(game, reach=8.0)
    y = np.array([[-8.0, 1.0], [0.0, 2.0], [8.0, 3.0]])
    assert centred(np.zeros((3, 1)), y) == pytest.approx([102.0, 204.0, 306.0])


def test_no_response_leaves_the_reach_of_its_norm() -> None:
    drawing = Drawing(SMALL)
    assert isinstance(drawing.kernel, RBF)
    assert drawing.game.response_domain.upper == pytest.approx([2.0])


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"game": "shor"}, "Unknown game 'shor'"),
        ({"draws": 0}, "draws is 0"),
        ({"rounds": 0}, "rounds is 0"),
        ({"rkhs_norm_bound": 0.0}, "rkhs_norm_bound is 0"),
        ({"failure_probability": 1.0}, "failure_probability is 1"),
        ({"regularizations": (1.0, -1.0)}, "regularizations is"),
        ({"regularizations": (1.0, 1.0)}, "give different finite numbers above 0"),
        ({"noise_std": -1.0}, "noise_std is -1"),
    ],
)
def test_what_cannot_be_is_refused(fields: dict[str, object], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        CalibrationSpec.read({"game": "shore"} | fields)
