"""The rows of the benchmark: their names, and which of them compare what kind of work.

The order is the order of every table.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    #: The row of `bench.lk` this one is set against; its own name but for rows that only a peer has.
    ours: str
    #: Names of the peers that have the row; empty means all of them.
    only: frozenset[str] = frozenset()

    @property
    def in_mean(self) -> bool:
        """Rows that only some peers have stay outside every mean."""
        return not self.only


#: The rows every language has.
CORE: tuple[str, ...] = (
    "int_arith",
    "float_arith",
    "loop",
    "fn_call",
    "nested_fn",
    "recursion",
    "array_create_iterate",
    "array_push_pop",
    "assoc_access",
    "object_create",
    "string_concat",
    "string_search",
    "string_slice",
    "json_parse",
    "json_serialize",
    "regex",
    "exception",
)

ROWS: tuple[Row, ...] = (
    *(Row(name, ours=name) for name in CORE),
    # JavaScript can throw a bare string or an Error with a stack trace; programs do the second.
    Row("exception_error_obj", ours="exception", only=frozenset({"node", "bun"})),
)


def choose(names: str | None) -> list[Row]:
    """The rows named in a comma-separated list, in table order; all of them for None.

    Raises ValueError naming an unknown row.
    """
    if names is None:
        return list(ROWS)
    wanted = {name.strip() for name in names.split(",") if name.strip()}
    unknown = sorted(wanted - {row.name for row in ROWS})
    if unknown or not wanted:
        known = ", ".join(row.name for row in ROWS)
        raise ValueError(f"--rows: unknown row {', '.join(unknown) or '(none given)'}; the rows are {known}")
    return [row for row in ROWS if row.name in wanted]
