"""Solvers on a torch device against the same in NumPy; on a GPU too where there is one."""

import numpy as np
import pytest

import linkprior as lp
from linkprior import kernels
from linkprior.model.losses import PoissonLoss, SquaredLoss
from linkprior.model.priors import DegreePrior, L1Prior, ScaleFreePrior
from linkprior.solvers.direct import DirectSolver
from linkprior.solvers.tri_admm import AdmmSolver

torch = pytest.importorskip("torch", reason="torch is not installed: nothing runs on a device")
from linkprior.kernels.torch import ops as torch_ops  # noqa: E402
from linkprior.solvers.device import DeviceAdmm, DeviceDirect  # noqa: E402


@pytest.fixture(scope="module")
def net():
    rng = np.random.default_rng(0)
    plain = lp.planted_network(90, seed=4)
    return plain.with_weights(rng.uniform(0.2, 1.0, plain.n_edges))


def make(cls, net, loss=None, passes=1, **more):
    degrees = np.maximum(net.degrees, 1)
    prior = DegreePrior(degrees, alpha=0.5)
    return cls(net, loss or SquaredLoss(0.2), 6, prior, 0.05, 1.0, passes=passes, **more)


@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize("loss", [SquaredLoss(0.2), PoissonLoss(0.2)])
def test_twenty_steps_agree_with_numpy(net, device, passes, loss):
    ours = make(DeviceAdmm, net, loss, passes, device=device)
    theirs = make(AdmmSolver, net, loss, passes)
    states = [solver.init(np.random.default_rng(1)) for solver in (ours, theirs)]
    for _ in range(20):
        states = [solver.step(one) for solver, one in zip((ours, theirs), states, strict=True)]
    one, other = ours.back(states[0]), states[1]
    np.testing.assert_allclose(one.factors.U, other.factors.U, rtol=1e-4, atol=1e-5)
    scale = np.abs(other.Q).max()
    np.testing.assert_allclose(one.Q, other.Q, atol=2e-4 * scale)
    measured = ours.measure(states[0]), theirs.measure(other)
    assert measured[0].objective == pytest.approx(measured[1].objective, rel=1e-5)


def test_ranks_on_a_device_are_those_of_the_portable_kernel(device):
    rng = np.random.default_rng(2)
    keys = rng.integers(-3, 4, (7, 20)).astype(np.float32)  # many ties
    scale, profile = rng.random(7).astype(np.float32), np.sort(rng.random(19)).astype(np.float32)
    expected = kernels.rank_penalty(keys, scale, profile, 5)
    ops = torch_ops.TorchOps(torch.device(device))
    found = torch_ops.rank_penalty(ops.put(keys), ops.put(scale), ops.put(profile), 5)
    np.testing.assert_array_equal(torch_ops.numpy_of(found), expected)


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
