import dataclasses
import random
import zipfile
from pathlib import Path

import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.games.routing.cities import (
    add_city,
    cities,
    cities_folder,
    city,
    city_ranges,
    city_size,
    constant_share,
    remove_city,
    stored_file,
)  # fmt: skip
from firstmover.games.routing.city_formats import read_city
from firstmover.games.routing.network import Network, load_network, network_tables, sioux_falls
from tests.games.city_folders import GMNS, TABLES, TNTP, refusals, write

FORMATS = {"tables": TABLES, "TNTP": TNTP, "GMNS": GMNS}


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRSTMOVER_CITIES", str(tmp_path / "cities"))


def bits(network: Network) -> dict[str, tuple[object, ...]]:
    arrays = {field.name: getattr(network, field.name) for field in dataclasses.fields(network)}
    return {name: (array.dtype, array.shape, array.tobytes()) for name, array in arrays.items()}


@pytest.mark.parametrize("kind", FORMATS)
def test_a_stored_city_has_the_bits_of_the_one_that_was_read(tmp_path: Path, kind: str) -> None:
    read = read_city(write(tmp_path / "files", FORMATS[kind]))
    assert read.format == kind
    add_city("town", read.network)
    assert bits(city("town")) == bits(read.network)


def test_tables_keep_every_bit_of_random_numbers(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    network = sioux_falls()
    changed = dataclasses.replace(
        network,
        positions=rng.normal(size=network.positions.shape) * 10.0 ** rng.integers(-300, 300, network.positions.shape),
        **{name: np.exp(rng.normal(size=network.n_links)) for name in ("capacity", "length", "free_flow_time", "b")},
        power=1 + rng.random(network.n_links),
        demand=rng.random(network.n_pairs) / 3,
    )
    assert bits(load_network(write(tmp_path / "tables", network_tables(changed)))) == bits(changed)
    add_city("town", changed)
    assert bits(city("town")) == bits(changed)


def test_the_same_network_gives_the_same_file() -> None:
    first = add_city("one", sioux_falls()).read_bytes()
    assert add_city("two", sioux_falls()).read_bytes() == first


def test_a_city_is_replaced_only_on_request(tmp_path: Path) -> None:
    add_city("town", sioux_falls())
    small = read_city(write(tmp_path / "files", TABLES)).network
    with pytest.raises(InvalidInput, match="There is a city 'town' already: give another name, or --replace"):
        add_city("town", small)
    assert city("town").n_links == 76
    add_city("town", small, replace=True)
    assert city("town").n_links == 2
    assert [path.name for path in cities_folder().iterdir()] == ["town.zip"]


def test_a_city_that_cannot_be_written_leaves_the_old_one(monkeypatch: pytest.MonkeyPatch) -> None:
    add_city("town", sioux_falls())

    def no_space(_: Network) -> dict[str, str]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("firstmover.games.routing.cities.network_tables", no_space)
    with pytest.raises(InvalidInput, match=r"town.zip' cannot be written: No space left on device"):
        add_city("town", sioux_falls(), replace=True)
    assert city("town").n_links == 76
    assert cities() == ["town"]


@pytest.mark.parametrize("name", ["", "Town", "../town", "a/b", ".", "-x", "a b", "é", "a.b", "x" * 81, "a\n"])
def test_names_are_plain(name: str) -> None:
    with pytest.raises(InvalidInput, match=r"name is .*: give 1 to 80 small letters, digits, - and _"):
        add_city(name, sioux_falls())
    assert cities() == []


def test_unknown_cities_are_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match="There are no cities: add one with firstmover city add FOLDER --name NAME"):
        city("town")
    add_city("anaheim-2", sioux_falls())
    for ask in (city, remove_city, stored_file):
        with pytest.raises(InvalidInput, match="Unknown city 'anaheim': did you mean 'anaheim-2'\\? Known: anaheim-2"):
            ask("anaheim")


def test_a_city_is_removed() -> None:
    add_city("one", sioux_falls())
    add_city("two", sioux_falls())
    remove_city("one")
    assert cities() == ["two"]


def test_other_files_in_the_folder_are_no_cities() -> None:
    add_city("town", sioux_falls())
    for name in ("Town 2.zip", ".town.1a2b.part", "notes.txt"):
        (cities_folder() / name).write_text("")
    assert cities() == ["town"]


