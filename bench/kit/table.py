"""A Markdown table whose columns line up as text too, with colour where a terminal shows it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO

GOOD, BAD, DIM, PLAIN = "32", "31", "2", ""


@dataclass(frozen=True)
class Cell:
    """Text and its colour on a terminal."""

    text: str
    tone: str = PLAIN


def render(header: Sequence[str], body: Sequence[Sequence[Cell]], colour: bool) -> str:
    """First column to the left, the others to the right. Every line of `body` has as many cells as `header`."""
    grid = [[Cell(title) for title in header], *body]
    widths = [max(3, *(len(line[column].text) for line in grid)) for column in range(len(header))]
    rule = [Cell("-" * width if column == 0 else "-" * (width - 1) + ":") for column, width in enumerate(widths)]
    grid.insert(1, rule)
    return "\n".join(_line(line, widths, colour) for line in grid)


def _line(line: Sequence[Cell], widths: Sequence[int], colour: bool) -> str:
    parts = []
    for column, (cell, width) in enumerate(zip(line, widths, strict=True)):
        text = cell.text.ljust(width) if column == 0 else cell.text.rjust(width)
        parts.append(f"\x1b[{cell.tone}m{text}\x1b[0m" if colour and cell.tone else text)
    return f"| {' | '.join(parts)} |"


def colour_wanted(stream: TextIO) -> bool:
    """Colour goes to terminals only, and nowhere when NO_COLOR is set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
