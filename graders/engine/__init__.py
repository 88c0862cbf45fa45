"""The engine: load a submission, run it apart, judge it, score it, report it. It names no exercise."""
