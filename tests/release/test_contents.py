"""The files of the wheel and of the sdist: the whole package, and nothing that somebody left in the clone."""

import tarfile
from email.parser import HeaderParser
from fnmatch import fnmatch
from zipfile import ZipFile

from tests.release.conftest import Built
from tests.test_dependencies import PROJECT
from tests.test_tree import SOURCE

DATA = (
    "figures/page.css",
    "games/*/data/*",
    "games/*/templates/*.toml",
    "paper/*.toml",
    "service/page/*.css",
    "service/page/*.html",
    "service/page/*.js",
    "service/page/*.svg",
    "service/page/vendor/*",
)
"""Files of the package that are no modules."""

BESIDE = {"CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "PKG-INFO", "README.md", "constraints.txt"}


def in_package() -> set[str]:
    """The files of the source tree that belong to a release."""
    files = (path for path in SOURCE.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(SOURCE)) for path in files}


def test_every_file_of_the_package_is_a_module_or_declared_data() -> None:
    """A file that a run left in the source tree, such as tokens.json, would be published."""
    others = {name for name in in_package() if not name.endswith((".py", ".pyi")) and name != "py.typed"}
    assert {name for name in others if not any(fnmatch(name, pattern) for pattern in DATA)} == set()
    assert {pattern for pattern in DATA if not any(fnmatch(name, pattern) for name in others)} == set()


def test_the_wheel_contains_the_package_and_its_description(built: Built) -> None:
    with ZipFile(built.wheel) as wheel:
        names = set(wheel.namelist())
        about = f"firstmover-{PROJECT['version']}.dist-info"
        described = HeaderParser().parsestr(wheel.read(f"{about}/METADATA").decode())
        points = wheel.read(f"{about}/entry_points.txt").decode()
    assert {name.removeprefix("firstmover/") for name in names if not name.startswith(about)} == in_package()
    assert {"py.typed", "__init__.pyi"} <= in_package()
    assert f"{about}/licenses/LICENSE" in names
    assert set(described.get_all("Provides-Extra", [])) == set(PROJECT["optional-dependencies"])
    assert points == "[console_scripts]\nfirstmover = firstmover.__main__:main\n"


def test_the_sdist_contains_what_builds_the_wheel(built: Built) -> None:
    with tarfile.open(built.sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {name.removeprefix("src/firstmover/") for name in names if name.startswith("src/")} == in_package()
    beside = {name for name in names if not name.startswith(("src/", "examples/"))}
    assert beside == BESIDE | {"pyproject.toml", ".gitignore"}
