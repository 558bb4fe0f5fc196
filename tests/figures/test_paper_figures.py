from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from firstmover.figures import FIGURES, Curves
from firstmover.figures.curves import Overlay, draw_overlay, published_note
from firstmover.figures.files import figure_of
from firstmover.figures.style import look, ordered
from firstmover.paper.figures import REGRET_LIMIT, draw_regret
from firstmover.paper.results import LAST_ROUNDS, PUBLISHED, Results
from firstmover.paper.routing import routing_setup
from firstmover.paper.wildlife import wildlife_setup

BY_HAND = Overlay(
    Curves("y", ("Hedge", "none"), np.array([1.0, 2.0]), np.array([[3.0, 2.0], [300.0, 290.0]]), np.full((2, 2), 0.5)),
    np.array([1.0, 2.0]),
    np.array([[3.1, 2.1], [np.nan, np.nan]]),
)


def test_published_values_stand_as_open_marks_on_our_lines() -> None:
    ax = Figure().add_subplot()
    draw_overlay(BY_HAND, ax, [look(0), look(1)])
    lines = ax.get_lines()
    assert np.asarray(lines[0].get_ydata()).tolist() == [3.0, 2.0]
    assert np.asarray(lines[1].get_ydata()).tolist() == [3.1, 2.1]
    assert (lines[0].get_marker(), lines[1].get_linestyle(), lines[1].get_markerfacecolor()) == ("none", "None", "none")
    assert lines[0].get_color() == lines[1].get_color()
    assert [text.get_label() for text in (lines[2], lines[5])] == ["Hedge", "none"]
    assert len(ax.collections) == 2
    assert published_note(BY_HAND) == "open marks: published"
    assert "another scale" in published_note(replace(BY_HAND, published=np.full((2, 2), np.nan)))


def test_what_lies_above_the_axis_is_named() -> None:
    ax = Figure().add_subplot()
    draw_regret(BY_HAND, ax)
    assert ax.get_ylim() == (0, REGRET_LIMIT)
    assert ax.texts[0].get_text() == "above the axis: none: 290"


def test_the_record_of_figure_1(small_results: Path) -> None:
    folder = small_results / "routing-released"
    record = FIGURES["figure-1"].record(folder)
    results = Results.read(folder, "routing")
    assert record.regret.curves.learners == results.manifest.labels
    assert record.regret.published[0].tolist() == PUBLISHED.regret["Hedge"]
    assert record.rewards[0] == pytest.approx(results.totals("shortest").mean())
    assert record.congestion.network.nodes[list(record.ends)].tolist() == [12, 18]
    assert record.congestion.by_link.shape == (3, 76)
    # The average over links is the true response that each run stored, averaged over rounds and seeds.
    stored = Results.read(folder, "routing", ("learner", "true_response_0"))
    for average, label in zip(record.congestion.average, record.congestion.learners, strict=True):
        assert average == pytest.approx(stored.rounds_of(label, "true_response_0").mean())


def test_users_kept_at_their_answers_by_a_plain_loop(small_results: Path) -> None:
    folder = small_results / "routing-paper"
    record = FIGURES["figure-1"].record(folder).congestion
    results = Results.read(folder, "routing", ("learner", "seed", "action", "opponent_type"))
    setup = routing_setup(results.preset)
    plans, capacity = setup.game.actions, setup.users.network.capacity
    kept = np.zeros(2)
    for _, seed, action, demand in results.table.filter(learner="StackelUCB poly3").iter_rows():
        occupancy = (setup.users.congestion(plans[[action]], demand)[0] / 0.15) ** 0.25 * capacity
        kept[seed] += np.mean(0.15 * ((occupancy - plans[action]) / capacity) ** 4) / 12  # nothing routed
    assert record.users_kept[1] == pytest.approx(kept)
    assert record.users_kept[2].mean() == pytest.approx(record.average[2])


def test_the_record_of_figure_2(small_results: Path) -> None:
    folder = small_results / "wildlife-paper"
    record, results = FIGURES["figure-2"].record(folder), Results.read(folder, "wildlife")
    setup = wildlife_setup(results.preset)
    assert record.rewards.curves.mean[0] == pytest.approx(results.rounds_of("ours 0.1", "reward").mean(axis=0))
    assert [name for name, _ in record.references] == ["OPT", "Max-Min", "Best-offline"]
    assert record.references[0][1] == setup.known.optimum
    last = results.rounds_of("ours 0.1", "action")[:, -LAST_ROUNDS:]
    patrol, share = record.found
    assert share == pytest.approx(np.mean(last == patrol))
    assert all(np.mean(last == other) <= share for other in np.unique(last))
    # Cell 5 i + j is [i, i + 1) × [j, j + 1): the first coordinate runs along the columns of the picture.
    assert record.coverage[2, 3] == setup.game.actions[patrol][5 * 3 + 2]
    assert record.density[-1, 0] == pytest.approx(setup.poachers.park.density(np.array([[0.0, 5.0]]))[0])
    assert np.isnan(record.rewards.published).all()  # a menu of its own has another OPT


def test_the_record_of_figure_3(small_results: Path) -> None:
    record = FIGURES["figure-3"].record(small_results / "wildlife-released")
    assert record.ours.curves.learners == ("ours 0.1", "ours 1")
    assert record.gp_ucb.curves.learners == ("GP-UCB 3",)
    assert record.ours.curves.mean.max() <= record.optimum


@pytest.mark.parametrize(
    ("plot", "folder"),
    [
        ("regret", "routing-paper"),
        ("rewards", "wildlife-paper"),
        ("menus", "menus-paper"),
        ("figure-2", "wildlife-step-2"),
    ],
)
def test_figures_of_any_folder_are_drawn_with_their_title(small_results: Path, plot: str, folder: str) -> None:
    figure = figure_of(plot, small_results / folder)
    assert figure.get_suptitle()
    assert tuple(figure.get_size_inches()) == FIGURES[plot].size


def test_a_line_s_order_shows_in_grey() -> None:
    colours = [ordered(i, 8)["color"] for i in range(8)]
    greys = [sum(w * int(c[k : k + 2], 16) for w, k in ((0.3, 1), (0.59, 3), (0.11, 5))) for c in colours]
    assert greys == sorted(greys)
    assert len(set(colours)) == 8
