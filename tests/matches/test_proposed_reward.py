"""Proposed rewards: costs and margins, products that belong together, and the worth of outcomes."""

import random
from pathlib import Path

import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.matches.csv_reader import read_csv
from firstmover.matches.proposal import Proposal, propose, propose_file
from firstmover.matches.setup import Setting

TABLES = Path(__file__).parents[2] / "examples" / "tables"


def sales(name: str, cell: str) -> Proposal:
    """A proposal from thirty rows with a price of 2, 3 or 4, a cost of 1.2 and a further column."""
    rng = random.Random(4)
    rows = []
    for _ in range(30):
        price, cost = rng.choice([2.0, 3.0, 4.0]), 1.2
        values = {"percent": 100 * (1 - cost / price), "share": 1 - cost / price, "cost": cost, "price": price}
        rows.append(f"{price},{rng.randint(5, 90)},{cell.format(**values)}")
    return propose(read_csv("\n".join([f"price,sold,{name}", *rows]), "t"))


@pytest.mark.parametrize(
    ("name", "cell", "reward"),
    [
        ("margin (%)", "{percent:.6f}", "(price − 1.2) × sold"),
        ("margin", "{share:.6f}", "(price − 1.2) × sold"),
        ("margin", "{percent:.4f}%", "(price − 1.2) × sold"),
        ("profit", "{percent:.6f}", "(price − 1.2) × sold"),
        ("unit cost", "{cost}", "(price − 1.2) × sold"),
        ("purchase price", "{cost}", "(price − 1.2) × sold"),
        ("cost", "9{price}", "price × sold"),  # no cost of one unit: above every price
        ("profit", "99{price}", "price × sold"),  # no percentage: above 100
        ("profit", "{price}", "price × sold"),  # costs that would follow from it vary as the price does
    ],
)
def test_the_cost_of_one_unit(name: str, cell: str, reward: str) -> None:
    proposal = sales(name, cell)
    assert proposal.reward.text == reward
    assert [column.name for column in proposal.named("action")] == ["price"]
    assert proposal.named("after") == []
    assert ("the cost is the median of" in proposal.reward_reason) == ("−" in reward)


def test_the_cost_is_the_median() -> None:
    text = "price,sold,margin\n" + "".join(f"{p},{m},{m}\n" for p, m in [(2, 50), (4, 70), (2, 45), (4, 60), (10, 85)])
    proposal = propose(read_csv(text, "t"))
    assert proposal.reward.text == "(price − 1.2) × sold"  # of 1, 1.2, 1.1, 1.6 and 1.5: 1.2
    assert proposal.reward_reason.endswith("price × (1 − margin / 100), which varied from 1.02 to 1.58")


@pytest.mark.parametrize(("largest", "reward"), [(99, "(price − 1.2) × sold"), (150, "price × sold")])
def test_a_margin_is_at_most_100_percent(largest: int, reward: str) -> None:
    rows = [f"{p},{n},{100 * (1 - 1.2 / p):.6f}" for n, p in enumerate([2, 3, 4] * 7)]
    assert propose(read_csv("\n".join(["price,sold,profit", *rows, f"4,22,{largest}"]), "t")).reward.text == reward


def test_products_beside_each_other_have_costs_of_their_own() -> None:
    proposal, _ = propose_file(TABLES / "shops.csv", where={"shop": 1})
    text = "(price (EUR) coffee − 3.01) × units coffee + (price (EUR) tea − 1.8) × units tea"
    assert proposal.reward.text == text
    setting = Setting.of(proposal.config())
    prices = setting.game.actions[[5]]
    expected = (prices[0, 0] - 3.01) * 7 + (prices[0, 1] - 1.8) * 11
    assert setting.game.reward(prices, np.array([[7.0, 11.0]]))[0] == pytest.approx(expected)


def patrols(name: str, levels: tuple[str, ...], more: str = "") -> Proposal:
    rows = [f"{week},{['river', 'hills'][week % 2]},{levels[week * 5 % len(levels)]}{more}" for week in range(24)]
    return propose(read_csv("\n".join([f"week,patrol,{name}", *rows]), "t"))


