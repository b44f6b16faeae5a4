"""The command line: reads the flags, measures, prints Markdown and writes both files."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from kit import cargo, machine, table
from kit.cargo import Missing

from . import compare, measure, ratios, report, rows, runtimes, startup
from .child import Failed
from .compare import Verdict
from .runtimes import Runtime

_DESCRIPTION = """\
Measures the LOOK language beside Node, PHP with its JIT, LuaJIT and Lua 5.4, or beside an older build of itself.
"""

_METHOD = f"""\
how it is measured
  A process runs one row: once to warm up, once timed. Runtimes take turns row by row, and all rows are gone through
  --rounds times, so that whatever the machine does meanwhile hits all of them alike. A time is the best of the rounds.
  Ratios are the result; times depend on the machine and the hour. A row whose checksums differ is refused.

noise in --compare
  The band of a row comes from the run itself: how far repeated runs of the same build lie apart, from the best to the
  run two thirds up the sorted list (the fourth of five), the larger of both builds, at least {compare.FLOOR:.0%}. A row
  counts as improved or regressed only if its best run and its median both moved past the band in the same direction.
  Two equal builds still show a change in about one row of a hundred: repeat such a row with more rounds.

exit code
  0 all reported; 1 a row failed, was refused or regressed; 2 nothing was measured (usage, peer or build missing).
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the benchmark and returns the exit code."""
    flags = _parser().parse_args(arguments)
    try:
        if flags.pin is not None:
            try:
                machine.pin(flags.pin)
            except OSError as error:
                raise ValueError(f"--pin: this process may not run on CPU {flags.pin} ({error.strerror})") from error
        if warning := machine.busy():
            _say(f"warning: {warning}")
        if flags.compare:
            return _compare(flags)
        return _startup(flags) if flags.startup else _rows(flags)
    except (Missing, ValueError, Failed) as error:
        _say(f"error: {error}")
    except OSError as error:
        _say(f"error: {error}")
    except KeyboardInterrupt:
        _say("stopped")
        return 130
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="bench/language/run",
        description=_DESCRIPTION,
        epilog=_METHOD,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    known = ",".join(peer.name for peer in runtimes.PEERS)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument(
        "--compare",
        nargs=2,
        type=Path,
        metavar=("OLD", "NEW"),
        help="two gander programs in one interleaved run (old, new, old, new, …) instead of peers",
    )
    mode.add_argument(
        "--startup",
        action="store_true",
        help=f"wall time and peak memory of a hello program, median of {startup.RUNS}, instead of the rows",
    )
    parser.add_argument(
        "--gander",
        type=Path,
        metavar="PATH",
        help="the program to measure (default: a release build by cargo)",
    )
    parser.add_argument(
        "--peers",
        default=runtimes.DEFAULT_PEERS,
        metavar="A,B",
        help=f"of {known}, or all, or none (default: %(default)s); one that is not installed is an error",
    )
    parser.add_argument("--rows", metavar="A,B", help="only these rows (default: all)")
    parser.add_argument(
        "--rounds",
        type=_positive,
        metavar="N",
        help=f"times each row runs (default: 3; with --compare {compare.LEAST_ROUNDS}, which is also its least)",
    )
    parser.add_argument(
        "--timeout",
        type=_seconds,
        default=120.0,
        metavar="S",
        help="seconds a process may take (default: %(default)g)",
    )
    parser.add_argument("--pin", type=int, metavar="CPU", help="bind everything to this CPU, as taskset -c does")
    parser.add_argument(
        "--out",
        type=Path,
        default=cargo.WORKSPACE / "target/bench-language",
        metavar="DIR",
        help="folder for the Markdown and JSON files (default: target/bench-language in the workspace)",
    )
    return parser


def _rows(flags: argparse.Namespace) -> int:
    chosen = rows.choose(flags.rows)
    peers = runtimes.find(runtimes.choose(flags.peers))
    # Without a peer that has it, a row of peers alone would say nothing.
    chosen = [row for row in chosen if not row.only or any(peer.name in row.only for peer in peers)]
    if not chosen:
        raise ValueError(f"--rows: none of the chosen peers has {flags.rows}")
    ours = runtimes.ours(flags.gander or cargo.build("gander"))
    about = _about(flags, flags.rounds or 3)
    todo = measure.tasks(chosen, [ours], peers)
    measured = measure.measure(todo, about["rounds"], flags.timeout, _progress)
    lines = ratios.lines(chosen, ours, peers, measured)
    _publish(
        flags.out / "rows",
        lambda colour: report.rows(lines, ours, peers, measured, colour),
        about | report.raw([ours, *peers], measured) | report.raw_rows(lines, peers),
    )
    return 1 if measured.failures or any(line.refused for line in lines) else 0


def _compare(flags: argparse.Namespace) -> int:
    rounds = flags.rounds or compare.LEAST_ROUNDS
    if rounds < compare.LEAST_ROUNDS:
        least = compare.LEAST_ROUNDS
        raise ValueError(f"--rounds: --compare needs at least {least} to tell noise from change, got {rounds}")
    chosen = [row for row in rows.choose(flags.rows) if row.ours == row.name]
    if not chosen:
        raise ValueError(f"--rows: bench.lk has no row {flags.rows}")
    builds = [runtimes.ours(path, name, name) for path, name in zip(flags.compare, ("old", "new"), strict=True)]
    about = _about(flags, rounds)
    measured = measure.measure(measure.tasks(chosen, builds, []), rounds, flags.timeout, _progress)
    changes = compare.changes(chosen, "old", "new", measured)
    _publish(
        flags.out / "compare",
        lambda colour: report.comparison(changes, builds, colour),
        about | report.raw(builds, measured) | {"changes": report.raw_changes(changes)},
    )
    return 1 if any(change.verdict in (Verdict.REGRESSED, Verdict.REFUSED) for change in changes) else 0


def _startup(flags: argparse.Namespace) -> int:
    peers: list[Runtime] = runtimes.find(runtimes.choose(flags.peers))
    ours = runtimes.ours(flags.gander or cargo.build("gander"))
    about = _about(flags, startup.RUNS)
    starts = startup.measure([ours, *peers], _progress, about["rounds"])
    _publish(
        flags.out / "startup",
        lambda colour: report.startup(starts, ours.name, colour),
        about | report.raw_startup(starts),
    )
    return 0


def _about(flags: argparse.Namespace, rounds: int) -> dict[str, Any]:
    return {
        "machine": machine.facts(),
        "rounds": rounds,
        "pinned_to": flags.pin,
        "throttled_before": machine.throttled_periods(),
    }


def _publish(stem: Path, markdown: Callable[[bool], str], data: dict[str, Any]) -> None:
    throttled = machine.throttled_periods() - data.pop("throttled_before")
    data["throttled_periods"] = throttled
    if throttled:
        _say(f"warning: a CPU quota stopped us {throttled} times during the run: repeat it")
    stem.parent.mkdir(parents=True, exist_ok=True)
    stem.with_suffix(".md").write_text(markdown(False), encoding="utf-8")
    stem.with_suffix(".json").write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(markdown(table.colour_wanted(sys.stdout)), end="")
    _say(f"written: {stem}.md and {stem}.json")


def _progress(done: int, total: int, what: str) -> None:
    if sys.stderr.isatty():
        end = "\n" if done == total else ""
        print(f"\r\x1b[K[{done}/{total}] {what}", end=end, file=sys.stderr, flush=True)
    elif done % 10 == 0 or done == total:
        print(f"[{done}/{total}] {what}", file=sys.stderr, flush=True)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {text}")
    return value


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value < 86_400:
        raise argparse.ArgumentTypeError(f"must be more than 0 and less than a day, got {text}")
    return value
