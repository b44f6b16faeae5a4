"""The benchmark runner. In data-flow order:

rows, child, runtimes, measure, then ratios or compare or startup, report, cli. Tables and facts about the machine come from `bench/kit`.
"""
