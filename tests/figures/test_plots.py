import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from matplotlib.figure import Figure

from firstmover.core.errors import InvalidInput
from firstmover.figures import Curves, draw_curves, regret_curves, reward_curves
from firstmover.figures.files import drawn, figure_of, save
from firstmover.figures.style import look

TABLE = pl.DataFrame(
    {
        "learner": ["b"] * 4 + ["a"] * 2,
        "seed": [0, 0, 1, 1, 0, 0],
        "t": [1, 2] * 3,
        "reward": [1.0, 2.0, 3.0, 5.0, 7.0, 9.0],
        "time_averaged_regret": [4.0, 3.0, 2.0, 2.0, 1.0, 0.5],
    }
)


def drawing() -> Figure:
    return drawn(lambda figure: draw_curves(regret_curves(TABLE), figure.add_subplot()), (6, 3), "title")


def test_the_record_of_regret_worked_by_hand() -> None:
    curves = regret_curves(TABLE)
    assert curves.learners == ("b", "a")
    assert curves.t.tolist() == [1, 2]
    assert curves.mean.tolist() == [[3.0, 2.5], [1.0, 0.5]]
    # Two seeds: t_{0.975, 1} = 12.706; s of 4 and 2 is √2, so the half-width is 12.706 · √2 / √2.
    assert curves.half_width[0] == pytest.approx([12.706, 6.353], rel=1e-4)
    assert np.all(np.isnan(curves.half_width[1]))


def test_the_record_of_rewards_worked_by_hand() -> None:
    assert reward_curves(TABLE).mean.tolist() == [[2.0, 2.75], [7.0, 8.0]]


def test_runs_of_different_lengths_are_refused() -> None:
    with pytest.raises(InvalidInput, match="runs of different lengths"):
        regret_curves(TABLE.head(5))
    with pytest.raises(InvalidInput, match="or none"):
        regret_curves(TABLE.head(0))


def test_the_drawing_shows_the_record_with_labels_legend_and_bands() -> None:
    ax = Figure().add_subplot()
    curves = regret_curves(TABLE)
    draw_curves(curves, ax)
    assert ax.get_xlabel() == "round t"
    assert ax.get_ylabel() == "time-averaged regret R(t) / t\n(reward per round)"
    assert [np.asarray(line.get_ydata()).tolist() for line in ax.get_lines()] == curves.mean.tolist()
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["b", "a"]
    assert len(ax.collections) == 1  # the learner with one seed has no band


def test_lines_differ_without_colour() -> None:
    assert len({(str(look(i)["linestyle"]), look(i)["marker"]) for i in range(40)}) == 40
    assert len({str(look(i)) for i in range(280)}) == 280


def test_one_round_can_be_drawn() -> None:
    draw_curves(Curves("reward", ("a",), np.ones(1), np.ones((1, 1)), np.full((1, 1), np.nan)), Figure().add_subplot())


@pytest.mark.parametrize("name", ["figure", "figure.png", "figure.pdf", "beta 0.5"])
def test_png_and_pdf_are_written_and_equal_results_give_equal_files(tmp_path: Path, name: str) -> None:
    stem = name.removesuffix(".png").removesuffix(".pdf")
    first = save(drawing(), tmp_path / "one" / name)
    again = save(drawing(), tmp_path / "two" / name)
    assert [path.name for path in first] == [f"{stem}.png", f"{stem}.pdf"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]
    assert first[0].read_bytes().startswith(b"\x89PNG")
    assert first[1].read_bytes().startswith(b"%PDF")


def test_a_figure_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter").write_text("mine")
    with pytest.raises(InvalidInput, match="cannot be written"):
        save(drawing(), tmp_path / "letter" / "figure")


def test_an_unknown_plot_is_refused() -> None:
    with pytest.raises(InvalidInput, match="did you mean 'regret'"):
        figure_of("regrets", Path("anywhere"))


def test_matplotlib_is_loaded_only_to_draw() -> None:
    code = "import sys, firstmover.figures, firstmover.runs; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_dollar_sign_in_a_name_is_no_formula(tmp_path: Path) -> None:
    """`$5^$10` is no formula that matplotlib can parse: drawing it raised an error."""

    def draw(figure: Figure) -> None:
        ax = figure.add_subplot()
        ax.plot([1, 2], [1, 100], label="$5^$10")
        ax.set(xlabel="$5^$10", title="$5^$10", yscale="log")
        ax.annotate("$5^$10", (1, 1))
        ax.legend(title="$5^$10")

    figure = drawn(draw, (5, 3), "$5^$10")
    assert [path.stat().st_size > 5_000 for path in save(figure, tmp_path / "names")] == [True, True]
    ticks = [text for text in figure.axes[0].get_yticklabels() if "mathdefault" in text.get_text()]
    assert ticks  # the powers of ten are formulas still
    assert all(text.get_parse_math() for text in ticks)
    assert not figure.axes[0].xaxis.get_label().get_parse_math()
