"""Tests of the runner's logic. They need no peer and no build: `python3 -B -m unittest` in this folder."""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
import tempfile
import unittest
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path.insert(1, str(HERE.parent))

from kit import table
from runner import child, cli, compare, measure, ratios, report, rows, runtimes
from runner.compare import Verdict
from runner.measure import Measured, Sample
from runner.runtimes import Runtime

OURS = Runtime("gander", "LOOK", "1", ("gander",), ())
NODE = Runtime("node", "Node", "2", ("node",), ())
LUA = Runtime("lua", "Lua 5.4", "3", ("lua",), (), other_kind=frozenset({"regex", "exception"}))

# A stand-in for the program under test: it answers `--version`, `run bench.lk ROW` and `run hello.lk`.
FAKE = """#!{python}
import sys
arguments = sys.argv[1:]
if arguments == ["--version"]:
    print("gander 0")
elif arguments[1].endswith("hello.lk"):
    print("hello")
else:
    print(arguments[2] + ",{checksum},{milliseconds}")
"""


def measured(times: dict[tuple[str, str], tuple[str, list[float]]]) -> Measured:
    """Samples from (runtime, row) → (checksum, times)."""
    return Measured(
        samples={key: [Sample(checksum, value) for value in values] for key, (checksum, values) in times.items()}
    )


def row(name: str) -> rows.Row:
    (found,) = rows.choose(name)
    return found


def quiet(done: int, total: int, what: str) -> None:
    """Progress nobody reads."""


class Programs(unittest.TestCase):
    def test_every_language_has_the_rows_in_the_order_of_the_table(self) -> None:
        patterns = {
            "bench.lk": r'^    "(\w+)" => fn\(\)',
            "bench.js": r"^  (\w+),$",
            "bench.php": r"'(\w+)',",
            "bench.lua": r'^  \{ "(\w+)", \w+ \},$',
        }
        for program, pattern in patterns.items():
            text = (HERE / program).read_text(encoding="utf-8")
            listed = re.split(r"^(?:const |local |\$)?rows = ", text, flags=re.MULTILINE)[1]
            body = re.split(r"^[\])}]", listed, flags=re.MULTILINE)[0]
            names = re.findall(pattern, body, flags=re.MULTILINE)
            extra = ["exception_error_obj"] if program == "bench.js" else []
            self.assertEqual(names, [*rows.CORE, *extra], program)


class Choice(unittest.TestCase):
    def test_rows_come_in_table_order(self) -> None:
        self.assertEqual([item.name for item in rows.choose("regex, loop")], ["loop", "regex"])
        self.assertEqual(len(rows.choose(None)), 18)

    def test_unknown_row_is_named(self) -> None:
        with self.assertRaisesRegex(ValueError, "unknown row lop"):
            rows.choose("loop,lop")

    def test_unknown_peer_is_named(self) -> None:
        with self.assertRaisesRegex(ValueError, "unknown peer ruby"):
            runtimes.choose("node,ruby")

    def test_missing_peers_are_all_named_with_their_package(self) -> None:
        with mock.patch("shutil.which", return_value=None), self.assertRaises(runtimes.Missing) as caught:
            runtimes.find(runtimes.choose("node,lua"))
        self.assertIn("Node: no program `node`", str(caught.exception))
        self.assertIn("apt-get install nodejs", str(caught.exception))
        self.assertIn("apt-get install lua5.4 lua-cjson", str(caught.exception))

    def test_peer_that_cannot_run_the_rows_is_missing(self) -> None:
        off = child.Result("its JIT is off", "", "")
        with (
            mock.patch("shutil.which", return_value="/bin/php"),
            mock.patch.object(child, "run", return_value=off),
            self.assertRaisesRegex(runtimes.Missing, "PHP JIT: .*its JIT is off"),
        ):
            runtimes.find(runtimes.choose("php"))


