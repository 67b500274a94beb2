"""Words and arrows that stand between two nodes: pp, phosphorylates, ->."""

from __future__ import annotations

import re

# Words and codes Cytoscape and others put between two nodes.
_CODES = {"pp", "pd", "pr", "rc", "cr", "gl", "pm", "mp", "gg", "xx"}  # PP might be a gene
_WORDS = {
    "interacts", "interacts-with", "interacts with", "interaction", "physical", "genetic",
    "activates", "inhibits", "binds", "regulates", "predicted", "observed", "undirected",
    "directed", "in-complex-with",
    "controls-expression-of", "controls-state-change-of", "controls-phosphorylation-of",
    "catalysis-precedes", "neighbor-of", "coexpression", "colocalization", "binding", "targets",
    "induces", "suppresses", "stimulates", "cleaves", "transports", "associates", "expression",
}  # fmt: skip
# Verbs, and the nouns made of them, that names of nodes do not look like.
_VERBS = re.compile(
    r"[a-z_-]{0,40}(ylat|inat|ulat|ivat)(es|ion)|[a-z_-]{0,40}(ibits|ibition|presses|pression)"
    r"|[a-z_ -]{0,40}[_ -](with|of|by|to)"
)
_ARROW = re.compile(r"[-=<>|~+→←↔⊣⊢]{1,6}|-+o|o-+")


def is_relation(word: str) -> bool:
    """Tell whether a word says how two nodes are related, and is no node itself."""
    word = word.strip()
    low = word.lower()
    return word in _CODES or low in _WORDS or any(sign.fullmatch(low) for sign in (_ARROW, _VERBS))
