"""Release builds by cargo."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

#: The root of the workspace.
WORKSPACE = Path(__file__).resolve().parent.parent.parent

_BUILD_SECONDS = 3600.0


class Missing(Exception):
    """Something asked for is not there; the text says what and how to get it."""


def build(package: str, folder: Path = WORKSPACE) -> Path:
    """Builds the program of a package with cargo and returns its path, wherever the target folder lies.

    Raises Missing when cargo is not there or the build fails; cargo's own messages go to standard error.
    """
    command = ("cargo", "build", "--release", "--package", package, "--message-format", "json-render-diagnostics")
    try:
        built = subprocess.run(
            command, cwd=folder, stdout=subprocess.PIPE, text=True, timeout=_BUILD_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise Missing(f"the release build of {package} failed ({error})") from error
    for line in built.stdout.splitlines():
        message = json.loads(line)
        is_program = message.get("reason") == "compiler-artifact" and message.get("executable")
        if is_program and message["target"]["name"] == package:
            return Path(message["executable"])
    raise Missing(f"cargo built no program called {package}")
