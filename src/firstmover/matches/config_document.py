"""A proposed configuration as a TOML document with comments for its readers."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

HEADINGS = {
    "responses": "What you observe after each round; lower and upper bound what it can be.",
    "before": "What you know before you decide: you state it with each ask.",
    "after": "What you learn afterwards about whom or what you played against: you state it with each tell.",
}


def config_document(
    fields: Mapping[str, Any], *, source: str, unused: Sequence[str], reward: str, reason: str, usual: str
) -> str:
    """Return the document; `reward` is its formula, with the `reason`, and `usual` the action of the last rounds."""
    menu = fields["menu"]
    rows = "\n".join(f"    {_value(row)}," for row in menu["rows"])
    computed = [name for name in menu["rows"][0] if name not in (menu["label"], *menu["features"])]
    parts = [
        f"# A match, proposed from {_line(source)}. Read it, and change what is wrong.",
        f"# Columns that are not used: {_line(', '.join(unused) or 'none')}.",
        f"title = {_value(fields['title'])}",
        *(() if fields["types"] else ("", "# All opponents are alike: no type of them is known.", "types = []")),
        "",
        "# What you decide: one row for each action. Delete those that you never want, and add others.",
        "# The learner compares actions by their features.",
        f"[menu]\nlabel = {_value(menu['label'])}\nfeatures = {_value(menu['features'])}\nrows = [\n{rows}\n]",
        "",
        f"# What a round is worth: {_line(reward)} ({_line(reason)}).",
        *(f"# {_value(name)} in the rows above is computed from that formula." for name in computed),
        "# A response earns, per unit, a number or what the menu has in a column. To change the formula, begin again",
        "# with the option reward, as in --reward '(price - 0.9) * sold'.",
        "[reward]",
        *_reward(fields["reward"]),
    ]
    types = fields["types"]
    groups = {
        "responses": ("responses", fields["responses"]),
        "before": ("types", [entry for entry in types if "known" in entry]),
        "after": ("types", [entry for entry in types if "known" not in entry]),
    }
    for group, (name, entries) in groups.items():
        for number, entry in enumerate(entries):
            heading = () if number else (f"# {HEADINGS[group]}",)
            parts += ["", *heading, f"[[{name}]]", *(f"{key} = {_value(value)}" for key, value in entry.items())]
    if all("levels" in entry for entry in fields["responses"]):
        return "\n".join(parts) + "\n"  # a floor needs a belief about numbers
    parts += [
        "",
        "# A floor keeps what you earn near your usual action while others are tried: remove the four # below.",
        f"# {_line(usual)} was decided most often in the last quarter of the table.",
        f"#[floor]\n#baseline = {_value(usual)}\n#at_least = 0.95   # of what the baseline earns",
        "#tolerance = 0.05  # share of rounds that may lie below",
    ]
    return "\n".join(parts) + "\n"


def _reward(reward: Mapping[str, Any]) -> list[str]:
    """The lines of the reward; worths of levels have a table of their own."""
    lines = [f"value = {_value(reward['value'])}"] if "value" in reward else []
    levels = {name: worth for name, worth in reward["responses"].items() if _by_level(worth)}
    if not levels:
        return [*lines, f"responses = {_value(reward['responses'])}"]
    for name, worth in levels.items():
        lines += [f"[reward.responses.{_key(name)}]", *(f"{_key(level)} = {_value(v)}" for level, v in worth.items())]
    return lines


def _by_level(worth: object) -> bool:
    return isinstance(worth, Mapping) and set(worth) != {"column", "times"}


def _line(text: str) -> str:
    """A text that stays within the line of a comment."""
    return " ".join(text.split())


def _value(value: Any) -> str:
    """A value in TOML."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(str(name))} = {_value(each)}" for name, each in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _key(name: str) -> str:
    """A key in TOML, in quotation marks unless it is a plain word."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _value(name)
