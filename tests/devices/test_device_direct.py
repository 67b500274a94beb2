"""The streaming solver on a torch device against the same in NumPy."""

import numpy as np
import pytest

import linkprior as lp
from linkprior.model.losses import PoissonLoss, SquaredLoss
from linkprior.model.priors import DegreePrior, L1Prior, ScaleFreePrior
from linkprior.solvers.direct import DirectSolver

pytest.importorskip("torch", reason="torch is not installed: nothing runs on a device")
from linkprior.solvers.device import DeviceDirect


@pytest.fixture(scope="module")
def net():
    return lp.planted_network(90, seed=4)


@pytest.mark.parametrize("loss", [SquaredLoss(0.2), PoissonLoss(0.2)])
@pytest.mark.parametrize("kind", ["degree", "l1", "scale", "none"])
@pytest.mark.parametrize("height", [None, 13])
def test_fifteen_steps_agree_with_numpy(net, device, loss, kind, height):
    degree = DegreePrior(np.maximum(net.degrees, 1), alpha=0.5)
    prior = {"degree": degree, "l1": L1Prior(), "scale": ScaleFreePrior(1.0), "none": None}[kind]
    given = (net, loss, 6, prior, 0.05)
    solvers = DirectSolver(*given), DeviceDirect(*given, device=device, block_rows=height)
    states = [solver.init(np.random.default_rng(1)) for solver in solvers]
    for _ in range(15):
        states = [solver.step(one) for solver, one in zip(solvers, states, strict=True)]
    here, there = states[0].factors, solvers[1].back(states[1]).factors
    np.testing.assert_allclose(there.U, here.U, rtol=1e-4, atol=1e-5 * here.U.max())
    values = [s.measure(one).objective for s, one in zip(solvers, states, strict=True)]
    assert values[1] == pytest.approx(values[0], rel=1e-5)
