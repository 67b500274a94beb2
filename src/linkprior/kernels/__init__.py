"""Arrays in, arrays out: the inner loops over one block of rows, a file per family of them.

A *block* is a run of consecutive rows of a square p × p score matrix; `first` is the index of its
first row, so that the diagonal of block row r is column ``first + r``. ``first = -1`` says that the
rows belong to no square matrix and that no column is special. Scores are float32 or float64 and
free of NaN. Every kernel is serial and releases the GIL: threads map over blocks, and since no
kernel looks beyond its block, results do not depend on their number.

Each kernel is a function that checks what it is given and says in NumPy what it does; where a
network is worth it (`_engine.use_numba`), the compiled text below does the same faster.
``LINKPRIOR_KERNELS=portable|numba|auto`` picks the engine; *auto* takes NumPy for networks so small
that compiled code would not pay. The choice depends on the network's size only.
"""

from __future__ import annotations

from linkprior.kernels._jit import seconds_compiling
from linkprior.kernels.bins import Bins, count_bins, rank_features
from linkprior.kernels.lookup import lookup_penalty, sketch_above, weights_at
from linkprior.kernels.nonnegative import descend_coordinates
from linkprior.kernels.pairs import edge_products, top_pairs
from linkprior.kernels.paths import (
    ch2_rows,
    l3_partners,
    l3_rows,
    l3n_rows,
    list_triangles,
    mps_rows,
)
from linkprior.kernels.rank_counts import above_and_equal, count_above, tally, tally_nodes
from linkprior.kernels.solver_rows import descend_rows, linearise_rows, split_rows
from linkprior.kernels.sort import argsort_rows, rank_penalty, row_quantiles
from linkprior.kernels.stack_sums import StackWeights, stack_sums
