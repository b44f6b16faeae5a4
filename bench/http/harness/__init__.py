"""The HTTP benchmark. In data-flow order: servers and tool, scenarios, bars, report, cli."""
