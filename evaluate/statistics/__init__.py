"""Intervals, tests and corrections, for every suite."""
