"""The benchmark runner, in data-flow order: rows, runtimes, child, measure, ratios, compare, startup, machine, table, report, cli."""
