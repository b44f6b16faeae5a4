"""The benchmark runner. In data-flow order:

rows, child, runtimes, measure, then ratios or compare or startup, table, report, cli; machine stands apart.
"""
