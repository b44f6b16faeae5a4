"""The command line: reads the flags, measures, prints Markdown and writes both files."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kit import cargo, machine, table
from kit.cargo import Missing

from . import bars, report, scenarios, servers
from .scenarios import Sample, Setting
from .servers import Broken, Server
from .tool import Tool

_DESCRIPTION = "Measures Gander's HTTP server beside a bare epoll server, Bun and Node, in one run."
_METHOD = """\
how it is measured
  The server has one processor to itself and the load tool another. Servers take turns within every round; figures are
  medians over the rounds, and ratios between servers are the result: times depend on the machine and the hour.
  Throughput comes from a closed loop; a tail only from an open loop, where latency counts from the time a request was
  due. Every body is checked. A run is invalid when an answer is missing or wrong, when a connection is never served,
  or when connections, throughput and latency contradict Little's law by more than a tenth.

exit code
  0 every promise held; 1 one did not, or a run was broken or invalid; 2 nothing was measured.
"""
_NAMES = (*scenarios.ALL, "open")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the benchmark and returns the exit code."""
    flags = _parser().parse_args(arguments)
    try:
        if warning := machine.busy():
            _say(f"warning: {warning}")
        return _measure(flags)
    except (Missing, Broken, ValueError, OSError) as error:
        _say(f"error: {error}")
    except KeyboardInterrupt:
        _say("stopped")
        return 130
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="bench/http/run",
        description=_DESCRIPTION,
        epilog=_METHOD,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--gander", type=Path, metavar="PATH", help="program to measure (default: a release build)")
    parser.add_argument("--old", type=Path, metavar="PATH", help="an older build, measured as one more peer")
    parser.add_argument("--peers", default="bun,node", metavar="A,B", help="bun, node, or none (default: %(default)s)")
    parser.add_argument(
        "--only", default=",".join(_NAMES), metavar="A,B", help="of closed, open, hog, pipeliner, ab, start, memory"
    )
    parser.add_argument("--seconds", type=float, default=5.0, metavar="S", help="of each run (default: %(default)g)")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="of everything (default: %(default)d)")
    parser.add_argument("--quick", action="store_true", help="one round of two seconds: a look, not a result")
    parser.add_argument(
        "--out", type=Path, default=cargo.WORKSPACE / "target/bench-http", metavar="DIR", help="where the files go"
    )
    return parser


def _measure(flags: argparse.Namespace) -> int:
    wanted = [name.strip() for name in flags.only.split(",")]
    if unknown := sorted(set(wanted) - set(_NAMES)):
        raise ValueError(f"--only: no scenario {', '.join(unknown)}; there are {', '.join(_NAMES)}")
    setting = _setting(flags)
    throttled = machine.throttled_periods()
    samples: list[Sample] = []
    broken: list[str] = []
    for name in ("closed", "open", *(name for name in scenarios.ALL if name != "closed")):
        if name == "open" and "open" in wanted:
            if "closed" not in wanted:
                raise ValueError("--only: the open loop runs at half the capacity that `closed` finds; ask for both")
            source = scenarios.open_loop(setting, scenarios.capacity(samples, setting.ours.name))
        elif name in wanted:
            source = scenarios.ALL[name](setting)
        else:
            continue
        try:
            _take(samples, source)
        except Broken as error:
            # What the others found is not lost with it.
            broken.append(f"{name}: {error}")
            _say(f"error: {broken[-1]}")
    about: dict[str, Any] = {
        "machine": machine.facts(),
        "throttled_periods": machine.throttled_periods() - throttled,
        "versions": {server.name: server.version for server in setting.everybody},
        "broken": broken,
        "samples": samples,
    }
    if about["throttled_periods"]:
        _say(f"warning: a CPU quota stopped us {about['throttled_periods']} times during the run: repeat it")
    _publish(flags.out / "report", samples, setting.everybody, about)
    failed = any(bar.held is False for bar in bars.check(samples))
    invalid = any(sample.get("problems") for sample in samples if sample["server"] == setting.ours.name)
    return 1 if failed or invalid or broken else 0


def _setting(flags: argparse.Namespace) -> Setting:
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        raise ValueError("server and load tool need a processor each, and there is only one")
    known = {"bun": servers.bun, "node": servers.node}
    names = [name.strip() for name in flags.peers.split(",") if name.strip() not in ("", "none")]
    if unknown := sorted(set(names) - set(known)):
        raise ValueError(f"--peers: no peer {', '.join(unknown)}; there are bun and node")
    peers: list[Server] = [known[name]() for name in names]
    if flags.old:
        peers.append(servers.gander(flags.old, name="old"))
    return Setting(
        ours=servers.gander(flags.gander),
        limit=servers.limit(),
        peers=peers,
        tool=Tool(cpus[1:2]),
        server_cpus=cpus[:1],
        tool_cpus=cpus[1:2],
        seconds=2.0 if flags.quick else flags.seconds,
        rounds=1 if flags.quick else flags.rounds,
        program=flags.gander,
    )


def _take(samples: list[Sample], source: Any) -> None:
    for sample in source:
        samples.append(sample)
        varied = " ".join(f"{key}={sample[key]}" for key in ("connections", "disturbed", "state") if key in sample)
        told = f"[{len(samples)}] {sample['scenario']} {sample['server']} {varied} round {sample['round'] + 1}"
        if sys.stderr.isatty():
            print(f"\r\x1b[K{told}", end="", file=sys.stderr, flush=True)
        else:
            _say(told)
    if sys.stderr.isatty():
        _say("")


def _publish(stem: Path, samples: list[Sample], everybody: Sequence[Server], about: dict[str, Any]) -> None:
    stem.parent.mkdir(parents=True, exist_ok=True)
    stem.with_suffix(".md").write_text(report.markdown(samples, everybody, False), encoding="utf-8")
    stem.with_suffix(".json").write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(report.markdown(samples, everybody, table.colour_wanted(sys.stdout)), end="")
    _say(f"written: {stem}.md and {stem}.json")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
