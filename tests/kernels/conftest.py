"""One test text for both engines and both dtypes."""

import os

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, settings

from linkprior import _config

# Without compilation the kernels run as plain Python: right, but far too slow for large inputs.
UNCOMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")

RELAXED = settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def random_network(p, rng, share=0.2):
    upper = np.triu(rng.random((p, p)) < share, 1)
    return sp.csr_array((upper | upper.T).astype(float))


@pytest.fixture(autouse=True)
def same_kernels_afterwards():
    """A test may choose engines by `_config.set_fields`."""
    with _config.using(kernels=_config.current().kernels):
        yield


@pytest.fixture(params=["portable", "numba"])
def engine(request):
    """Run the test on this engine, whatever the size of its input."""
    _config.set_fields(kernels=request.param)
    return request.param


@pytest.fixture(params=[np.float32, np.float64], ids=["f4", "f8"])
def dtype(request):
    return request.param


@pytest.fixture(params=[1, 2, 3, 5, 50, 700])
def size(request, engine):
    if request.param > 50 and engine == "numba" and UNCOMPILED:
        pytest.skip("too slow without compilation")
    return request.param
