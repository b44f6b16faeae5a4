"""The three reports (rows, comparison, start-up) as Markdown and as raw data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kit import table
from kit.table import BAD, DIM, GOOD, PLAIN, Cell

from . import ratios
from .compare import Change, Verdict
from .measure import Measured
from .ratios import Line, geometric_mean
from .runtimes import Runtime
from .startup import FLOOR, Start

_TONES = {Verdict.IMPROVED: GOOD, Verdict.UNCHANGED: PLAIN, Verdict.REGRESSED: BAD, Verdict.REFUSED: BAD}
# What the language core promises against Lua 5.4: no row slower than this.
_SLOW = 1.25


def rows(lines: Sequence[Line], ours: Runtime, peers: Sequence[Runtime], measured: Measured, colour: bool) -> str:
    """The table of ratios: LOOK ÷ peer, below one is faster than the peer."""
    header = ["LOOK ÷ peer", *(peer.title for peer in peers), "LOOK ms"]
    body = [_row_cells(line, peers, measured) for line in lines]
    summaries = [ratios.summary(peer, lines) for peer in peers]
    if peers:
        worst = [f"{item.worst[1]:.2f} {item.worst[0]}" if item.worst else "–" for item in summaries]
        body.append([Cell("geometric mean"), *(_ratio(item.mean) for item in summaries), Cell("")])
        body.append(
            [Cell("rows ≤ 1.00"), *(Cell(f"{item.at_most_one} of {item.rows}") for item in summaries), Cell("")]
        )
        body.append([Cell("highest"), *(Cell(text) for text in worst), Cell("")])
    parts = [table.render(header, body, colour)]
    if any(not ratios.same_kind(line.row, peer) and peer.name in line.ratios for line in lines for peer in peers):
        parts.append("`*` other work than ours, or a row of that peer alone: outside the mean and the lines below it.")
    parts.append(_versions((ours, *peers)))
    parts.extend(_problems(lines, (ours, *peers), measured))
    return "\n\n".join(parts) + "\n"


def _row_cells(line: Line, peers: Sequence[Runtime], measured: Measured) -> list[Cell]:
    cells = [Cell(line.row.name)]
    for peer in peers:
        if line.refused:
            cells.append(Cell("refused", BAD))
        elif (peer.name, line.row.name) in measured.failures:
            cells.append(Cell("failed", BAD))
        else:
            mark = "" if ratios.same_kind(line.row, peer) else "*"
            cells.append(_ratio(line.ratios.get(peer.name), mark))
    if line.refused:
        cells.append(Cell("refused", BAD))
    elif line.our_milliseconds is None:
        cells.append(Cell("failed", BAD))
    else:
        cells.append(Cell(f"{line.our_milliseconds:.1f}", DIM))
    return cells


def _ratio(value: float | None, mark: str = "") -> Cell:
    if value is None:
        return Cell("–", DIM)
    if mark:
        return Cell(f"{value:.2f}{mark}", DIM)
    return Cell(f"{value:.2f}", GOOD if value <= 1.0 else BAD if value > _SLOW else PLAIN)


def _versions(runtimes: Sequence[Runtime]) -> str:
    return "Measured: " + ", ".join(f"{runtime.title} ({runtime.version})" for runtime in runtimes) + "."


def _problems(lines: Sequence[Line], runtimes: Sequence[Runtime], measured: Measured) -> list[str]:
    titles = {runtime.name: runtime.title for runtime in runtimes}
    told = [f"- {line.row.name}: {line.refused}" for line in lines if line.refused]
    told += [f"- {row}, {titles.get(name, name)}: {reason}" for (name, row), reason in measured.failures.items()]
    return ["Not reported:\n\n" + "\n".join(told)] if told else []


def comparison(changes: Sequence[Change], builds: Sequence[Runtime], colour: bool) -> str:
    """New ÷ old per row with its noise band, and the rows by verdict."""
    header = ["new ÷ old", "best", "median", "noise ±", "verdict"]
    body = [
        [
            Cell(change.row),
            _share(change.best_ratio),
            _share(change.median_ratio),
            Cell("–" if change.band is None else f"{change.band:.1%}", DIM),
            Cell(change.verdict.value, _TONES[change.verdict]),
        ]
        for change in changes
    ]
    bests = [change.best_ratio for change in changes if change.best_ratio is not None]
    body.append([Cell("geometric mean"), _share(geometric_mean(bests)), Cell(""), Cell(""), Cell("")])
    named = {verdict: [change.row for change in changes if change.verdict is verdict] for verdict in Verdict}
    listed = [f"- {verdict.value} ({len(names)}): {', '.join(names)}" for verdict, names in named.items() if names]
    refused = [f"- {change.row}: {change.refused}" for change in changes if change.refused]
    parts = [table.render(header, body, colour), "\n".join(listed), _versions(builds)]
    if refused:
        parts.append("Refused:\n\n" + "\n".join(refused))
    return "\n\n".join(parts) + "\n"


def _share(value: float | None) -> Cell:
    return Cell("–" if value is None else f"{value:.3f}")


def startup(starts: Sequence[Start], ours: str, colour: bool) -> str:
    """Medians, and ours ÷ theirs: below one is faster or smaller than the peer."""
    own = next((start for start in starts if start.runtime.name == ours), None)
    body = []
    for start in starts:
        is_peer = own is not None and start is not own and start.runtime.name != FLOOR.name
        time_ratio = own.median_milliseconds / start.median_milliseconds if own and is_peer else None
        memory_ratio = own.median_kibibytes / start.median_kibibytes if own and is_peer else None
        body.append(
            [
                Cell(start.runtime.title),
                Cell(f"{start.median_milliseconds:.2f}"),
                Cell(f"{start.median_kibibytes / 1024:.1f}"),
                _ratio(time_ratio),
                _ratio(memory_ratio),
            ]
        )
    header = ["hello", "wall ms", "peak MiB", "LOOK ÷ it, time", "LOOK ÷ it, memory"]
    runtimes = [start.runtime for start in starts if start.runtime.name != FLOOR.name]
    return table.render(header, body, colour) + "\n\n" + _versions(runtimes) + "\n"


def raw(runtimes: Sequence[Runtime], measured: Measured) -> dict[str, Any]:
    """Every sample, for whoever wants another statistic."""
    return {
        "runtimes": _raw_runtimes(runtimes),
        "samples": [
            {
                "runtime": runtime,
                "row": row,
                "checksums": measured.checksums(runtime, row),
                "milliseconds": [sample.milliseconds for sample in samples],
            }
            for (runtime, row), samples in measured.samples.items()
        ],
        "failures": [
            {"runtime": runtime, "row": row, "reason": reason} for (runtime, row), reason in measured.failures.items()
        ],
    }


def raw_rows(lines: Sequence[Line], peers: Sequence[Runtime]) -> dict[str, Any]:
    """Ratios and means as reported."""
    return {
        "rows": [{"row": line.row.name, "ratios": line.ratios, "refused": line.refused} for line in lines],
        "geometric_means": {peer.name: ratios.summary(peer, lines).mean for peer in peers},
    }


def raw_changes(changes: Sequence[Change]) -> list[dict[str, Any]]:
    """The comparison as reported."""
    return [
        {
            "row": change.row,
            "verdict": change.verdict.value,
            "best_ratio": change.best_ratio,
            "median_ratio": change.median_ratio,
            "noise_band": change.band,
            "refused": change.refused,
        }
        for change in changes
    ]


def raw_startup(starts: Sequence[Start]) -> dict[str, Any]:
    """Every start-up run."""
    return {
        "runtimes": _raw_runtimes([start.runtime for start in starts]),
        "starts": [
            {"runtime": start.runtime.name, "milliseconds": start.milliseconds, "kibibytes": start.kibibytes}
            for start in starts
        ],
    }


def _raw_runtimes(runtimes: Sequence[Runtime]) -> list[dict[str, Any]]:
    return [
        {"name": item.name, "title": item.title, "version": item.version, "command": item.command, "hello": item.hello}
        for item in runtimes
    ]
