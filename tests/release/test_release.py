"""The files of a release agree on its version, and stores of every released version are kept."""

import re
from datetime import date

import yaml

from tests.test_dependencies import PROJECT
from tests.test_tree import ROOT
from tests.torture.earlier import STORES

RELEASE = re.compile(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$", re.MULTILINE)
RELEASES = dict(RELEASE.findall((ROOT / "CHANGELOG.md").read_text("utf-8")))
"""Dates by version, the latest first."""

BEFORE = ["0.1.0"]
"""Versions of clones from before the first release."""


def test_the_changelog_ends_with_this_version() -> None:
    versions = [tuple(map(int, version.split("."))) for version in RELEASES]
    assert next(iter(RELEASES)) == PROJECT["version"]
    assert versions == sorted(versions, reverse=True)
    assert list(RELEASES.values()) == sorted(RELEASES.values(), reverse=True)


def test_the_citation_names_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == PROJECT["version"]
    assert date.fromisoformat(str(citation["date-released"])).isoformat() == RELEASES[PROJECT["version"]]
    assert (citation["license"], citation["abstract"]) == (PROJECT["license"], PROJECT["description"])


def test_a_store_of_every_earlier_version_is_upgraded_by_the_tests() -> None:
    """`tests/torture/test_upgrade.py` migrates, verifies and continues every store that is kept."""
    kept = {path.stem.partition("-")[0] for path in STORES.glob("*.sql")}
    assert {*BEFORE, *RELEASES} - {PROJECT["version"]} <= kept
