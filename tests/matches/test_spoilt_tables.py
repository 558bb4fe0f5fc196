"""Tables as people have them: each is read as it is meant, or gets one sentence with the line and the remedy."""

from pathlib import Path

import pytest

from firstmover.core.errors import InvalidInput
from firstmover.matches import Match
from firstmover.matches.proposal import propose_file

DAYS = "".join(f"2025-03-{d:02},{2 + d % 2},{d % 6 + 1}\n" for d in range(1, 13))
"""Rows of twelve days; 42 were sold, 3.5 a day."""

SPOILT = {
    "": "is empty: give a line with the names",
    "price,sold": "has no rows: give one for each day",
    'price,sold\n1,"2\n3,4': "quotation mark",
    "price,sold\n1,2,3\n": "has 3 values in line 2, under 2 columns",
    "price,price\n1,2\n": "has the column 'price' twice",
    "price,sold\n" + "1,2\n2,3\n" * 5 + "3,many\n": "'many' in column 'sold', line 12, and numbers in 10 other rows",
    "date,price,sold\n2025-01-01,1,2\n2025-01-02,2,3\nTotal,,5\n": "line 4 of t summarises the rows above it (Total)",
    "price;sold\n1,5;2\n1.5;3\n": "the same decimal sign",
    "price,sold\n€ 1,2\n$ 2,3\n": "convert all amounts to one currency",
    "name,place\nA,B\nB,C\n": "no column tells what was observed",
    "price,sold\n2,5\n2,6\n2,9\n": "column 'price' is always 2, so that nothing can be learnt",
    "date,price,sold\n01/02/2025,1,2\n03/04/2025,2,3\n": "when is '01/02/2025': give dates in one form",
    "week,brand,price,sold\n"
    + "".join(
        f"{w},{b},{w % 3},{b}\n" for w in range(20) for b in (1, 2) if w < 19 or b < 2
    ): "no row for brand 2 in week 19",
    "date,price,sold\n2025-01-01,1,2\n2025-01-02,2,3\nSubtotal,,5\n2025-01-03,2,3\n": "line 4 of t summarises",
    "date,price,sold\n" + DAYS + "Average,2,3\n": "line 14 of t summarises the rows above it (Average)",
    "date,price,sold\n" + DAYS + ",,42\n": "line 14 of t summarises the rows above it: delete it",
    "date,price,sold\n" + DAYS + ",,3.5\n": "line 14 of t summarises the rows above it: delete it",
    "date,price,sold\n" + DAYS + "later,2,3\n": "'later' in column 'date', line 14, and dates in 12 other rows",
    "date,price,sold\n,EUR,pieces\n" + DAYS: "'EUR' in column 'price', line 2, above 12 rows of numbers: keep one line",
    "Kiosk,,Result\ndate,price,sold\n" + DAYS: "'date' in column 'Kiosk', line 2, above 12 rows of dates",
    "Sales of March\n\ndate,price,sold\n" + DAYS: "begins with 'Sales of March' in line 1, and has 3 values in line 3",
    DAYS: "has '2025-03-01' where the name of a column should be",
    "name,2025-03-01,2025-03-02\nprice,1,2\nsold,4,5\n": "exchange rows and columns",
    "price sold\n1 2\n2 3\n": "has one column only, 'price sold'",
    "date,price,sold\n2025-03-01,2,3\n": "has 1 row only",
    "price,sold\n1,2 kg\n2,3 kg\n": "'2 kg' in column 'sold', line 2: write numbers alone, and the unit in the name",
    "price,sold\n1,(2)\n2,(3)\n": "'(2)' in column 'sold', line 2: write a minus",
    "date,price,sold\n" + DAYS + "2025-03-13,1e400,3\n": "'1e400' in column 'price', line 14, and numbers in 12 other",
    "price (EUR),sold\n$ 1,2\n$ 2,3\n": "'$ 1' in line 2 of column 'price (EUR)', which names EUR",
    "price;sold\n1;1.234\n2;1.300\n": "which may be 1.234 or 1234: state its decimal sign",
    "plan,visits\nnorth,2\nNorth,3\n": "'North' in line 3 and 'north' in line 2 of column 'plan': write it in one way",
    "price " + "x" * 80 + ",sold\n1,2\n2,3\n": "has 86 characters: give a name of at most 80",
    "price,sold,weather\n1,2,a=b\n2,3,c\n": "'a=b' in line 2 of column 'weather' has = or , in its name",
    "price,sold\n" + "".join(f"{i % 3},about {i} or so\n" for i in range(20)): "column 'sold' has 20 different texts",
    '[{"price": 1, "sold": 2}]': "is a JSON file",
    "<html><table><tr><td>price</td></tr></table></html>": "is a web page",
    "%PDF-1.4\n1 0 obj\n": "is a PDF file",
    "PK\x03\x04 and so on": "is an Excel workbook or another zip archive: open it and save the table as CSV",
    "day,district,plan,delay\n"
    + "".join(f"{d},{a},{'xy'[d % 2 ^ (a == 'n')]},{d % 5}\n" for d in range(9) for a in "ns"): "for each district",
}


