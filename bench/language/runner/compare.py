"""Two builds of ours: which rows improved, which regressed, which did not move beyond the noise of this very run.

The noise band of a row is how far repeated runs of one and the same build lie apart: from its best run to the run two
thirds up its sorted list (the fourth of five), the larger of the two builds, and never below `FLOOR`. The slowest
third is left out because one hiccup of the machine must not hide a regression. A row has changed only when its best
run and its median both moved past the band in the same direction.
"""

from __future__ import annotations

import enum
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from .measure import Measured
from .rows import Row

#: Smallest band. Layout and timer effects that repeat within one build are of this size.
FLOOR = 0.01
#: Fewer runs per build cannot tell noise from change: with three, two equal builds differ in one row of five.
LEAST_ROUNDS = 5


class Verdict(enum.Enum):
    """What became of a row."""

    IMPROVED = "improved"
    UNCHANGED = "unchanged"
    REGRESSED = "regressed"
    REFUSED = "refused"


@dataclass(frozen=True)
class Change:
    """One row of the comparison. Ratios are new ÷ old; `band` is a fraction (0.02 is 2 %)."""

    row: str
    verdict: Verdict
    best_ratio: float | None = None
    median_ratio: float | None = None
    band: float | None = None
    refused: str = ""


def changes(rows: Sequence[Row], old: str, new: str, measured: Measured) -> list[Change]:
    """One change per row that bench.lk has."""
    return [_change(row.name, old, new, measured) for row in rows if row.ours == row.name]


def _change(row: str, old: str, new: str, measured: Measured) -> Change:
    for build in (old, new):
        if (build, row) in measured.failures:
            return Change(row, Verdict.REFUSED, refused=f"{build} failed: {measured.failures[build, row]}")
    checksums = {build: measured.checksums(build, row) for build in (old, new)}
    if checksums[old] != checksums[new] or len(checksums[old]) != 1:
        told = ", ".join(f"{build} {' and '.join(seen) or 'none'}" for build, seen in checksums.items())
        return Change(row, Verdict.REFUSED, refused=f"checksums differ: {told}")
    return judge(row, measured.times(old, row), measured.times(new, row))


def judge(row: str, old: Sequence[float], new: Sequence[float]) -> Change:
    """The verdict on a row from the times of both builds, neither empty."""
    best = min(new) / min(old)
    median = statistics.median(new) / statistics.median(old)
    band = max(spread(old), spread(new), FLOOR)
    # A change is measured against the smaller time, so that twice as fast and twice as slow weigh the same.
    if max(best, median) < 1 / (1 + band):
        verdict = Verdict.IMPROVED
    elif min(best, median) > 1 + band:
        verdict = Verdict.REGRESSED
    else:
        verdict = Verdict.UNCHANGED
    return Change(row, verdict, best, median, band)


def spread(times: Sequence[float]) -> float:
    """How far repeated runs of one build lie apart, as a fraction of its best; the slowest third does not count."""
    ordered = sorted(times)
    two_thirds = -(-2 * len(ordered) // 3)
    return ordered[two_thirds - 1] / ordered[0] - 1
