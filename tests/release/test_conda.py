"""The conda recipe names the version, the requirements and the command of pyproject.toml."""

import re
from typing import Any

import yaml

from tests.test_dependencies import PROJECT
from tests.test_tree import ROOT

RECIPE: dict[str, Any] = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text("utf-8"))
NAMES = {"matplotlib": "matplotlib-base"}
"""Packages that conda calls by another name."""

CONSTRAINED = ("analysis", "postgres", "web")
"""Extras whose lowest versions the recipe states."""


def conda(requirement: str) -> str:
    """Return a requirement as conda writes it.

    >>> conda("psycopg[binary]>=3.2")
    'psycopg >=3.2'
    """
    name, bound = re.fullmatch(r"([\w-]+)(?:\[\w+\])?(>=[\d.]+)", requirement).groups()  # type: ignore[union-attr]
    return f"{NAMES.get(name, name)} {bound}"


def test_the_recipe_requires_what_the_project_requires() -> None:
    python = f"python {PROJECT['requires-python']}"
    assert RECIPE["requirements"]["run"] == [python, *map(conda, PROJECT["dependencies"])]
    assert RECIPE["requirements"]["host"] == [python, "pip", "hatchling"]
    extras = {each for name in CONSTRAINED for each in PROJECT["optional-dependencies"][name]}
    expected = sorted(conda(each) for each in extras if not each.startswith("firstmover["))
    assert RECIPE["requirements"]["run_constraints"] == expected


def test_the_recipe_describes_this_release() -> None:
    assert RECIPE["context"]["version"] == PROJECT["version"]
    assert RECIPE["about"]["license"] == PROJECT["license"]
    assert RECIPE["about"]["summary"] == PROJECT["description"]
    assert (ROOT / RECIPE["about"]["license_file"]).exists()
    points = [f"{name} = {reference}" for name, reference in PROJECT["scripts"].items()]
    assert RECIPE["build"]["python"]["entry_points"] == points
