"""Random and damaged files for everything that reads: only our own errors (docs/reliability.md)."""
