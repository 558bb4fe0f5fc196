"""Values that are no real number, and would become one if NumPy or Python were asked to convert them."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import scipy.sparse


class RaisesOnConversion:
    """An object of another library whose conversions fail."""

    def __array__(self, *_, **__):
        raise RuntimeError("no array")

    def __float__(self):
        raise ZeroDivisionError("no float")


class ConvertsToFloat:
    """An object that is no number and can be converted to one."""

    def __float__(self):
        return 3.0


class ConvertsToMasked:
    """A column of another library, of which a value is missing."""

    def __array__(self, *_, **__):
        return np.ma.array([3.0], mask=[True])


NO_NUMBERS = {
    "nothing": None,
    "truth": True,
    "truth of numpy": np.True_,
    "bytes": b"3",
    "bytes of numpy": np.bytes_(b"3"),
    "bytearray": bytearray(b"3"),
    "memory": memoryview(b"3"),
    "text nan": "nan",
    "empty text": "",
    "word": "three",
    "masked": np.ma.masked,
    "masked number": np.ma.array(3.0, mask=True),
    "complex": 3 + 2j,
    "complex of numpy": np.complex128(3 + 2j),
    "date": datetime.date(2020, 1, 1),
    "date of numpy": np.datetime64("2020-01-01"),
    "time of numpy": np.datetime64(3, "ns"),
    "no time": np.datetime64("NaT"),
    "duration": datetime.timedelta(3),
    "duration of numpy": np.timedelta64(3, "s"),
    "short duration": np.array(np.timedelta64(3, "ns")),
    "NA": pd.NA,
    "NaT": pd.NaT,
    "decimal": Decimal("NaN"),
    "signalling decimal": Decimal("sNaN"),
    "nan": float("nan"),
    "inf": np.inf,
    "nan of numpy": np.float32("nan"),
    "long double": np.longdouble("1e4000"),
    "too large": 10**400,
    "record": np.array((1.0, 2.0), dtype=[("a", float), ("b", float)])[()],
    "nothing in an array": np.array(None, dtype=object),
    "text in an array": np.array("three", dtype=object),
    "set": {1.0},
    "mapping": {"a": 1.0},
    "sparse": scipy.sparse.csr_array([[1.0]]),
    "class": float,
    "function": abs,
    "fails": RaisesOnConversion(),
    "converts": ConvertsToFloat(),
}
"""By name, single values that are not one finite real number."""

WITHIN_ARRAYS = {
    "masked": np.ma.array([3.0], mask=[True]),
    "masked in a list": [np.ma.array([3.0], mask=[True])],
    "masked after conversion": ConvertsToMasked(),
    "complex": np.array([3 + 2j]),
    "dates": np.array(["2020-01-01"], dtype="datetime64[D]"),
    "durations": np.array([3], dtype="timedelta64[s]"),
    "truths": np.array([True]),
    "texts": np.array(["3"]),
    "bytes": np.array([b"3"]),
    "records": np.array([(1.0, 2.0)], dtype=[("a", float), ("b", float)]),
    "raw": np.array([b"ab"], dtype="V2"),
    "objects": np.array([None], dtype=object),
    "mixed": [1.0, True],
    "series with NA": pd.Series([1.0, pd.NA], dtype="Float64"),
    "series of dates": pd.Series(pd.to_datetime(["2020-01-01"])),
    "series of truths": pd.Series([True]),
    "table of texts": pd.DataFrame({"a": ["3"]}),
    "uneven": [[1.0], [1.0, 2.0]],
    "generator": (number for number in (1.0,)),
    "sparse": scipy.sparse.csr_array([[1.0]]),
}
"""By name, arrays of such values."""
