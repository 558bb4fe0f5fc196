"""Metrics in the text format of Prometheus: counters and latencies of requests."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, float("inf"))
"""Upper bounds of the latencies that are counted together, in seconds."""


class Sample(NamedTuple):
    """A value with its labels; `suffix` is that of the parts of a histogram."""

    labels: Mapping[str, object]
    value: float
    suffix: str = ""


def metric(name: str, kind: str, about: str, samples: Iterable[Sample]) -> Iterator[str]:
    r"""Yield the lines of a metric.

    >>> print(*metric("rounds", "gauge", "Rounds asked.", [Sample({"match": 'a "b"'}, 3)]), sep="\n")
    # HELP firstmover_rounds Rounds asked.
    # TYPE firstmover_rounds gauge
    firstmover_rounds{match="a \"b\""} 3
    """
    yield f"# HELP firstmover_{name} {about}"
    yield f"# TYPE firstmover_{name} {kind}"
    for labels, value, suffix in samples:
        pairs = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
        yield f"firstmover_{name}{suffix}{f'{{{pairs}}}' if pairs else ''} {value:.10g}"


def _escaped(label: object) -> str:
    return str(label).replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


class RequestMetrics:
    """Answers by route and status, and the time until each began."""

    def __init__(self) -> None:
        self._answers: Counter[tuple[str, int]] = Counter()
        self._buckets: dict[str, list[int]] = defaultdict(lambda: [0] * len(BUCKETS))
        self._seconds: Counter[str] = Counter()

    def count(self, route: str, status: int, seconds: float) -> None:
        """Count an answer."""
        self._answers[route, status] += 1
        self._buckets[route][bisect_left(BUCKETS, seconds)] += 1
        self._seconds[route] += seconds  # type: ignore[assignment]  # a counter of any numbers

    def lines(self) -> Iterator[str]:
        """Yield all lines."""
        answers = [Sample({"route": route, "status": status}, n) for (route, status), n in self._answers.items()]
        yield from metric("requests_total", "counter", "Answers by route and status.", answers)
        yield from metric("request_seconds", "histogram", "Time until an answer began.", self._latencies())

    def _latencies(self) -> Iterator[Sample]:
        for route, counts in self._buckets.items():
            total = 0
            for bound, count in zip(BUCKETS, counts, strict=True):
                total += count
                yield Sample({"route": route, "le": "+Inf" if bound == BUCKETS[-1] else f"{bound:g}"}, total, "_bucket")
            yield Sample({"route": route}, self._seconds[route], "_sum")
            yield Sample({"route": route}, total, "_count")
