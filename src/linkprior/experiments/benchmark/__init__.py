"""The benchmark: every model on every network of a suite, on the same splits, and its tables."""