class Rounds(unittest.TestCase):
    def run_fake(self, answers: dict[str, list[str]], rounds: int) -> tuple[Measured, list[str]]:
        order: list[str] = []

        def run(command: Sequence[str], timeout: float) -> child.Result:
            order.append(" ".join(command))
            return child.Result(answers[command[0]].pop(0), "", "")

        todo = measure.tasks([row("loop")], [OURS], [NODE])
        return measure.measure(todo, rounds, 1.0, quiet, run), order

    def test_runtimes_take_turns(self) -> None:
        answers = {"gander": ["loop,1,5.00"] * 2, "node": ["loop,1,4.00", "loop,1,3.00"]}
        result, order = self.run_fake(answers, rounds=2)
        self.assertEqual(order, ["gander loop", "node loop"] * 2)
        self.assertEqual(result.times("node", "loop"), [4.0, 3.0])
        self.assertEqual(result.best("node", "loop"), 3.0)

    def test_a_failure_drops_the_row_and_ends_its_rounds(self) -> None:
        answers = {"gander": ["loop,1,5.00", "oops"], "node": ["loop,1,4.00"] * 3}
        result, order = self.run_fake(answers, rounds=3)
        self.assertEqual(order.count("gander loop"), 2)
        self.assertIsNone(result.best("gander", "loop"))
        self.assertIn("printed 'oops'", result.failures["gander", "loop"])

    def test_a_row_only_peers_have_runs_beside_ours_of_the_other_name(self) -> None:
        todo = measure.tasks([row("exception"), row("exception_error_obj")], [OURS], [NODE, LUA])
        ran = [(task.runtime.name, task.row) for task in todo]
        self.assertEqual(
            ran, [("gander", "exception"), ("node", "exception"), ("lua", "exception"), ("node", "exception_error_obj")]
        )

    def test_what_is_not_a_sample(self) -> None:
        for output in (
            "",
            "loop,1",
            "loop,1,fast",
            "loop,,1.0",
            "other,1,1.0",
            "loop,1,0.00",
            "loop,1,nan",
            "loop,1,inf",
            "loop,1,1\n2",
        ):
            with self.subTest(output), self.assertRaises(child.Failed):
                measure.parse(child.Result(output, "", ""), "loop")


class Ratios(unittest.TestCase):
    def test_best_time_over_best_time(self) -> None:
        data = measured({("gander", "loop"): ("1", [6.0, 5.0, 9.0]), ("node", "loop"): ("1", [12.0, 10.0])})
        (line,) = ratios.lines([row("loop")], OURS, [NODE], data)
        self.assertEqual(line.ratios, {"node": 0.5})
        self.assertEqual(line.our_milliseconds, 5.0)

    def test_different_checksums_are_refused(self) -> None:
        data = measured({("gander", "loop"): ("1", [5.0]), ("node", "loop"): ("2", [10.0])})
        (line,) = ratios.lines([row("loop")], OURS, [NODE], data)
        self.assertEqual((line.ratios, line.our_milliseconds), ({}, None))
        self.assertIn("LOOK 1, Node 2", line.refused)
        self.assertIsNone(ratios.summary(NODE, [line]).mean)
        text = report.rows([line], OURS, [NODE], data, colour=False)
        self.assertIn("refused", text)
        self.assertNotIn("0.50", text)

    def test_a_peer_that_disagrees_with_itself_is_refused(self) -> None:
        data = measured({("gander", "loop"): ("1", [5.0]), ("node", "loop"): ("1", [10.0])})
        data.samples["node", "loop"].append(Sample("2", 10.0))
        (line,) = ratios.lines([row("loop")], OURS, [NODE], data)
        self.assertIn("Node 1 and 2", line.refused)

    def test_the_mean_is_geometric_and_leaves_other_work_out(self) -> None:
        names = ("loop", "recursion", "regex")
        data = measured(
            {("gander", name): ("1", [time]) for name, time in zip(names, (8.0, 2.0, 90.0), strict=True)}
            | {("lua", name): ("1", [1.0]) for name in names}
        )
        lines = ratios.lines(rows.choose(",".join(names)), OURS, [LUA], data)
        summary = ratios.summary(LUA, lines)
        self.assertAlmostEqual(summary.mean or 0.0, 4.0)
        self.assertEqual((summary.rows, summary.at_most_one, summary.worst), (2, 0, ("loop", 8.0)))
        self.assertIn("90.00*", report.rows(lines, OURS, [LUA], data, colour=False))

    def test_a_row_of_one_peer_is_shown_but_not_counted(self) -> None:
        data = measured({("gander", "exception"): ("3", [1.0]), ("node", "exception_error_obj"): ("3", [4.0])})
        (line,) = ratios.lines([row("exception_error_obj")], OURS, [NODE, LUA], data)
        self.assertEqual(line.ratios, {"node": 0.25})
        self.assertEqual(ratios.summary(NODE, [line]).rows, 0)

    def test_no_values_have_no_mean(self) -> None:
        self.assertIsNone(ratios.geometric_mean([]))


