"""The random baseline: the peer that ignores the network."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkprior._validation import whole_number
from linkprior.network import Network
from linkprior.network.pairs import Ints
from linkprior.predictors.base import Array, Learned, LinkPredictor

Words = NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # the constants of splitmix64
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@dataclass(eq=False, kw_only=True)
class Random(LinkPredictor):
    """random: a number in [0, 1) for each pair, drawn at random: the random baseline.

    It is a hash of the seed and the two node numbers (splitmix64), so that a pair has the same
    score however it is asked for. The edges play no part.

    Parameters
    ----------
    seed
        Chooses the draw: another seed, another order of all pairs.
    """

    name = "random"
    summary_line = "a random number for each pair: the random baseline"
    search_space = {}
    scores_pairs_alone = True
    fit_time = {"nodes": 1.0}
    score_time = {"entries": 8.0}
    seed: int = 0

    def _fit(self, network: Network) -> Learned:
        seed = whole_number("seed", self.seed, 0)
        key = np.random.SeedSequence(seed).generate_state(1, np.uint64)
        return Learned({"streams": _mixed(key + _place(np.arange(network.n_nodes)))})

    def _rows(self, start: int, stop: int) -> Array:
        streams, nodes = self.learned_.arrays["streams"], np.arange(self.network_.n_nodes)
        block = np.empty((stop - start, len(nodes)))
        for at, node in enumerate(range(start, stop)):  # by rows: a row stays in the cache
            first = np.where(nodes < node, streams, streams[node])
            block[at] = _uniform(first, np.maximum(nodes, node))
        return block

    def _pairs(self, pairs: Ints) -> Array:
        return _uniform(self.learned_.arrays["streams"][pairs[:, 0]], pairs[:, 1])


def _uniform(streams: Words, others: Ints) -> Array:
    """Return numbers in [0, 1): the draw of the larger node from the smaller node's stream."""
    draws = _mixed(streams + _place(others))
    return (draws >> np.uint64(11)) * 2.0**-53


def _place(nodes: Ints) -> Words:
    """Return the position of a node's draw in a stream; words wrap around at 2⁶⁴, as intended."""
    return (nodes.astype(np.uint64) + np.uint64(1)) * _GOLDEN


def _mixed(words: Words) -> Words:
    """Scramble 64-bit words in place: splitmix64's last step, which is one to one."""
    words ^= words >> np.uint64(30)
    words *= _FIRST
    words ^= words >> np.uint64(27)
    words *= _SECOND
    words ^= words >> np.uint64(31)
    return words
