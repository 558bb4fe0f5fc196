import numpy as np
import polars as pl
from matplotlib.figure import Figure

from firstmover.paper.figures import MenusHeld, draw_menus_held

TABLE = pl.DataFrame(
    {"menu": [0, 0, 1, 1, 2, 2], "learner": ["b", "a"] * 3, "held_from": [2.0, 5.0, 3.5, 1.0, 2.0, 4.0]}
)


def test_the_record_worked_by_hand() -> None:
    record = MenusHeld.of(TABLE, rounds=4)
    assert record.learners == ("b", "a")
    assert record.menus == 3
    assert record.held.tolist() == [[0, 2, 2, 3], [1, 1, 1, 2]]


def test_the_drawing_shows_each_record_and_one_legend() -> None:
    figure = Figure()
    record = MenusHeld.of(TABLE, rounds=4)
    draw_menus_held({"one": record, "other": record}, figure)
    axes = figure.axes
    assert [ax.get_title() for ax in axes] == ["one", "other"]
    assert [np.asarray(line.get_ydata()).tolist() for line in axes[1].get_lines()[:2]] == record.held.tolist()
    assert axes[0].get_legend() is None
    legend = axes[1].get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["b", "a", "the paper:\nabout 60 rounds"]