class Noise(unittest.TestCase):
    STEADY = (100.0, 100.5, 101.0, 101.5, 102.0)

    def verdict(self, old: Sequence[float], new: Sequence[float]) -> Verdict:
        return compare.judge("loop", old, new).verdict

    def test_the_band_leaves_the_slowest_third_out(self) -> None:
        self.assertAlmostEqual(compare.spread([110.0, 100.0, 104.0, 102.0, 900.0]), 0.10)
        self.assertAlmostEqual(compare.spread([100.0] * 6 + [900.0] * 3), 0.0)

    def test_the_band_is_the_larger_of_both_builds_and_has_a_floor(self) -> None:
        self.assertAlmostEqual(compare.judge("loop", [100.0] * 5, self.STEADY).band or 0.0, 0.015)
        self.assertEqual(compare.judge("loop", [100.0] * 5, [100.0] * 5).band, compare.FLOOR)

    def test_beyond_the_band_both_ways(self) -> None:
        slower = [time * 1.05 for time in self.STEADY]
        self.assertIs(self.verdict(self.STEADY, slower), Verdict.REGRESSED)
        self.assertIs(self.verdict(slower, self.STEADY), Verdict.IMPROVED)

    def test_within_the_band(self) -> None:
        self.assertIs(self.verdict(self.STEADY, [time * 1.01 for time in self.STEADY]), Verdict.UNCHANGED)

    def test_noise_hides_a_change_of_its_own_size(self) -> None:
        noisy = (100.0, 104.0, 108.0, 112.0, 116.0)
        self.assertIs(self.verdict(noisy, [time * 1.05 for time in noisy]), Verdict.UNCHANGED)

    def test_one_hiccup_neither_makes_nor_hides_a_change(self) -> None:
        hiccup = (*self.STEADY[:4], 300.0)
        self.assertIs(self.verdict(self.STEADY, hiccup), Verdict.UNCHANGED)
        self.assertIs(self.verdict(self.STEADY, [time * 1.05 for time in hiccup]), Verdict.REGRESSED)

    def test_one_lucky_run_is_no_improvement(self) -> None:
        self.assertIs(self.verdict(self.STEADY, (90.0, *self.STEADY[1:])), Verdict.UNCHANGED)

    def test_builds_that_disagree_are_refused(self) -> None:
        data = measured({("old", "loop"): ("1", [5.0]), ("new", "loop"): ("2", [1.0])})
        (change,) = compare.changes([row("loop")], "old", "new", data)
        self.assertEqual((change.verdict, change.best_ratio), (Verdict.REFUSED, None))
        self.assertIn("old 1, new 2", change.refused)

    def test_a_build_that_fails_is_refused(self) -> None:
        data = measured({("old", "loop"): ("1", [5.0])})
        data.failures["new", "loop"] = "exit code 1"
        (change,) = compare.changes([row("loop")], "old", "new", data)
        self.assertEqual(change.refused, "new failed: exit code 1")


