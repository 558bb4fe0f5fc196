import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.games.opponent import Tabulated

MENU = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
TYPES = np.array([[7.0], [8.0]])
ANSWERS = np.arange(12.0).reshape(2, 3, 2)
TABLE = Tabulated(MENU, TYPES, ANSWERS)


def test_the_whole_menu_some_rows_and_one_row_are_looked_up():
    assert TABLE(MENU, TYPES[1]) == pytest.approx(ANSWERS[1])
    assert TABLE(MENU[[2, 0]], TYPES[0]) == pytest.approx(ANSWERS[0, [2, 0]])
    assert TABLE(MENU[[1]].copy(), np.array([8.0])) == pytest.approx(ANSWERS[1, [1]])


def test_what_is_not_in_the_table_is_refused():
    with pytest.raises(InvalidInput, match=r"opponent_type \[9.0\]… is not in the table"):
        TABLE(MENU, np.array([9.0]))
    with pytest.raises(InvalidInput, match="actions holds a row that is not in the table"):
        TABLE(np.array([[0.0, 1.5]]), TYPES[0])
    with pytest.raises(InvalidInput, match=r"responses has shape \(3, 2\): give \(2, 3\) rows"):
        Tabulated(MENU, TYPES, np.zeros((3, 2)))
