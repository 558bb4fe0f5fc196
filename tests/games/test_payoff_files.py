"""Payoff tables from CSV and NumPy files, and what is said of those that hold none."""

import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.games import BimatrixGame
from firstmover.games.stackelberg.bimatrix import payoff_table
from tests.games.test_bimatrix import LEADER, written


@pytest.mark.parametrize("text", ["2,4,0\n1,3,5\n", "left,middle,right\n 2, 4, 0\n\n1,3,5\n", "\ufeff2,4,0\r\n1,3,5"])
def test_tables_from_csv(tmp_path, text):
    np.testing.assert_array_equal(payoff_table(written(tmp_path, "leader.csv", text)), LEADER)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1,2\n3,\n", "misses the entry in line 2, column 2: give a finite number."),
        (",2\n3,4\n", "misses the entry in line 1, column 1: give a finite number."),
        ("1,2\n3\n", "has 1 entries in line 2, and 2 in line 1: give as many."),
        ("1,2\n3,nan\n", "has 'nan' in line 2, column 2: give a finite number."),
        ("1,2\n3,four\n", "has 'four' in line 2, column 2: give a finite number."),
        ("1,two\n3,4\n", "has 'two' in line 1, column 2: give a finite number."),
        ("nan,nan\n1,2\n", "has 'nan' in line 1, column 1: give a finite number."),
        ("inf,-inf\n1,2\n", "has 'inf' in line 1, column 1: give a finite number."),
        ("left,right\n\n1,2\n3,x\n", "has 'x' in line 4, column 2: give a finite number."),
        ("left,right\n\n1,2\n3\n", "has 1 entries in line 4, and 2 in line 3: give as many."),
        ("2;4\n1;3\n", "has '2;4' in line 1, column 1: separate numbers by commas."),
        ("left;right\n1;3\n", "has 'left;right' in line 1, column 1: separate numbers by commas."),
        ("2\t4\n1\t3\n", "has '2\\t4' in line 1, column 1: separate numbers by commas."),
        ("left,right\n", "has no numbers: give a row for each leader action."),
        ("", "has no numbers: give a row for each leader action."),
    ],
)
def test_a_table_with_a_hole_is_refused_by_line_and_column(tmp_path, text, said):
    path = written(tmp_path, "leader.csv", text)
    with pytest.raises(InvalidInput) as refused:
        BimatrixGame.from_files(path, path)
    assert str(refused.value) == f"payoff table {str(path)!r} {said}"


def test_files_that_cannot_be_read_are_refused(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "folder.npy").mkdir()
    for name, cause in {"none": "No such file or directory", "folder": "Is a directory"}.items():
        for suffix in ("csv", "npy"):
            with pytest.raises(InvalidInput, match=rf"'.*{name}\.{suffix}' cannot be read: {cause}; name a file\.$"):
                payoff_table(tmp_path / f"{name}.{suffix}")
    (tmp_path / "latin.csv").write_bytes("größe,länge\n1,2\n".encode("latin-1"))
    with pytest.raises(InvalidInput, match=r"payoff table '.*latin\.csv' is no text in UTF-8: save it as CSV, or as"):
        payoff_table(tmp_path / "latin.csv")
    with pytest.raises(InvalidInput, match=r"payoff table '.*text\.npy' is no NumPy array of numbers"):
        payoff_table(written(tmp_path, "text.npy", "1,2"))
    np.save(tmp_path / "hole.npy", np.array([[1.0, np.nan]]))
    with pytest.raises(InvalidInput, match=r"has the value nan at position 0, 1: every number must be finite"):
        payoff_table(tmp_path / "hole.npy")


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (np.array([[{}]]), "is no NumPy array of numbers"),
        (np.array([[1 + 2j]]), "holds values of type complex128: give real numbers"),
        (np.array([["2020-01-01"]], dtype="M8[D]"), r"holds values of type datetime64\[D\]: give real numbers"),
        (np.zeros((1, 1), dtype=[("a", float)]), r"holds values of type \[\('a', '<f8'\)\]: give real numbers"),
        (np.array([["1"]]), "holds values of type <U1: give real numbers"),
    ],
)
def test_arrays_of_anything_but_real_numbers_are_refused(tmp_path, array, said):
    np.save(tmp_path / "odd.npy", array, allow_pickle=True)
    with pytest.raises(InvalidInput, match=said):
        payoff_table(tmp_path / "odd.npy")