@pytest.mark.parametrize("text", SPOILT, ids=range(len(SPOILT)))
def test_spoilt_tables_get_one_sentence(text: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(InvalidInput) as caught:
        propose_file(tmp_path / "t.csv")
    assert SPOILT[text] in str(caught.value).replace(f"file {str(tmp_path / 't.csv')!r}", "t")
    assert "\n" not in str(caught.value)


HEADER = "date,price,sold\n"
READ: dict[str, bytes | str] = {
    "UTF-16": (HEADER + DAYS).encode("utf-16"),
    "empty lines": (HEADER + DAYS).replace("\n", "\n\n\n"),
    "lines of commas": (HEADER + DAYS).replace("\n", "\n,,\n"),
    "trailing semicolons": (HEADER + DAYS).replace(",", ";").replace("\n", ";;\n"),
    "vertical bars": (HEADER + DAYS).replace(",", "|"),
    "euros": HEADER + DAYS.replace(",2,", ",2.00 €,").replace(",3,", ",3.00 €,"),
    "German dates": "Datum;Preis;Absatz\n" + "".join(f"{d}.03.25;{2 + d % 2},5;{d % 6}\n" for d in range(10, 23)),
    "US dates": HEADER + "".join(f"3/{d}/2025,{2 + d % 2},{d % 6 + 1}\n" for d in range(1, 14)),
    "named months": HEADER + "".join(f"{d}-Mar-25,{2 + d % 2},{d % 6 + 1}\n" for d in range(1, 13)),
    "a line break in a name": HEADER.replace("price", '"price\n(EUR)"') + DAYS,
    "thousands": HEADER + "".join(f'2025-03-{d:02},{2 + d % 2}.50,"1,00{d % 6}"\n' for d in range(1, 13)),
    "an empty column": "date,price,sold,rain\n" + DAYS.replace("\n", ",NaN\n"),
    "long texts": "date,price,sold,story\n" + "".join(f"{row},{'long ' * 900}{row[:10]}\n" for row in DAYS.split()),
}


@pytest.mark.parametrize("name", READ)
def test_tables_are_read_as_they_are_meant(name: str, tmp_path: Path) -> None:
    content, path = READ[name], tmp_path / "t.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    proposal, rows = propose_file(path)
    assert rows is None
    assert proposal.reward.text.casefold().replace("preis", "price").replace("absatz", "sold") in (
        "price × sold",
        "price (eur) × sold",
    )
    assert [guess.role for guess in proposal.guesses][:3] == ["when", "action", "response"]
    with Match.create(tmp_path / "m.db", "m", proposal.config()) as match:
        assert match.import_history(path).new == len(proposal.guesses[0].column.values)
