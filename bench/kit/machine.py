"""What must be known about the machine to judge a result, and what can spoil one: other load, a CPU quota."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

# Above this load per CPU before we start, somebody else is measuring with us.
_BUSY = 0.3
_CPU_STAT = Path("/sys/fs/cgroup/cpu.stat")


def facts() -> dict[str, Any]:
    """Date, processor and system, for the raw results."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "cpu": _cpu_model(),
        "cpus": sorted(os.sched_getaffinity(0)),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "load_before": os.getloadavg()[0],
    }


def pin(cpu: int) -> None:
    """Binds this process and every child to one CPU, as `taskset -c` does. Raises OSError if there is no such CPU."""
    os.sched_setaffinity(0, {cpu})


def busy() -> str:
    """A warning when others use the machine now, else empty."""
    load, cpus = os.getloadavg()[0], os.cpu_count() or 1
    if load / cpus <= _BUSY:
        return ""
    return f"the machine is busy (load {load:.2f} on {cpus} CPUs): ratios still hold roughly, times do not"


def throttled_periods() -> int:
    """How often the CPU quota of our control group has stopped us so far; 0 where there is none."""
    try:
        fields = dict(line.split(maxsplit=1) for line in _CPU_STAT.read_text().splitlines())
        return int(fields.get("nr_throttled", "0"))
    except (OSError, ValueError):
        return 0


def _cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"
