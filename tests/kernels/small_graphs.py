"""Small graphs as kernels take them."""

import networkx as nx
import numpy as np


def pattern_of(graph):
    """Return row ends and columns of a graph, and the neighbours of each node as a set."""
    a = nx.to_scipy_sparse_array(graph, nodelist=sorted(graph), format="csr")
    a.sort_indices()
    near = [set(a.indices[a.indptr[i] : a.indptr[i + 1]].tolist()) for i in range(a.shape[0])]
    return a.indptr.astype(np.int64), a.indices.astype(np.int32), near