class Tables(unittest.TestCase):
    def test_columns_line_up_and_a_pipe_gets_no_colour(self) -> None:
        body = [[table.Cell("loop"), table.Cell("0.50", table.GOOD)], [table.Cell("x"), table.Cell("12.00")]]
        plain = table.render(["row", "Node"], body, colour=False)
        self.assertEqual(
            plain.splitlines(), ["| row  |  Node |", "| ---- | ----: |", "| loop |  0.50 |", "| x    | 12.00 |"]
        )
        coloured = table.render(["row", "Node"], body, colour=True)
        self.assertIn("\x1b[32m 0.50\x1b[0m", coloured)
        self.assertEqual(re.sub(r"\x1b\[\d*m", "", coloured), plain)

    def test_no_colour_without_a_terminal(self) -> None:
        self.assertFalse(table.colour_wanted(io.StringIO()))


class Children(unittest.TestCase):
    def test_the_time_limit_ends_children_of_the_child(self) -> None:
        result = child.run(("/bin/sh", "-c", "sleep 60 & wait"), 0.2)
        self.assertEqual(result.failure, "no end after 0.2 s")

    def test_failures_are_told(self) -> None:
        result = child.run(("/bin/sh", "-c", "echo why >&2; exit 3"), 10.0)
        self.assertEqual(result.failure, "exit code 3: why")
        self.assertIn("cannot start", child.run(("/no/such/program",), 10.0).failure)

    def test_peak_memory_is_the_childs_own(self) -> None:
        ballast = bytearray(b"x") * (64 << 20)
        self.assertLess(child.peak_kibibytes(("/bin/true",), 10.0), 16 << 10)
        del ballast

    def test_start_up_has_a_time_limit(self) -> None:
        for take in (child.wall_milliseconds, child.peak_kibibytes):
            with self.subTest(take.__name__), self.assertRaisesRegex(child.Failed, "time limit"):
                take(("/bin/sleep", "60"), 0.2)


class CommandLine(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def fake(self, name: str, checksum: int = 7, milliseconds: float = 5.0) -> str:
        path = self.folder / name
        path.write_text(FAKE.format(python=sys.executable, checksum=checksum, milliseconds=milliseconds))
        path.chmod(0o755)
        return str(path)

    def run_cli(self, *arguments: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.main([*arguments, "--out", str(self.folder / "out")])
        return code, out.getvalue(), err.getvalue()

    def test_rows(self) -> None:
        code, out, _ = self.run_cli("--gander", self.fake("g"), "--peers", "none", "--rows", "loop", "--rounds", "2")
        self.assertEqual(code, 0)
        self.assertEqual((self.folder / "out/rows.md").read_text(), out)
        data = json.loads((self.folder / "out/rows.json").read_text())
        self.assertEqual(data["samples"][0]["milliseconds"], [5.0, 5.0])

    def test_compare_finds_the_regression(self) -> None:
        old, new = self.fake("old"), self.fake("new", milliseconds=6.0)
        code, out, _ = self.run_cli("--compare", old, new, "--rows", "loop,regex")
        self.assertEqual(code, 1)
        self.assertIn("regressed (2): loop, regex", out)
        code, out, _ = self.run_cli("--compare", old, old, "--rows", "loop")
        self.assertEqual(code, 0)
        self.assertIn("unchanged (1): loop", out)

    def test_compare_refuses_wrong_results(self) -> None:
        code, out, _ = self.run_cli("--compare", self.fake("old"), self.fake("new", checksum=8), "--rows", "loop")
        self.assertEqual(code, 1)
        self.assertIn("checksums differ: old 7, new 8", out)

    def test_compare_needs_rounds(self) -> None:
        code, _, err = self.run_cli("--compare", self.fake("a"), self.fake("b"), "--rounds", "3")
        self.assertEqual(code, 2)
        self.assertIn("at least 5", err)

    def test_startup(self) -> None:
        with mock.patch("runner.startup.RUNS", 2):
            code, out, _ = self.run_cli("--startup", "--gander", self.fake("g"), "--peers", "none")
        self.assertEqual(code, 0)
        self.assertIn("| /bin/true", out)

    def test_nothing_to_measure(self) -> None:
        code, _, err = self.run_cli("--gander", str(self.folder / "none"), "--peers", "none")
        self.assertEqual(code, 2)
        self.assertIn("is not a program", err)


if __name__ == "__main__":
    unittest.main()
