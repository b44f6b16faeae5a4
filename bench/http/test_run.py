"""Tests of the harness's logic. They need no peer and no build: `python3 -B -m unittest` in this folder."""

from __future__ import annotations

import contextlib
import io
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(1, str(HERE.parent))

from harness import bars, cli, report, tool
from harness.scenarios import CONNECTIONS, Sample, capacity
from harness.servers import Broken, Server


def closed(server: str, connections: int, rate: float, cpu: float, turn: int = 0, **other: object) -> Sample:
    return {
        "scenario": "closed",
        "server": server,
        "round": turn,
        "connections": connections,
        "throughput": rate,
        "wrk": rate,
        "cpu_us": cpu,
        "resident": 9.0,
        "anonymous": 1.0,
        "latency": {"mean": 100.0, "p99": 120.0, "p99.9": 130.0},
        "per_connection": {"least": 10, "median": 11, "most": 12, "never": 0},
        "failures": {"timeout": 0},
        "little": 1.0,
        "problems": [],
        **other,
    }


def verdict(samples: list[Sample], asked: str) -> bars.Bar:
    (found,) = (bar for bar in bars.check(samples) if bar.asked.startswith(asked))
    return found


class Bars(unittest.TestCase):
    def test_a_ratio_is_taken_between_medians(self) -> None:
        ours = [closed("gander", 50, rate, 2.0, turn) for turn, rate in enumerate((90.0, 110.0, 1000.0))]
        theirs = [closed("bun", 50, 100.0, 2.5, turn) for turn in range(3)]
        bar = verdict([*ours, *theirs], "c = 50: requests a second against Bun")
        self.assertEqual((bar.measured, bar.held), ("1.10 ×", True))
        self.assertIs(verdict([*ours, *theirs], "c = 50: CPU for a request against Bun").held, True)

    def test_a_bar_that_is_missed_says_so(self) -> None:
        samples = [closed("gander", 1000, 100.0, 2.0), closed("node", 1000, 60.0, 4.0), closed("limit", 1000, 200.0, 1.0)]
        self.assertIs(verdict(samples, "c = 1000: requests a second against Node").held, False)
        self.assertIs(verdict(samples, "c = 1000: CPU for a request against bare epoll").held, False)

    def test_starved_connections_miss_the_bar_though_the_median_looks_good(self) -> None:
        starved = {"least": 0, "median": 11, "most": 12, "never": 3}
        samples = [closed("gander", 1000, 100.0, 2.0, per_connection=starved)]
        self.assertIs(verdict(samples, "c = 1000: connections never served").held, False)
        self.assertIs(verdict(samples, "c = 1000: most answers of a connection").held, False)

    def test_what_was_not_measured_is_not_called_held(self) -> None:
        self.assertEqual({bar.held for bar in bars.check([])}, {None})

    def test_memory_compares_states(self) -> None:
        def state(name: str, anonymous: float) -> Sample:
            sample = {"scenario": "memory", "server": "gander", "round": 0, "state": name, "anonymous": anonymous}
            return {**sample, "held": 10_000}

        samples = [state("idle", 1.0), state("idle connections", 3.0), state("flat", 2.0), state("flat", 2.2)]
        self.assertEqual(verdict(samples, "20,000 idle").measured, "4.00 MB")
        self.assertIs(verdict(samples, "20,000 idle").held, False)
        self.assertIs(verdict(samples, "2,000,000 requests").held, False)

    def test_the_shift_is_the_difference_of_the_tails(self) -> None:
        def beside(disturbed: bool, p99: float) -> Sample:
            latency = {"p99": p99}
            return {"scenario": "hog", "server": "gander", "round": 0, "disturbed": disturbed, "latency": latency}

        bar = verdict([beside(False, 1000.0), beside(True, 7500.0)], "4 clients")
        self.assertEqual((bar.measured, bar.held), ("6.50 ms", False))


class Reports(unittest.TestCase):
    SERVERS = (Server("gander", "Gander", "1", ()), Server("bun", "Bun", "2", ()))

    def test_every_scenario_that_was_run_has_its_table(self) -> None:
        samples = [closed(server, count, 1e5, 5.0) for server in ("gander", "bun") for count in CONNECTIONS]
        text = report.markdown(samples, self.SERVERS, colour=False)
        self.assertIn("c = 1000 Gander", text)
        self.assertIn("Every run was valid", text)
        self.assertNotIn("## Memory", text)

    def test_an_invalid_run_stands_in_the_report_with_its_reason(self) -> None:
        sample = closed("bun", 50, 1e5, 5.0, problems=["Little's law is off by a factor of 2.00"])
        text = report.markdown([sample], self.SERVERS, colour=False)
        self.assertIn("closed bun (connections 50, round 1): Little's law is off", text)

    def test_capacity_is_that_of_the_most_connections(self) -> None:
        samples = [closed("gander", 50, 9e5, 5.0), *(closed("gander", 1000, rate, 5.0) for rate in (1e5, 3e5, 2e5))]
        self.assertEqual(capacity(samples, "gander"), 2e5)


class Tools(unittest.TestCase):
    def test_what_ab_prints_is_read(self) -> None:
        out = "Failed requests:        3\nNon-2xx responses:      4\nRequests per second:    1234.56 [#/sec] (mean)\n  99%     17\n"
        self.assertEqual(tool._read_ab(out, ""), {"throughput": 1234.56, "wrong": 7, "p99_ms": 17})
        with self.assertRaisesRegex(Broken, "reset by peer"):
            tool._read_ab("", "apr_socket_recv: Connection reset by peer (104)")

    def test_a_wrong_flag_is_told_in_one_line(self) -> None:
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.assertEqual(cli.main(["--only", "closed,sideways"]), 2)
        self.assertIn("no scenario sideways", said.getvalue())


if __name__ == "__main__":
    unittest.main()
