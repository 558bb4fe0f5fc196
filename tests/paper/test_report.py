import base64
import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

from firstmover.figures.files import figure_of
from firstmover.figures.html_page import Section, page_of
from firstmover.paper.claims import report_texts
from firstmover.paper.experiments import EXPERIMENTS
from firstmover.paper.preset import READINGS
from firstmover.paper.report import report_of
from firstmover.paper.tables import switch_table
from firstmover.runs import read_manifest
from tests.small_reproduction import make_small, reproduce_small

FIGURES = {
    "routing-paper": ["figure-1", "split", "reliability", "bound"],
    "routing-released": ["figure-1", "split", "reliability", "bound"],
    "wildlife-paper": ["figure-2", "figure-3", "split", "reliability"],
    "wildlife-released": ["figure-2", "figure-3", "split", "reliability"],
    "": ["menus"],
}


class Tags(HTMLParser):
    """Every opening tag with its attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def tags_of(page: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Tags()
    parser.feed(page)
    return parser.found


def test_every_figure_is_written_and_stands_in_the_report(small_results: Path) -> None:
    page = (small_results / "report.html").read_text()
    for folder, names in FIGURES.items():
        for name in names:
            picture = (small_results / folder / f"{name}.png").read_bytes()
            assert base64.b64encode(picture).decode() in page
            assert (small_results / folder / f"{name}.pdf").read_bytes().startswith(b"%PDF")
    pictures = [attributes for tag, attributes in tags_of(page) if tag == "img"]
    assert len(pictures) == 17
    assert all(attributes["alt"] for attributes in pictures)


def test_the_guarantees_have_a_chapter_and_the_park_no_bound(small_results: Path) -> None:
    page = (small_results / "report.html").read_text()
    chapter = page[page.index('<h2 id="guarantees">') :]
    rows = re.findall(r"<tr>(.*?)</tr>", chapter[: chapter.index("</table>")])
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in rows[1:]]
    bounds = {row[0]: row[6] for row in cells}
    assert bounds["wildlife, paper"] == "–"
    assert float(bounds["routing, paper"].replace(",", "")) > 0
    assert all(float(row[3]) <= 0 for row in cells if row[0].startswith("wildlife"))  # R₁, as in Corollary 2's proof
    assert {row[1] for row in cells if row[0] == "routing, paper"} == {"StackelUCB poly3", "StackelUCB poly4"}


def test_the_report_loads_nothing_from_elsewhere(small_results: Path) -> None:
    page = (small_results / "report.html").read_text()
    tags = tags_of(page)
    assert not {tag for tag, _ in tags} & {"script", "link", "iframe", "object", "embed", "base"}
    sources = [attributes["src"] or "" for _, attributes in tags if "src" in attributes]
    assert all(source.startswith("data:image/png;base64,") for source in sources)
    targets = [attributes["href"] or "" for _, attributes in tags if "href" in attributes]
    anchors = {attributes.get("id") for _, attributes in tags}
    assert all(target.startswith("#") and target[1:] in anchors for target in targets)
    assert not re.search(r"url\(|@import|https?:", re.sub(r"base64,[^\"]*", "", page))


def test_the_report_has_verdicts_hyperparameters_seeds_and_versions(small_results: Path) -> None:
    page = (small_results / "report.html").read_text()
    assert len(re.findall(r'<p class="verdict">(reproduces|does not reproduce)', page)) == 9
    for words in (
        "log likelihood",
        "DotProduct",
        "Matern",
        "0 to 1",
        "scikit-learn",
        "matplotlib",
        "wall-clock",
        "units_counted",
    ):
        assert words in page


def test_the_terminal_shows_the_same_tables_and_verdicts(small_results: Path) -> None:
    said = (small_results.parent / "said.txt").read_text()
    assert "Routing, preset paper: Regret and reward beside the published ones\n\n| learner" in said
    assert "| 26138.5" in said
    assert "Wildlife, preset released: Reference rewards" in said
    assert said.count("reproduce") >= 9
    assert said.endswith(f"The report is {small_results / 'report.html'}.\n")


def test_runs_and_manifest_are_stored(small_results: Path) -> None:
    for game in EXPERIMENTS:
        for reading in READINGS:
            folder = small_results / f"{game}-{reading}"
            manifest = read_manifest(folder)
            assert (manifest.kind, manifest.seeds, manifest.rounds) == (game, (0, 1), 12)
            assert EXPERIMENTS[game].preset.restored(manifest.spec).stored() == manifest.spec
            assert len(list(folder.glob("*/*.parquet"))) == 2 * len(manifest.labels)
            assert all("log_likelihood" in fit for fit in manifest.notes["fits"].values())
            json.loads((folder / "manifest.json").read_text(), parse_constant=pytest.fail)  # no NaN, no Infinity


def test_one_game_and_one_preset_alone(tmp_path: Path) -> None:
    result = reproduce_small(tmp_path / "out", "routing", "--preset", "paper", "--seeds", "1")
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["report.html", "routing-paper"]
    page = (tmp_path / "out" / "report.html").read_text()
    assert "(preset paper, the only one played; one run)" in page
    assert "Wildlife" not in page


def test_without_figures_the_report_has_the_same_tables_and_no_picture(small_results: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = reproduce_small(out, "--seeds", "2", "--no-figures")
    assert result.exit_code == 0, result.output
    assert not [path for path in out.rglob("*") if path.suffix in (".png", ".pdf")]
    drawn, bare = ((folder / "report.html").read_text() for folder in (small_results, out))
    assert "<figure>" not in bare
    tables = re.compile(r"<tbody>.*?</tbody>", re.DOTALL)
    assert tables.findall(bare)[:-1] == tables.findall(drawn)[:-1]  # the last one has the time of the command


def test_a_partial_command_keeps_the_report_whole(small_results: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(small_results, out)
    result = reproduce_small(out, "routing", "--preset", "paper", "--seeds", "1")
    assert result.exit_code == 0, result.output
    page = (out / "report.html").read_text()
    for words in ("Routing, preset released", "Wildlife, preset paper", "other menus", "from the released program to"):
        assert words in page
    assert "routing-paper: 0 alone; routing-released: 0 to 1; wildlife-paper: 0 to 1" in page
    assert len(list((out / "routing-paper").glob("*/*.parquet"))) == 6


def test_results_of_a_changed_preset_or_cut_short_stay_out_of_the_report(small_results: Path, tmp_path: Path) -> None:
    for name in ("routing-released", "wildlife-paper", "wildlife-released"):
        shutil.copytree(small_results / name, tmp_path / name)
    park = tmp_path / "wildlife-paper"
    (park / "results" / f"{(held := read_manifest(park)).key(held.labels[0], 1)}.parquet").unlink()
    manifest = tmp_path / "routing-released" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"trade_off": 10.0', '"trade_off": 9.0'))
    with pytest.MonkeyPatch.context() as patch:
        make_small(patch)
        page = report_of(tmp_path, 1.0, figures=False).page
    assert re.findall(r"<h2[^>]*>((?:Routing|Wildlife).*?)</h2>", page) == ["Wildlife, preset released"]
    assert "other menus" not in page


def test_a_folder_that_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "routing-paper").mkdir()
    (tmp_path / "routing-paper" / "letter").write_text("mine")
    result = reproduce_small(tmp_path, "routing", "--preset", "paper", "--seeds", "1")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Folder '{tmp_path / 'routing-paper'}' holds other files")
    assert result.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["letter"]


@pytest.mark.parametrize("game", EXPERIMENTS)
def test_every_difference_of_the_presets_is_explained(game: str) -> None:
    text, program = (EXPERIMENTS[game].preset.load(game, reading).stored() for reading in READINGS)
    differing = {name for name in text if text[name] != program[name]}
    assert differing <= set(report_texts()["switches"])
    assert set(switch_table(game)["switch"]) == differing


def test_text_is_escaped_and_numbers_stand_right() -> None:
    table = pl.DataFrame({"<name>": ["a & b"], "value": ["-1,234.5 ± 0.2"]})
    page = page_of("T < U", ["x < y"], [], [Section("A & B", ("p > q",), (("c", table),))])
    for words in ("<h1>T &lt; U</h1>", "<p>x &lt; y</p>", ">A &amp; B</h2>", "<th>&lt;name&gt;</th>"):
        assert words in page
    assert '<td class="number">-1,234.5 ± 0.2</td>' in page


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("plot", ["figure-2", "figure-3"])
def test_nothing_is_cut_off_at_a_figure_s_edge(small_results: Path, plot: str, reading: str) -> None:
    figure = figure_of(plot, small_results / f"wildlife-{reading}")
    figure.draw_without_rendering()
    drawn, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert drawn.x0 >= 0
    assert drawn.y0 >= 0
    assert drawn.x1 <= width
    assert drawn.y1 <= height