def test_the_folder_follows_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cities_folder() == tmp_path / "cities"
    monkeypatch.delenv("FIRSTMOVER_CITIES")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert cities_folder() == tmp_path / "data" / "firstmover" / "cities"
    monkeypatch.setenv("HOME", str(tmp_path))
    for relative in ("", "data"):
        monkeypatch.setenv("XDG_DATA_HOME", relative)
        assert cities_folder() == tmp_path / ".local" / "share" / "firstmover" / "cities"
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError("no home")))
    with pytest.raises(InvalidInput, match="The user has no home folder: set FIRSTMOVER_CITIES to a folder for cities"):
        cities_folder()


def test_a_folder_of_cities_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cities").write_text("")
    with pytest.raises(InvalidInput, match="of cities cannot be read: Not a directory"):
        cities()
    with pytest.raises(InvalidInput, match="cannot be written: "):
        add_city("town", sioux_falls())


def test_damaged_files_of_cities_are_refused_in_one_sentence() -> None:
    path = add_city("town", sioux_falls())
    whole, rng = path.read_bytes(), random.Random(4)
    for content in [b"", b"PK", whole[:-30], whole[:500]]:
        path.write_bytes(content)
        with pytest.raises(InvalidInput, match=r"city file .*town.zip' is damaged: .*; add the city with --replace"):
            city("town")
    for _ in range(300):
        at = rng.randrange(len(whole))
        path.write_bytes(whole[:at] + rng.randbytes(1) + whole[at + 1 :])
        try:
            network = city("town")
        except InvalidInput:
            continue
        assert bits(network) == bits(sioux_falls())  # a date, an attribute, or the same byte again


def test_a_city_without_one_of_its_tables_is_refused() -> None:
    path = add_city("town", sioux_falls())
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("nodes.csv", network_tables(sioux_falls())["nodes.csv"])
    with pytest.raises(InvalidInput, match=r"town.zip/links.csv cannot be read as a CSV table: there is no such file"):
        city("town")


def test_sizes_and_ranges_are_those_of_the_network(tmp_path: Path) -> None:
    network = read_city(write(tmp_path / "files", TNTP)).network
    assert city_size(network) == (5, 6, 3, 2, 103.25)
    assert city_ranges(network) == {
        "capacity": (0, 900.5),
        "free_flow_time": (0, 2),
        "b": (0, 1),
        "power": (0, 4),
        "x": (0, 2),
        "y": (-1, 2),
    }
    assert constant_share(network) == pytest.approx(1 / 6)
    assert constant_share(dataclasses.replace(network, power=np.zeros(6))) == 1
    assert constant_share(sioux_falls()) == 0


EXPECTED = (
    r": give nodes.csv, links.csv and demand.csv \(tables\); or \*_net.tntp .* \(TNTP\); or node.csv, .* \(GMNS\)\.$"
)


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({}, "has no files"),
        ({"demand.csv": "", "readme.md": ""}, "has demand.csv, readme.md"),
        ({f"{i}.txt": "" for i in range(10)}, "has 0.txt, 1.txt, 2.txt, 3.txt, 4.txt, 5.txt, 6.txt, 7.txt, …"),
        ({"nodes.csv": "", "a_net.tntp": ""}, "has a_net.tntp, nodes.csv, files of tables and TNTP"),
        ({"nodes.csv": "", "link.csv": ""}, "has link.csv, nodes.csv, files of tables and GMNS"),
    ],
)
def test_folders_of_unknown_or_several_formats_are_refused(tmp_path: Path, files: dict[str, str], found: str) -> None:
    with pytest.raises(InvalidInput, match=f"^folder '.*' {found}{EXPECTED}"):
        read_city(write(tmp_path / "files", files))


def test_a_folder_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        InvalidInput, match="nowhere' cannot be read: No such file or directory; give a folder of files"
    ):
        read_city(tmp_path / "nowhere")


def test_damaged_tables_are_read_or_refused_in_one_sentence(tmp_path: Path) -> None:
    said = refusals(tmp_path / "files", TABLES, count=300, seed=5)
    assert 150 < len(said) < 300
    assert [sentence for sentence in said if len(sentence.splitlines()) != 1] == []
