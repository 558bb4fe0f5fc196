"""The form refuses in the server's own words: both are asked, over many values."""

import pytest
from playwright.sync_api import Page

from firstmover.core.errors import InvalidInput
from firstmover.matches.config import ResponseSpec, TypeSpec
from firstmover.matches.value_schema import Responses, Types
from tests.browser.conftest import Opener

TEXTS = [
    *(
        "3.2",
        " 7 ",
        "+4",
        "-0.0",
        "1e1",
        "1E+1",
        "1_0",
        ".5",
        "5.",
        "60",
        "60.000001",
        "-1",
        "123456789",
        "1e-7",
        "-1e22",
        "1e101",
    ),
    *("3.2 km", "3,2", "x", "inf", "nan", "-", "1e", "1__0", "_1", "0x10", "1e999", "it's", 'say "x"', "'\"", "a\\b"),
]
SPECS = [
    ResponseSpec(name="congestion", unit="min", lower=0.0, upper=60.0),
    ResponseSpec(name="it's", unit="", lower=-1e-7),
    ResponseSpec(name="y", unit="km", upper=1234567.0),
    ResponseSpec(name="free"),
]


@pytest.fixture
def page(opened: Opener) -> Page:
    window = opened("/")
    window.wait_for_selector("html[data-painted]")
    return window


def python_says(spec: ResponseSpec | TypeSpec, text: str) -> str:
    try:
        (Responses((spec,)) if isinstance(spec, ResponseSpec) else Types((spec,))).read({spec.name: text})
    except InvalidInput as error:
        return str(error)
    return ""


def test_responses(page: Page) -> None:
    cases = [(spec, text) for spec in SPECS for text in TEXTS]
    said = page.evaluate(
        """async (cases) => {
            const { checkedResponse } = await import("/checks.js");
            return cases.map(([spec, text]) => checkedResponse(spec, text).error ?? "");
        }""",
        [[spec.model_dump(), text] for spec, text in cases],
    )
    assert said == [python_says(spec, text) for spec, text in cases]


def test_types_that_are_numbers(page: Page) -> None:
    spec = TypeSpec(name="demand", unit="cars")
    said = page.evaluate(
        """async ([spec, texts]) => {
            const { checkedType } = await import("/checks.js");
            return texts.map((text) => checkedType(spec, text).error ?? "");
        }""",
        [spec.model_dump(), TEXTS],
    )
    assert said == [python_says(spec, text) for text in TEXTS]


def test_what_is_missing(page: Page) -> None:
    said = page.evaluate("async () => (await import('/checks.js')).checkedResponse({name: 'y'}, ' ').error")
    with pytest.raises(InvalidInput) as refused:
        Responses((ResponseSpec(name="y"),)).read({})
    assert said == str(refused.value)


def test_python_formats(page: Page) -> None:
    numbers = [
        0.0,
        -0.0,
        1.0,
        0.1,
        1e-4,
        1.5e-5,
        123456.0,
        1234567.0,
        999999.5,
        0.000123456789,
        -2.5,
        1e100,
        3.14159265,
    ]
    said = page.evaluate("async (n) => { const m = await import('/checks.js'); return n.map(m.general); }", numbers)
    assert said == [f"{number:g}" for number in numbers]
    texts = ["plain", "it's", 'say "x"', "'\"", "a\\b", "tab\t", "line\n"]
    said = page.evaluate("async (n) => { const m = await import('/checks.js'); return n.map(m.quoted); }", texts)
    assert said == [repr(text) for text in texts]
