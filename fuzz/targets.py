"""Everything that is fuzzed, by name."""

from fuzz import readers, stored

TARGETS = {**readers.TARGETS, **stored.TARGETS}
