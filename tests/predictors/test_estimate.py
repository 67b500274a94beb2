"""What a prediction will take, and what is said where memory is too short."""

import re
from itertools import pairwise

import numpy as np
import pytest

import linkprior as lp
from linkprior.cli.options import make_model
from linkprior.errors import InputError
from linkprior.parallel import memory
from linkprior.predictors import estimate as module
from linkprior.predictors.cost import cost_of
from linkprior.predictors.estimate import (
    Estimate,
    estimate,
    expected_bytes,
    fitting_options,
    refuse_too_large,
    spell,
)
from linkprior.predictors.registry import MODELS


@pytest.fixture(autouse=True)
def same_machine(monkeypatch):
    """A machine as fast as the one costs were measured on."""
    monkeypatch.setattr(module, "machine_factor", lambda: 1.0)


@pytest.fixture(scope="module")
def sizes():
    return [
        lp.large_network(n_nodes=n, mean_degree=14, n_groups=6, seed=1) for n in (400, 1200, 2900)
    ]


@pytest.mark.parametrize("name", [*MODELS, "degree:l3", "consensus:pu"])
def test_larger_networks_take_more(name, sizes):
    for less, more in pairwise([estimate(lp.make(name), net) for net in sizes]):
        assert less.seconds < more.seconds
        assert less.bytes < more.bytes


def test_more_starts_and_steps_take_more(sizes):
    few, many = (lp.make("tri-degree", n_starts=n) for n in (2, 10))
    assert estimate(few, sizes[0]).seconds < estimate(many, sizes[0]).seconds
    assert estimate(few, sizes[0]).bytes < estimate(many, sizes[0]).bytes


def test_matrices_of_all_pairs_are_counted(sizes):
    """ADMM holds four p × p arrays of float32 for each start that runs, none when streaming."""
    net = sizes[-1]
    for workers, at_once in [(1, 1), (2, 2), (16, 3)]:
        for name in ("tri-degree", "tri-l1"):
            with lp.use_workers(workers):
                dense, streamed = (
                    expected_bytes(lp.make(name, solver=solver, n_starts=3), net)
                    for solver in ("admm", "streaming")
                )
            assert dense - streamed > at_once * 13 * net.n_nodes**2
            assert dense - streamed < at_once * 24 * net.n_nodes**2


def test_more_threads_take_less_time_and_a_slow_machine_more(sizes, monkeypatch):
    model = lp.make("tri")
    with lp.use_workers(1):
        alone = estimate(model, sizes[-1]).seconds
    with lp.use_workers(2):
        assert estimate(model, sizes[-1]).seconds < alone
    quick = estimate(model, sizes[0]).seconds
    monkeypatch.setattr(module, "machine_factor", lambda: 3.0)
    assert estimate(model, sizes[0]).seconds == pytest.approx(3 * quick)


def test_a_class_says_what_grows_with_what(sizes):
    net = sizes[0]
    d, p = net.degrees.astype(float), net.n_nodes
    cn, lrw = (cost_of(lp.make(name), net) for name in ("cn", "lrw"))
    assert cn.scores == pytest.approx(10.0 * (d @ d) + 2.2 * p**2)
    product = (
        0.42 * 2 * net.n_edges * p + 0.3 * p**2
    )  # of A with a dense matrix, for the third step
    assert lrw.scores == pytest.approx(10.0 * (d @ d) + 5.5 * p**2 + product)
    assert cost_of(lp.make("rnm"), net).memory == 55.0 * p**2
    assert cost_of(lp.make("l3"), lp.Network.from_edges([], nodes="ab")).scores == 0.0


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.2, "about 1 second"),
        (7.4, "about 7 seconds"),
        (89, "about 89 seconds"),
        (91, "about 2 minutes"),
        (3600, "about 60 minutes"),
        (9000, "about 2.5 hours"),
    ],
)
def test_times_in_words(seconds, said):
    assert spell(seconds) == said


def test_the_estimate_in_words(sizes):
    told = Estimate("tri-degree", 8245, 95.0, 2.8e8)
    assert told.text(3_000_000_000) == (
        "tri-degree on 8245 nodes: about 2 minutes, about 0.28 GB of memory (3.0 GB are free)"
    )
    assert told.text(None).endswith("about 0.28 GB of memory")
    with lp.use_memory("2G"):
        assert told.text(2_000_000_000).endswith("of memory (the limit is 2.0 GB)")
    filed = Estimate("tri-degree", 8245, 95.0, 2.8e8, 1.2e9)
    assert filed.text(None).endswith("0.28 GB of memory, 1.2 GB of disk for a while")


