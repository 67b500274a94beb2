"""Everything that is fuzzed, by name."""

from __future__ import annotations

from fuzz import judgements, packings, readers, stored
from fuzz.target import Target

TARGETS: dict[str, Target] = {
    **readers.targets(),
    **packings.targets(),
    **stored.targets(),
    **judgements.targets(),
}
