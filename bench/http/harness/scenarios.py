"""What is measured. Each scenario yields samples: dictionaries with `scenario`, `server`, what was varied, and counts.

Servers take turns within each round, so that what the machine does meanwhile hits all of them alike.
"""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kit.cargo import WORKSPACE

from . import servers
from .servers import Running, Server
from .tool import Tool, ab, wrk

CONNECTIONS = (50, 100, 1000)
OPEN_CONNECTIONS = (1000, 10_000)
IDLE_CONNECTIONS = 20_000
AB_CONNECTIONS, AB_REQUESTS = 1000, 100_000
#: Requests a second of the trivial route while something else goes on beside it.
BESIDE_RATE = 2000
HOGS = 4
PIPELINE = 1000
FLAT_REQUESTS = 2_000_000
BURST_BODY = 10_000_000
BURST_CLIENTS = 20
#: Seconds after a burst at which memory is read.
SETTLE = 10
STARTS = 11

Sample = dict[str, Any]


@dataclass(frozen=True)
class Setting:
    """What a run has to work with."""

    ours: Server
    limit: Server
    peers: Sequence[Server]
    tool: Tool
    server_cpus: Sequence[int]
    tool_cpus: Sequence[int]
    seconds: float
    rounds: int
    program: Path | None

    @property
    def everybody(self) -> list[Server]:
        """All servers, the bare one first."""
        return [self.limit, self.ours, *self.peers]


def closed(setting: Setting) -> Iterator[Sample]:
    """As fast as it goes: the next request follows the answer. wrk gives a second opinion on the throughput."""
    for connections in CONNECTIONS:
        for turn in range(setting.rounds):
            for server in setting.everybody:
                with Running(server, setting.server_cpus) as running:
                    warm(setting, running)
                    before = running.cpu_seconds()
                    counts = setting.tool.run(running.port, setting.seconds, "--connections", connections)
                    cpu = running.cpu_seconds() - before
                    memory = running.memory()
                    second = wrk(running.port, connections, setting.seconds / 2, setting.tool_cpus)
                yield {
                    **_sample("closed", server, turn, connections=connections),
                    **counts,
                    "cpu_us": cpu * 1e6 / max(1, counts["answers"]),
                    "wrk": second["throughput"],
                    "resident": memory.resident,
                    "anonymous": memory.anonymous,
                }


def open_loop(setting: Setting, capacity: float) -> Iterator[Sample]:
    """On a clock, at half of our own capacity; latency counts from the time a request was due."""
    for connections in OPEN_CONNECTIONS:
        for turn in range(setting.rounds):
            for server in setting.everybody:
                with Running(server, setting.server_cpus) as running:
                    warm(setting, running)
                    flags = ("--connections", connections, "--rate", round(capacity / 2), "--warmup", 1)
                    counts = setting.tool.run(running.port, setting.seconds, *flags)
                yield {**_sample("open", server, turn, connections=connections), **counts}


def hog(setting: Setting) -> Iterator[Sample]:
    """The trivial route alone, then with clients that keep a route busy which computes for a second."""
    for turn in range(setting.rounds):
        for server in [setting.ours, *setting.peers]:
            with Running(server, setting.server_cpus) as running:
                warm(setting, running)
                yield from _beside(setting, running, "hog", turn, HOGS, "--path", "/hog", "--connections", HOGS)


def pipeliner(setting: Setting) -> Iterator[Sample]:
    """The trivial route alone, then with one client that pipelines without pause."""
    for turn in range(setting.rounds):
        for server in setting.everybody:
            with Running(server, setting.server_cpus) as running:
                warm(setting, running)
                flags = ("--pipeline", PIPELINE, "--connections", 1)
                yield from _beside(setting, running, "pipeliner", turn, 1, *flags)


def _beside(
    setting: Setting, running: Running, scenario: str, turn: int, clients: int, *flags: object
) -> Iterator[Sample]:
    steady = ("--connections", 100, "--rate", BESIDE_RATE, "--poisson")
    for disturbed in (False, True):
        span = setting.seconds + 2
        other = setting.tool.start(running.port, "--duration", span, *flags, body=None) if disturbed else None
        if other:
            time.sleep(0.5)
        counts = setting.tool.run(running.port, setting.seconds, *steady)
        sample = {**_sample(scenario, running.server, turn, disturbed=disturbed, clients=clients), **counts}
        if other:
            sample["other"] = setting.tool.finish(other, span)
        yield sample


