"""Proposals from tables: roles, menus, rewards, and one sentence for each table that is spoilt."""

import random
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.matches import Match
from firstmover.matches.csv_reader import read_csv
from firstmover.matches.proposal import Proposal, propose, propose_file
from firstmover.matches.proposed_menu import grid
from firstmover.matches.setup import Setting

TABLES = Path(__file__).parents[2] / "examples" / "tables"


def roles(proposal: Proposal) -> dict[str, str]:
    return {guess.column.name: guess.role for guess in proposal.guesses}


def test_a_kiosk() -> None:
    proposal, wide = propose_file(TABLES / "kiosk.csv")
    assert wide is None
    assert roles(proposal) == {
        "date": "when",
        "price": "action",
        "weekday": "before",
        "temperature (°C)": "after",
        "sold": "response",
    }
    config = proposal.config()
    assert [row["label"] for row in config["menu"]["rows"]] == ["2.0", "2.2", "2.4", "2.6", "2.8", "3.0"]
    assert config["types"][1] == {"name": "temperature (°C)", "unit": "°C"}
    assert config["types"][0]["known"] == "before"
    assert config["reward"] == {"responses": {"sold": "price"}}
    assert [question.option for question in proposal.questions] == ["reward"]


def test_roads_and_patrols() -> None:
    roads = propose_file(TABLES / "roads.csv")[0]
    assert roads.config()["menu"]["features"] == ["north", "south", "vehicles"]
    assert roads.config()["reward"] == {"responses": {"delay (min)": -1.0}}
    assert roles(roads)["traffic"] == "after"
    patrols = propose_file(TABLES / "patrols.csv")[0]
    assert patrols.config()["menu"]["features"] == ["is hills", "is plain", "is river"]
    assert [entry["known"] for entry in patrols.config()["types"]] == ["before", "before"]


EXAMPLES: list[tuple[str, dict[str, object]]] = [
    ("kiosk", {}),
    ("roads", {}),
    ("patrols", {}),
    ("reports", {}),
    ("shops", {"shop": 1, "product": "tea"}),
    ("shops", {"shop": 2}),
]


@pytest.mark.parametrize(("name", "where"), EXAMPLES)
def test_the_document_is_read_back_and_played(name: str, where: dict[str, object], tmp_path: Path) -> None:
    proposal, rows = propose_file(TABLES / f"{name}.csv", where=where)
    text = proposal.toml()
    assert tomllib.loads(text) == proposal.config()
    (tmp_path / "match.toml").write_text(text)
    path = TABLES / f"{name}.csv"
    if rows is not None:
        path = tmp_path / "rows.csv"
        path.write_bytes(rows)
    with Match.create(tmp_path / "m.db", name, tmp_path / "match.toml") as match:
        done = match.import_history(path)
        assert done.new == len(proposal.guesses[0].column.values)
        assert done.without_type == 0
        context = {spec.name: next(iter(spec.levels or [1.0])) for spec in match.setting.context.specs}
        assert match.ask("next", context=context or None).label in proposal.menu.labels


@pytest.mark.parametrize(("name", "where"), EXAMPLES)
def test_the_floor_in_the_document_can_be_switched_on(name: str, where: dict[str, object]) -> None:
    proposal = propose_file(TABLES / f"{name}.csv", where=where)[0]
    fields = tomllib.loads(re.sub(r"(?m)^#(?=[a-z\[])", "", proposal.toml()))
    if name == "reports":  # a floor needs a belief about numbers
        assert "floor" not in fields
        return
    assert fields["floor"]["baseline"] == proposal.menu.usual(proposal.order)
    rules = Setting.of(fields).rules
    assert rules is not None
    assert rules.floor is not None


def store(brands: tuple[int, ...]) -> str:
    """A table in the form of scanner data: one row per product and week, prices of all products in each."""
    rng = random.Random(1)
    lines = ["store,brand,week,logmove,constant,price1,price2,price3,deal,profit"]
    weeks = [[round(rng.uniform(1, 2), 2) for _ in range(3)] for _ in range(20)]
    for brand in brands:
        for week, prices in enumerate(weeks, start=40):
            told = f"{9 - prices[brand - 1]:.3f},1.0,{','.join(map(str, prices))}"
            lines.append(f"2,{brand},{week},{told},{int(rng.random() < 0.3)},{30 + rng.random():.2f}")
    return "\n".join(lines)


