import json
import shlex
from pathlib import Path

import pytest

from firstmover.cli import app
from firstmover.games.routing.cities import cities
from tests.cli.running import refused, runner
from tests.games.city_folders import GMNS, TNTP, write


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FIRSTMOVER_CITIES", "cities")
    write(tmp_path / "town", TNTP)
    write(tmp_path / "village", GMNS)


def done(*arguments: str) -> str:
    result = runner.invoke(app, ["city", *arguments])
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    return result.stdout


def test_add_reads_stores_and_says_what_was_left_out() -> None:
    assert done("add", "town", "--name", "lyon") == (
        "name  nodes  links  zones  pairs_with_demand  trips\n"
        "lyon  5      6      3      2                  103.25\n"
        "Left out: 7.5 trips within 1 zone.\n"
        "Left out: 1 node without links and trips.\n"
        "Read as TNTP; city 'lyon' is stored in cities/lyon.zip.\n"
    )
    assert cities() == ["lyon"]


def test_list_shows_every_city() -> None:
    assert done("list") == "There are no cities: add one with firstmover city add FOLDER --name NAME.\n"
    done("add", "town", "--name", "lyon")
    done("add", "village", "--name", "bern")
    assert done("list").splitlines()[1:] == [
        "bern  4      5      2      1                  100.5",
        "lyon  5      6      3      2                  103.25",
    ]


def test_show_adds_ranges_and_the_share_of_constant_times() -> None:
    done("add", "town", "--name", "lyon")
    assert done("show", "lyon") == (
        "name  nodes  links  zones  pairs_with_demand  trips\n"
        "lyon  5      6      3      2                  103.25\n"
        "\n"
        "of              smallest  largest\n"
        "capacity        0         900.5\n"
        "free_flow_time  0         2\n"
        "b               0         1\n"
        "power           0         4\n"
        "x               0         2\n"
        "y               -1        2\n"
        "\n"
        "16.7 % of the links have a constant time.\n"
    )


def test_programs_read_json() -> None:
    size = {"name": "lyon", "nodes": 5, "links": 6, "zones": 3, "pairs_with_demand": 2, "trips": 103.25}
    added = json.loads(done("add", "town", "--name", "lyon", "--json"))
    assert added.items() >= {**size, "format": "TNTP", "file": "cities/lyon.zip"}.items()
    assert len(added["notes"]) == 2
    assert json.loads(done("list", "--json")) == {"cities": [size]}
    shown = json.loads(done("show", "lyon", "--json"))
    assert shown["ranges"]["capacity"] == [0, 900.5]
    assert shown["constant_share"] == pytest.approx(1 / 6)
    assert json.loads(done("remove", "lyon", "--yes", "--json")) == {"removed": "lyon"}


def test_an_existing_city_is_replaced_only_on_request() -> None:
    done("add", "town", "--name", "lyon")
    sentence = "There is a city 'lyon' already: give another name, or --replace to replace it."
    assert refused("city", "add", "village", "--name", "lyon") == sentence
    assert done("add", "village", "--name", "lyon", "--replace").endswith(
        "Read as GMNS; city 'lyon' is stored in cities/lyon.zip.\n"
    )


def test_bad_input_is_one_sentence() -> None:
    assert refused("city", "show", "lyon").startswith("There are no cities: add one with firstmover city add")
    assert refused("city", "add", "nowhere", "--name", "lyon").startswith("folder 'nowhere' cannot be read: ")
    assert refused("city", "add", "town", "--name", "Lyon").startswith("name is 'Lyon': give 1 to 80 small letters")
    Path("town/town_net.tntp").write_text("")
    assert refused("city", "add", "town", "--name", "lyon").startswith("town_net.tntp has no line <END OF METADATA>")
    assert cities() == []


def test_remove_asks_first() -> None:
    done("add", "town", "--name", "lyon")
    for answer in ("n\n", ""):
        kept = runner.invoke(app, ["city", "remove", "lyon"], input=answer)
        assert kept.exit_code == 1
        assert kept.stderr.startswith("Delete cities/lyon.zip? [y/N]:")
        assert kept.stderr.endswith("Stopped: nothing was removed.\n")
        assert cities() == ["lyon"]
    gone = runner.invoke(app, ["city", "remove", "lyon"], input="y\n")
    assert gone.exit_code == 0
    assert gone.stdout.endswith("City 'lyon' is removed.\n")
    assert cities() == []
    done("add", "town", "--name", "lyon")
    assert done("remove", "lyon", "--yes") == "City 'lyon' is removed.\n"


def test_help_teaches_the_commands() -> None:
    shown = done("--help")
    for words in ("firstmover city add ~/Downloads/Anaheim --name anaheim", "FIRSTMOVER_CITIES", "remove"):
        assert words in shown
    assert "node.csv, link.csv, demand.csv" in done("add", "--help")


def test_the_page_shows_what_the_commands_print(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(__file__).parents[2]
    monkeypatch.chdir(root)
    monkeypatch.setenv("FIRSTMOVER_CITIES", str(tmp_path))
    page = (root / "docs" / "how-to" / "your-city.md").read_text("utf-8")
    blocks = [block.split("```")[0] for block in page.split("```text\n")[1:]]
    examples = [example for block in blocks[:2] for example in block.split("$ firstmover city ")[1:]]
    assert len(examples) == 3
    for example in examples:
        command, _, printed = example.partition("\n")
        assert done(*shlex.split(command)).replace(str(tmp_path), "/home/ann/.local/share/firstmover/cities") == printed
    document = page.split("```toml\n")[1].split("```")[0]
    assert document == (root / "examples" / "cities" / "crossing" / "leader.toml").read_text("utf-8")
