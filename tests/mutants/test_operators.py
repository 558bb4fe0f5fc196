import pytest
from mutants.operators import mutations


def changed(source: str) -> set[str]:
    """All changed texts of a source of one line."""
    return {found.apply(source.encode()).decode() for found in mutations(source.encode())}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a < b", {"a <= b", "a >= b"}),
        ("(a) not in (b)", {"(a) in (b)"}),
        ("a and b", {"a or b"}),
        ("not a", {"a"}),
        ("-a", {"a"}),
        ("a - b", {"a + b", "a"}),
        ("a * (b + c)", {"a / (b + c)", "a", "(b + c)", "a * (b - c)", "a * (b)", "a * (c)"}),
        ("x.min()", {"x.max()", "pass"}),
        ("y = f(a, b)", {"y = f(b, a)"}),
        ("y = max(a, b)", {"y = min(a, b)"}),
        ("y = 3", {"y = 4", "y = 2"}),
        ("y = 0.5", {"y = 1.0", "y = 0.25"}),
        ("y = 1e-9", {"y = 1e-08", "y = 1e-10"}),
        ("y = True", {"y = False"}),
        ("y += a", {"pass"}),
        ("raise E(1 + 1)", {"pass"}),
        ("y = a if b else c", {"y = a if (not (b)) else c"}),
        ("y = [a for a in b if c]", {"y = [a for a in b if (not (c))]"}),
    ],
)
def test_changes_of_a_line(source: str, expected: set[str]) -> None:
    assert changed(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        '"""A text of 3 words."""',
        'y = f"{a + 1}"',
        'y = "a" if b else "c"',
        "y: int | None = None",
        "def f(x: int | None) -> None: ...",
        "Number = int | float",
        "@d(frozen=True)\nclass A: ...",
        "def __repr__(self): return 1",
        "print(1)",
        "y = zip(strict=True)",
        "assert a < b",
    ],
)
def test_texts_annotations_and_decorators_are_left_alone(source: str) -> None:
    assert changed(source) == set()


def test_returned_values_follow_the_annotation() -> None:
    assert "def f() -> bool: return False" in changed("def f() -> bool: return g()")
    assert "def f() -> A | None: return None" in changed("def f() -> A | None: return g()")


def test_the_lines_are_those_of_the_statement_without_its_body() -> None:
    found = mutations(b"if (a <\n    b):\n    c(\n        1)\n")
    assert {(each.operator, each.first, each.last) for each in found} == {
        ("comparison", 1, 2),
        ("removed call", 3, 4),
        ("constant", 3, 4),
    }


def test_letters_of_two_bytes_shift_nothing() -> None:
    assert changed("σ = β * 2") >= {"σ = β / 2", "σ = β", "σ = β * 3"}