# ----------------------------------------------------------------------
# Too little memory is said before the work, with options that really would make it fit.


@pytest.fixture(scope="module")
def net():
    """Sizes are all that the estimates ask for."""
    ends = np.random.default_rng(1).integers(0, 2900, (20300, 2))
    edges = [*zip(range(2899), range(1, 2900), strict=True), *map(tuple, ends.tolist())]
    return lp.Network.from_edges(edge for edge in edges if edge[0] != edge[1])


def bytes_with(option, name, settings, net):
    """What the estimate says about a run with an option of the command line."""
    words = option.split()
    settings = [*settings, *(w for w in words if "=" in w)]
    if "--model" in words:
        name, settings = words[-1], []
    workers = int(words[-1]) if "--workers" in words else 4
    limit = words[-1] if "--memory-limit" in words else None
    with lp.use_workers(workers), lp.use_memory(limit):
        model = make_model(name, settings, 0)
        return expected_bytes(model, net), cost_of(model, net).disk


@pytest.mark.parametrize("room", [2.2e8, 2.5e8, 3.5e8, 4.5e8])
def test_every_option_offered_fits_by_the_estimate(net, room):
    settings = ["solver=admm", "n_starts=4", "rank=40"]
    with lp.use_workers(4):
        model = make_model("tri-degree", settings, 0)
        assert expected_bytes(model, net) > room
        offered = list(fitting_options(model, net, room))
    assert offered
    for option in offered:
        needed, disk = bytes_with(option, "tri-degree", settings, net)
        assert needed <= room, option
        assert (disk > 0) == ("--memory-limit" in option)


def test_more_room_never_offers_less(net):
    model = lp.make("tri-degree", solver="admm", n_starts=4)
    with lp.use_workers(4):
        counts = [
            len([o for o in fitting_options(model, net, room) if "--set" not in o])
            for room in (1e8, 2.2e8, 2.8e8, 4.5e8)
        ]
    assert counts == sorted(counts)
    assert counts[0] == 0 < counts[-1]


def test_nothing_is_offered_where_nothing_fits(net):
    with lp.use_memory("10M"), pytest.raises(InputError, match="10 MB. No setting of it would fit"):
        refuse_too_large(lp.make("pa"), net)


def test_two_settings_are_offered_where_one_is_too_little(net):
    model = lp.make("tri-degree", solver="admm", n_starts=40, rank=100)
    small = lp.make("tri-degree", solver="streaming", n_starts=1, rank=100)
    with lp.use_workers(1):
        room = expected_bytes(small, net) + 1e6
        assert "--set n_starts=1 --set solver=streaming" in list(fitting_options(model, net, room))


def test_the_limit_takes_the_place_of_free_memory(net, monkeypatch):
    monkeypatch.setattr("linkprior.machine.available_memory", lambda: 10**5)
    with pytest.raises(InputError, match="are free"):
        refuse_too_large(lp.make("tri"), net)
    with lp.use_memory("8G"):
        refuse_too_large(lp.make("tri"), net)
    monkeypatch.setattr("linkprior.machine.available_memory", lambda: 10**12)
    with lp.use_memory("1M"), pytest.raises(InputError, match="the limit is 1 MB"):
        refuse_too_large(lp.make("tri"), net)


def test_a_limit_in_force_is_not_offered_again(net):
    model = lp.make("tri-degree", solver="admm")
    with lp.use_memory("200M"), pytest.raises(InputError) as refused:
        refuse_too_large(model, net)
    assert "--memory-limit" not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_small_disk_is_refused_before_the_work(net, monkeypatch):
    model = lp.make("tri-degree", solver="admm", n_starts=1)
    with lp.use_workers(1), lp.use_memory("300M"):
        assert cost_of(model, net).disk > 4 * 4 * net.n_nodes**2
        refuse_too_large(model, net)
        monkeypatch.setattr(memory, "free_disk", lambda: 1e7)
        with pytest.raises(InputError, match=re.escape("0.01 GB free: set TMPDIR")):
            refuse_too_large(model, net)
