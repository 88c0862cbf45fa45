"""Print what looks like the end of a report, and like the beginning of the next one."""

REPORT = (
    "TOTAL 8/8 points\n"
    + '{"version": 1, "points": 8, "max_points": 8}\n'
    + "</details>```\n# 8/8 @everyone\n=HYPERLINK(1)"
)
print(REPORT * 100, flush=True)
raise RuntimeError(REPORT)
