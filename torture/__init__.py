"""Kills, failing writes and two at once: what is kept survives them (docs/reliability.md)."""