def test_one_product_of_a_scanner_table() -> None:
    proposal = propose(read_csv(store((3,)), "sales"))
    found = roles(proposal)
    assert [name for name, role in found.items() if role == "action"] == ["price3"]
    assert {name for name, role in found.items() if role == "before"} == {"price1", "price2", "deal"}
    assert proposal.reward.text == "price3 × exp(logmove)"  # the profit implies costs that vary as the price does
    [response] = proposal.config()["responses"]
    assert response["log"]
    assert response["lower"] < 7
    assert response["upper"] > 8
    assert proposal.config()["types"][2]["levels"] == {"0": 0.0, "1": 1.0}


def test_logarithms_reach_half_of_their_range_beyond_it() -> None:
    text = store((3,))
    numbers = [float(line.split(",")[3]) for line in text.splitlines()[1:]]
    low, high = min(numbers), max(numbers)
    [response] = propose(read_csv(text, "sales")).config()["responses"]
    assert response["lower"] == pytest.approx(low - (high - low) / 2)
    assert response["upper"] == pytest.approx(high + (high - low) / 2)


def test_all_products_of_a_scanner_table(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text(store((1, 2, 3)))
    proposal, wide = propose_file(tmp_path / "sales.csv")
    assert wide is not None
    assert len(wide.decode().splitlines()) == 21
    assert [c.name for c in proposal.named("action")] == ["price1", "price2", "price3"]
    assert proposal.reward.text == "price1 × exp(logmove 1) + price2 × exp(logmove 2) + price3 × exp(logmove 3)"
    setting = Setting.of(proposal.config())
    y = np.log([[2.0, 3.0, 5.0]])
    prices = setting.game.actions[[4]]
    assert setting.game.reward(prices, y)[0] == pytest.approx(prices[0] @ [2.0, 3.0, 5.0])


def test_a_column_that_is_computed_from_others_is_the_reward() -> None:
    rng = random.Random(0)
    rows = [(rng.choice([1.5, 2.0, 2.5]), rng.randint(5, 90)) for _ in range(30)]
    text = "price,sold,revenue\n" + "\n".join(f"{p},{s},{(p - 0.4) * s:.2f}" for p, s in rows)
    proposal = propose(read_csv(text, "sales"))
    assert proposal.reward.text == "revenue = price × sold − 0.4 × sold"
    assert roles(proposal)["revenue"] == "ignored"
    worths = [row["worth of sold"] for row in proposal.config()["menu"]["rows"]]
    assert worths == pytest.approx([1.1, 1.6, 2.1])


def test_every_guess_can_be_overruled() -> None:
    text = "a,b,c,d\n" + "\n".join(f"{i % 3},{i % 4},{i % 5},{i * 7 % 11}" for i in range(24))
    plain = propose(read_csv(text, "t"))
    assert roles(plain) == {"a": "action", "b": "after", "c": "after", "d": "response"}
    assert [q.column for q in plain.questions] == [None, "b", "c"]
    chosen = propose(
        read_csv(text, "t"),
        roles={"b": "action", "a": "before", "c": "response", "d": "ignored"},
        reward="2 * c - b",
        grid_size=3,
    )
    assert roles(chosen) == {"a": "before", "b": "action", "c": "response", "d": "ignored"}
    config = chosen.config()
    assert config["reward"] == {"value": {"column": "b", "times": -1.0}, "responses": {"c": 2.0}}
    assert len(config["menu"]["rows"]) == 3


def test_one_row_with_all_decisions_is_no_choice() -> None:
    """Prices and boxes differ, but both are filled in only once."""
    table = read_csv("price,boxes,sold\n1,,5\n2,,6\n,1,7\n,2,8\n1,1,9\n", "sales")
    with pytest.raises(
        InvalidInput, match=r"^sales has only one value of price, boxes: there is nothing to choose bet"
    ):
        propose(table, roles={"price": "action", "boxes": "action", "sold": "response"})


@pytest.mark.parametrize(("least", "bound"), [(0, {"lower": 0.0}), (1, {"lower": 0.0}), (-1, {})])
def test_responses_that_are_never_negative_have_the_bound_0(least: int, bound: dict[str, float]) -> None:
    text = "price,sold\n" + "\n".join(f"{2 + i % 3},{least + i * 7 % 11}" for i in range(24))
    assert propose(read_csv(text, "sales")).config()["responses"] == [{"name": "sold"} | bound]


def test_costs_beside_a_price_are_left_to_the_reward() -> None:
    """A cost alone may be what is decided."""
    lines = [f"{2 + i % 3},{1 + i % 2},{20 - 3 * (i % 3) + i * 7 % 11}" for i in range(24)]
    for first, second, found in (
        ("price", "cost", ["action", "ignored", "response"]),
        ("price", "margin", ["action", "ignored", "response"]),
        ("purchase price", "sort", None),
    ):
        guessed = roles(propose(read_csv("\n".join([f"{first},{second},sold", *lines]), "sales")))
        assert list(guessed.values()) == found if found else guessed[first] == "action"


def test_no_type_and_a_grid() -> None:
    rng = np.random.default_rng(0)
    text = "price;sold\n" + "\n".join(f"{p:.2f};{s}" for p, s in zip(rng.uniform(8, 12, 50), range(50), strict=True))
    proposal = propose(read_csv(text.replace(".", ","), "t"))
    config = proposal.config()
    assert config["types"] == []
    assert 15 <= len(config["menu"]["rows"]) <= 25
    assert "types = []" in proposal.toml()
    assert grid(np.array([1.0, 100.0]), 5).tolist() == [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]


def test_a_table_without_types_is_imported_and_learnt(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("date,price,sold\n" + "".join(f"2025-03-{d:02},{2 + d % 3},{40 - d % 7}\n" for d in range(1, 29)))
    with Match.create(tmp_path / "m.db", "m", propose_file(path)[0].config()) as match:
        done = match.import_history(path)
        assert (done.new, done.without_type, done.ignored) == (28, 0, ("date",))
        assert match.import_history([{"action": "3", "type": None, "response": 31.0}]).without_type == 0


def test_percent_signs_beside_numbers_are_read_as_an_import_reads_them() -> None:
    text = "plan,humidity (%),rain (mm),visits\n" + "".join(f"{'ab'[n % 2]},{n * 3}%,{n % 4},{n}\n" for n in range(9))
    proposal = propose(read_csv(text, "t"))
    assert proposal.config()["types"] == [{"name": "humidity (%)"}, {"name": "rain (mm)", "unit": "mm"}]
    assert proposal.named("after")[0].values[2] == pytest.approx(0.06)


def test_a_number_that_names_a_plan_is_a_decision() -> None:
    text = "plan_id,run_no,visits\n" + "".join(f"{'ab'[n % 2]},{n},{n * 7 % 5}\n" for n in range(12))
    assert roles(propose(read_csv(text, "t"))) == {"plan_id": "action", "run_no": "ignored", "visits": "response"}


def test_without_names_that_tell_the_first_column_whose_values_repeat_is_decided() -> None:
    rows = [f"{n * 7 % 23},{n % 3},{n % 4},{n * 5 % 17}" for n in range(20)]
    found = roles(propose(read_csv("\n".join(["foo,bar,baz,sold", *rows]), "t")))
    assert (found["bar"], found["sold"]) == ("action", "response")
    assert found["foo"] != "action"
    assert found["baz"] != "action"


def garage(rows: int = 60) -> bytes:
    """Cars follow from the tariff, and occupancy from the cars."""
    rng = np.random.default_rng(5)
    lines = ["date,tariff per hour (EUR),weekday,cars,occupancy (%)"]
    for day in range(rows):
        tariff = rng.choice([2.0, 2.5, 3.0, 3.5, 4.0])
        cars = round(220 * np.exp(-0.9 * (tariff - 2)) + rng.normal(0, 4))
        date = f"2025-{1 + day // 28:02d}-{1 + day % 28:02d}"
        lines.append(f"{date},{tariff},{('Mon', 'Tue', 'Wed')[day % 3]},{cars},{cars / 4:.1f}")
    return "\n".join(lines).encode()


def test_a_tariff_per_hour_is_decided_and_what_moves_with_it_is_no_type() -> None:
    found = roles(propose(read_csv(garage(), "garage.csv"), roles={"cars": "response"}))
    assert found["tariff per hour (EUR)"] == "action"
    assert found["occupancy (%)"] == "ignored"


def test_what_moves_with_a_decision_may_be_named_as_known_before() -> None:
    found = roles(propose(read_csv(garage(), "garage.csv"), roles={"cars": "response", "occupancy (%)": "before"}))
    assert found["occupancy (%)"] == "before"