def no_keep_alive(setting: Setting) -> Iterator[Sample]:
    """ab: a new connection for every request. The bare server does not know how to close one."""
    for turn in range(setting.rounds):
        for server in [setting.ours, *setting.peers]:
            with Running(server, setting.server_cpus) as running:
                warm(setting, running)
                counts = ab(running.port, AB_CONNECTIONS, AB_REQUESTS, setting.tool_cpus)
            yield {**_sample("ab", server, turn), **counts}


def start(setting: Setting) -> Iterator[Sample]:
    """From the start of the process to the first answer."""
    for turn in range(STARTS):
        for server in [setting.ours, *setting.peers]:
            with Running(server, setting.server_cpus) as running:
                yield {**_sample("start", server, turn), "milliseconds": running.first_answer * 1000}


def memory(setting: Setting) -> Iterator[Sample]:
    """Our memory with an example application and two workers: at rest, with idle connections, after a burst of large
    bodies, and over many requests."""
    shop = servers.gander(setting.program, WORKSPACE / "examples/shop.lk", "--workers", "2")
    with Running(shop, sorted({*setting.server_cpus, *setting.tool_cpus})) as running:
        time.sleep(1)
        yield _memory("idle", shop, running)
        yield _idle_connections(setting, shop, running)
    plain = servers.gander(setting.program, servers.PEERS / "gander.lk", "--workers", "2")
    with Running(plain, sorted({*setting.server_cpus, *setting.tool_cpus})) as running:
        time.sleep(1)
        yield _memory("before burst", plain, running)
        flags = ("--connections", BURST_CLIENTS, "--path", "/upload", "--method", "POST", "--body-bytes", BURST_BODY)
        counts = setting.tool.run(running.port, setting.seconds, *flags, body=str(BURST_BODY))
        time.sleep(SETTLE)
        yield {**_memory("after burst", plain, running), "answers": counts["answers"], "problems": counts["problems"]}
    with Running(plain, sorted({*setting.server_cpus, *setting.tool_cpus})) as running:
        warm(setting, running, 3)
        for done in range(5):
            yield {**_memory("flat", plain, running), "answers": FLAT_REQUESTS // 4 * done}
            if done < 4:
                setting.tool.run(running.port, 600, "--connections", 100, "--requests", FLAT_REQUESTS // 4)


def _idle_connections(setting: Setting, server: Server, running: Running) -> Sample:
    # Server and tool need a few files besides.
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    connections = IDLE_CONNECTIONS if files == resource.RLIM_INFINITY else min(IDLE_CONNECTIONS, files - 128)
    process = setting.tool.start(running.port, "--idle", 4, "--connections", connections, "--timeout", 60, body=None)
    assert process.stderr is not None
    # The tool says `holding` when every connection has had its answer.
    process.stderr.readline()
    time.sleep(2)
    sample = _memory("idle connections", server, running)
    counts = setting.tool.finish(process, 60)
    return {**sample, "held": counts["held"], "problems": counts["problems"]}


def _memory(state: str, server: Server, running: Running) -> Sample:
    running.check()
    now = running.memory()
    return {**_sample("memory", server, 0, state=state), "resident": now.resident, "anonymous": now.anonymous}


def warm(setting: Setting, running: Running, seconds: float = 1) -> None:
    """Lets a just-in-time compiler do its work before it is measured; everybody gets the same."""
    setting.tool.run(running.port, seconds, "--connections", 50)


def _sample(scenario: str, server: Server, turn: int, **varied: object) -> Sample:
    return {"scenario": scenario, "server": server.name, "round": turn, **varied}


def capacity(samples: Sequence[Sample], server: str) -> float:
    """Median throughput of a server in the closed loop with the most connections."""
    found = [
        sample["throughput"]
        for sample in samples
        if sample["scenario"] == "closed" and sample["server"] == server and sample["connections"] == max(CONNECTIONS)
    ]
    return statistics.median(found)


#: Scenarios by name; the open loop needs what the closed loop found.
ALL: dict[str, Callable[[Setting], Iterator[Sample]]] = {
    "closed": closed,
    "hog": hog,
    "pipeliner": pipeliner,
    "ab": no_keep_alive,
    "start": start,
    "memory": memory,
}
