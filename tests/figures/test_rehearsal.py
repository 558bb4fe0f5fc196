"""The page of a rehearsal: its records, its pictures, and numbers and names that are hard to draw."""

import re
from dataclasses import replace

import numpy as np
import pytest

from firstmover.figures.files import drawn
from firstmover.figures.rehearsal import (
    chances,
    draw_chances,
    draw_earnings,
    draw_errors,
    draw_total_gains,
    earnings,
    forecast_errors,
    rehearsal_page,
    total_gains,
)
from firstmover.matches.rehearsal_report import report_lines
from firstmover.simulation.gains import Gain
from tests.matches.rehearsed import held_out, rehearsal

LONG = ("Verkaufte Einheiten der Orangensäfte aller Marken einschließlich der Rückgaben", "x" * 80, "$a$ <b>&", "y")


def test_the_page_has_every_part_and_needs_nothing_else() -> None:
    page = rehearsal_page(rehearsal(title="sold & <price>"))
    for heading in ("Can this work with my data?", "What would it have earned?", "May I trust it?"):
        assert f">{heading}</h2>" in page
    assert "<h1>Rehearsal: sold &amp; &lt;price&gt;</h1>" in page
    assert page.count('<figure class="narrow">\n<img src="data:image/png;base64,') == 4
    assert "://" not in page
    assert "<script" not in page


def test_the_page_says_what_the_terminal_says() -> None:
    made = rehearsal()
    page = rehearsal_page(made).replace("&#x27;", "'")
    detail = made.held_out.lines()  # in a table on the page
    assert [line for line in report_lines(made) if line not in page and line not in detail] == []


def test_the_curves_are_the_total_gains_of_the_match_and_of_its_floor() -> None:
    made = rehearsal()
    record = total_gains(made)
    assert list(record.curves) == ["firstmover", "firstmover with a floor"]
    low, median, high = record.curves["firstmover"][:, -1]
    assert median == pytest.approx(np.median((made.match.earned - made.match.present).sum(axis=1)))
    assert low < median < high


def test_earnings_are_those_of_now_and_the_gain_in_the_seasons_that_a_policy_played() -> None:
    def gain(name: str, earned: list[float], present: float) -> Gain:
        rows = np.array(earned)[:, None]
        return Gain(name, rows, np.full(rows.shape, present))

    made = rehearsal(
        match=gain("match", [11.0, 13.0], 10.0),
        floored=gain("with a floor", [10.5], 10.0),  # ½ less than without in the first season, so in all
        others=(gain("best single action", [9.0, 9.0], 10.0),),
        oracle=gain("oracle", [15.0, 15.0], 10.0),
    )
    record = earnings(made)
    assert record.labels == (
        *("what you do now", "firstmover", "firstmover with a floor", "best single action", "best of every round"),
    )
    assert record.mean == pytest.approx([10.0, 12.0, 11.5, 9.0, 15.0])
    assert record.interval[1] == pytest.approx([12 - 12.7062, 12 + 12.7062], abs=1e-3)  # t = 12.706 with two seasons
    assert record.interval[2] == pytest.approx([11.5 - 12.7062, 11.5 + 12.7062], abs=1e-3)
    assert record.range[1] == pytest.approx([11.1, 12.9])


def test_negative_earnings_are_drawn_below_and_gains_to_the_right() -> None:
    record = earnings(rehearsal(present=-100.0))
    assert record.mean[0] == pytest.approx(-100, rel=0.01)
    assert record.mean[1] == pytest.approx(-81, rel=0.02)


def test_chances_are_those_of_the_record() -> None:
    made = rehearsal(seasons=100)
    record = chances(made)
    assert record.rounds == (4, 12, 52)
    assert np.isnan(chances(rehearsal(seasons=90)).share).tolist() == [[False] * 3, [False, False, True]]
    assert record.share[0].tolist() == [made.match.worse_after(h) for h in (4, 12, 52)]
    assert record.share[1].tolist() == [
        *(made.floored_early.worse_after(4), made.floored_early.worse_after(12), made.floored.worse_after(52)),
    ]
    assert record.interval[1, 2] == pytest.approx(made.floored.worse_interval(52))
    assert np.all(record.interval[..., 0] <= record.share)
    assert np.all(record.share <= record.interval[..., 1])


def test_errors_are_relative_to_a_constant() -> None:
    made = rehearsal(held_out=held_out(error=6.0, constant=24.0))
    assert forecast_errors(made).share.tolist() == [[0.25], [1.0], [0.5]]


def test_pictures_say_what_they_show() -> None:
    made = rehearsal(present=3e9)
    axes = [
        drawn(lambda figure, draw=draw, record=record: draw(record, figure), (5.2, 3.4)).axes[0]
        for draw, record in (
            (draw_total_gains, total_gains(made)),
            (draw_earnings, earnings(made)),
            (draw_chances, chances(made)),
            (draw_errors, forecast_errors(made)),
        )
    ]
    assert axes[0].get_ylabel() == "total gain so far (billions)"
    assert axes[1].get_xlabel() == "earnings per round (millions)"
    assert [text.get_text() for text in axes[1].get_yticklabels()][:2] == ["what you do now", "firstmover"]
    assert [text.get_text() for text in axes[2].get_xticklabels()] == [
        "after 4 rounds",
        "after 12 rounds",
        "after 52 rounds",
    ]
    assert axes[2].texts[0].get_text() == "100 %"  # behind after four rounds, without a floor
    assert axes[3].get_xlabel() == "error, % of that of the mean so far"
    assert [round(bar.get_width()) for bar in axes[3].patches] == [25, 100, 50]


@pytest.mark.parametrize(
    "changes",
    [
        {"names": LONG, "title": "t" * 200, "source": "s" * 200, "baseline": "b" * 200},
        {"seasons": 2, "rounds": 1},
        {"seasons": 2, "rounds": 5},
        {"present": -3e-7, "spread": 3.0},
        {"present": 4e13, "gain": -0.5},
        {"present": 1e-3, "gain": 5e3},
    ],
    ids=["long names", "one round", "five rounds", "tiny", "large", "almost nothing before"],
)
def test_pages_of_records_that_are_hard_to_draw(changes: dict[str, object]) -> None:
    made = rehearsal(**changes)  # type: ignore[arg-type]
    page = rehearsal_page(made)
    text = re.sub(r"data:image/png;base64,[^\"]*", "", page)
    assert "nan" not in re.findall(r"[a-z]+", text)
    assert "inf" not in re.findall(r"[a-z]+", text)


def test_seasons_that_are_all_alike_have_no_range() -> None:
    alike = Gain("match", np.full((2, 3), 11.0), np.full((2, 3), 10.0))
    page = rehearsal_page(replace(rehearsal(seasons=2, rounds=3), match=alike))
    assert '<td>firstmover</td><td class="number">11</td><td class="number">+10 %</td><td>–</td>' in page