def test_findings_are_worth_one_and_nothing_is_worth_nothing() -> None:
    proposal = patrols("found", ("none", "snares", "poachers"))
    config = proposal.config()
    assert config["responses"] == [{"name": "found", "levels": ["none", "poachers", "snares"]}]
    assert config["reward"] == {"responses": {"found": {"none": 0.0, "poachers": 1.0, "snares": 1.0}}}
    assert config["types"] == []
    assert [(q.option, q.column, q.answer) for q in proposal.questions] == [
        ("worth", "found is none", "0"),
        ("worth", "found is poachers", "1"),
        ("worth", "found is snares", "1"),
    ]
    assert patrols("incident", ("no", "yes")).config()["reward"]["responses"]["incident"]["yes"] == -1.0
    assert patrols("incident found", ("no", "yes")).config()["reward"]["responses"]["incident found"]["yes"] == 1.0


def test_a_strike_is_worth_one_where_the_patrol_was() -> None:
    proposal = patrols("strike", ("river", "hills", "nothing"))
    worths = proposal.config()["reward"]["responses"]["strike"]
    assert worths == {"hills": "is hills", "nothing": 0.0, "river": "is river"}
    setting = Setting.of(proposal.config())
    assert setting.game.reward(setting.game.actions, np.tile(np.eye(3)[2], (2, 1))).tolist() == [0.0, 1.0]
    assert [question.option for question in proposal.questions] == ["reward"]


def test_outcomes_whose_worth_nothing_tells() -> None:
    proposal = patrols("result", ("red", "green"))
    assert [question.answer for question in proposal.questions] == ["0", "0"]
    with pytest.raises(InvalidInput, match=r"as in '0 \* \(result is green\) \+ 1 \* \(result is red\)'"):
        proposal.config()
    stated = propose_file(TABLES / "reports.csv", reward="10 * (found is poachers) - 2 * (found is snares)")[0]
    assert stated.config()["reward"]["responses"]["found"] == {"nothing": 0.0, "poachers": 10.0, "snares": -2.0}


def test_names_are_no_response_beside_numbers_and_take_no_context() -> None:
    rows = "".join(f"{w},{'ab'[w % 2]},{'xy'[w % 2]},{w % 5},{['yes', 'no'][w % 2]}\n" for w in range(12))
    table = read_csv(f"week,plan,result,sold,holiday\n{rows}", "t")
    assert [column.name for column in propose(table).named("response")] == ["sold"]
    only = propose(table, roles={"result": "response", "sold": "ignored"}, reward="1 * (result is x)")
    assert [column.name for column in only.named("after")] == ["holiday"]
    with pytest.raises(InvalidInput, match="it must be the only response"):
        propose(table, roles={"result": "response", "sold": "response"})
    with pytest.raises(InvalidInput, match="'holiday' is known before the decision"):
        propose(table, roles={"result": "response", "sold": "ignored", "holiday": "before"})


@pytest.mark.parametrize(
    ("names", "reward"),
    [
        ("plan,count,avg_delay_s", "−avg_delay_s"),
        ("plan,snares,note", "−snares"),
        ("plan,snares removed,arrests", "snares removed"),
        ("plan,cost,note", "−cost"),
        ("bid,clicks,cost", "clicks"),
        ("toll,congestion,note", "−congestion"),
        ("room_rate,bookings,cancellations", "room_rate × bookings"),
    ],
)
def test_what_should_be_small(names: str, reward: str) -> None:
    rows = "".join(f"{w % 3},{w * 7 % 10},{w * 3 % 11}\n" for w in range(20))
    assert propose(read_csv(f"{names}\n{rows}", "t")).reward.text == reward


def test_totals_of_several_products_are_added() -> None:
    rng = random.Random(2)
    lines = ["week,price tea,price milk,sold tea,sold milk,revenue tea,revenue milk"]
    for week in range(20):
        p, q, a, b = rng.choice([2, 3]), rng.choice([1, 4]), rng.randint(1, 50), rng.randint(1, 50)
        lines.append(f"{week},{p},{q},{a},{b},{p * a},{(q - 0.5) * b}")
    proposal = propose(read_csv("\n".join(lines), "t"))
    assert proposal.reward.text == "price tea × sold tea + price milk × sold milk − 0.5 × sold milk"
    assert proposal.reward_reason == "so it is in the columns revenue tea, revenue milk"


def test_outcomes_that_are_all_nothing_are_asked_for() -> None:
    assert [question.answer for question in patrols("found", ("no", "none")).questions] == ["0", "0"]
