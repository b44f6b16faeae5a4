"""The language runtimes: how each is started, checked and installed.

A runtime that was asked for and cannot run as intended (not installed, no JIT, a module missing) is an error with its
name and its package, never a column that silently is not there.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from kit.cargo import Missing

from . import child

#: `bench/language`, where the programs lie.
PROGRAMS = Path(__file__).resolve().parent.parent

#: Name of our own runtime in samples and reports.
OURS = "gander"


@dataclass(frozen=True)
class Runtime:
    """A runtime that was found: `command` + row name runs a row, `hello` runs the smallest program."""

    name: str
    title: str
    version: str
    command: tuple[str, ...]
    hello: tuple[str, ...]
    #: Core rows that do another kind of work here; shown in the table, left out of the mean.
    other_kind: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Peer:
    """Another language's runtime as we look for it."""

    name: str
    title: str
    program: str
    #: Before the script, for the rows only; start-up is measured without.
    flags: tuple[str, ...]
    script: str
    hello: str
    version: tuple[str, ...]
    #: Arguments that make the program print `ready` when it has all that the rows need.
    probe: tuple[str, ...]
    install: str
    other_kind: frozenset[str] = frozenset()


# Lua has patterns instead of regular expressions, and pcall of a closure instead of try.
_LUA_OTHER_KIND = frozenset({"regex", "exception"})
_LUA_PROBE = ("-e", 'require "cjson" print "ready"')
_PHP_JIT = ("-d", "opcache.enable_cli=1", "-d", "opcache.jit=tracing", "-d", "opcache.jit_buffer_size=64M")

PEERS: tuple[Peer, ...] = (
    Peer(
        name="node",
        title="Node",
        program="node",
        flags=(),
        script="bench.js",
        hello="hello/hello.js",
        version=("--version",),
        probe=("-e", "console.log('ready')"),
        install="apt-get install nodejs",
    ),
    Peer(
        name="bun",
        title="Bun",
        program="bun",
        flags=(),
        script="bench.js",
        hello="hello/hello.js",
        version=("--version",),
        probe=("-e", "console.log('ready')"),
        install="npm install --global bun (Debian has no package)",
    ),
    Peer(
        name="php",
        title="PHP JIT",
        program="php",
        flags=_PHP_JIT,
        script="bench.php",
        hello="hello/hello.php",
        version=("-r", "echo PHP_VERSION;"),
        probe=(*_PHP_JIT, "-r", "echo opcache_get_status(false)['jit']['on'] ? 'ready' : 'its JIT is off';"),
        install="apt-get install php-cli php8.2-opcache (the line zend_extension=opcache must be active)",
    ),
    Peer(
        name="luajit",
        title="LuaJIT",
        program="luajit",
        flags=(),
        script="bench.lua",
        hello="hello/hello.lua",
        version=("-v",),
        probe=_LUA_PROBE,
        install="apt-get install luajit lua-cjson",
        other_kind=_LUA_OTHER_KIND,
    ),
    Peer(
        name="lua",
        title="Lua 5.4",
        program="lua5.4",
        flags=(),
        script="bench.lua",
        hello="hello/hello.lua",
        version=("-v",),
        probe=_LUA_PROBE,
        install="apt-get install lua5.4 lua-cjson",
        other_kind=_LUA_OTHER_KIND,
    ),
)

#: What `--peers` means when it is not given.
DEFAULT_PEERS = "node,php,luajit,lua"

_PROBE_SECONDS = 30.0


def choose(names: str) -> list[Peer]:
    """The peers named in a comma-separated list, in table order; `none` for none, `all` for all.

    Raises ValueError naming an unknown peer.
    """
    wanted = {name.strip() for name in names.split(",") if name.strip()}
    if wanted == {"none"}:
        return []
    if wanted == {"all"}:
        return list(PEERS)
    unknown = sorted(wanted - {peer.name for peer in PEERS})
    if unknown or not wanted:
        known = ", ".join(peer.name for peer in PEERS)
        told = ", ".join(unknown) or "(none given)"
        raise ValueError(f"--peers: unknown peer {told}; the peers are {known}, all or none")
    return [peer for peer in PEERS if peer.name in wanted]


def find(peers: list[Peer]) -> list[Runtime]:
    """Looks every peer up and checks that it can run the rows.

    Raises Missing with one line per peer that cannot.
    """
    found: list[Runtime] = []
    complaints: list[str] = []
    for peer in peers:
        program = shutil.which(peer.program)
        if program is None:
            complaints.append(f"{peer.title}: no program `{peer.program}` in PATH. To install it: {peer.install}")
            continue
        probe = child.run((program, *peer.probe), _PROBE_SECONDS)
        if probe.failure or "ready" not in probe.stdout:
            reason = probe.failure or probe.stdout.strip() or "no answer"
            complaints.append(f"{peer.title}: {program} cannot run the rows ({reason}). It needs: {peer.install}")
            continue
        found.append(
            Runtime(
                name=peer.name,
                title=peer.title,
                version=_first_line(child.run((program, *peer.version), _PROBE_SECONDS)),
                command=(program, *peer.flags, str(PROGRAMS / peer.script)),
                hello=(program, str(PROGRAMS / peer.hello)),
                other_kind=peer.other_kind,
            )
        )
    if complaints:
        raise Missing("\n".join(complaints) + "\nOr choose others with --peers.")
    return found


def ours(binary: Path, name: str = OURS, title: str = "LOOK") -> Runtime:
    """A build of our own. Raises Missing when there is no such program."""
    program = binary.resolve()
    if shutil.which(program) is None:
        raise Missing(f"{title}: {binary} is not a program that can be run")
    return Runtime(
        name=name,
        title=title,
        version=_first_line(child.run((str(program), "--version"), _PROBE_SECONDS)),
        command=(str(program), "run", str(PROGRAMS / "bench.lk")),
        hello=(str(program), "run", str(PROGRAMS / "hello/hello.lk")),
    )


def _first_line(result: child.Result) -> str:
    lines = (result.stdout or result.stderr).strip().splitlines()
    if result.failure or not lines:
        return "version unknown"
    return lines[0].partition("Copyright")[0].strip(" -")
