"""A memory limit: how it is written, and p × p arrays in files with the same result."""

import mmap
import os
from pathlib import Path

import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import InputError, LinkpriorError, ParameterError
from linkprior.parallel import memory


@pytest.mark.parametrize(
    ("given", "size"),
    [
        ("2G", 2 * 10**9),
        ("500M", 5 * 10**8),
        ("1.5 GB", 15 * 10**8),
        ("512MiB", 512 * 2**20),
        ("3gib", 3 * 2**30),
        ("0.002t", 2 * 10**9),
        ("4000000", 4 * 10**6),
        ("4000 kB", 4 * 10**6),
        (7_000_000, 7_000_000),
    ],
)
def test_sizes_are_read_as_people_write_them(given, size):
    assert memory.memory_size(given) == size


@pytest.mark.parametrize(
    "given", ["", "2X", "-1G", "G", "nan", "1e9", "5", 10, True, 2.5e9, "9" * 99]
)
def test_what_is_no_size_is_refused(given):
    with pytest.raises(ParameterError, match="such as 500M or 2G"), lp.use_memory(given):
        pass


def test_the_limit_is_in_force_within_the_body_only(monkeypatch):
    monkeypatch.setattr("linkprior.machine.available_memory", lambda: 123)
    assert memory.memory_limit() is None
    assert memory.memory_room() == 123
    with lp.use_memory("3G"):
        assert memory.memory_room() == memory.memory_limit() == 3 * 10**9
        with lp.use_memory(None):
            assert memory.memory_limit() == 3 * 10**9
    assert memory.memory_limit() is None


# ---- matrices in files -------------------------------------------------------------------------


def mapped_into(folder):
    """The lines of this process's memory map that lie in files of a folder."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    return [line for line in lines if f" {folder}/" in line]


linux = pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="asks /proc")


@linux
def test_matrices_in_files_hold_what_is_written_after_rows_were_let_go_of(tmp_path):
    with lp.use_memory("1M", tmp_path):
        (one,) = memory.matrices(1, 700, np.float32, on_disk=True)
    assert one.shape == (700, 700)
    assert not one.any()
    assert len(mapped_into(tmp_path)) == 1
    expected = np.random.default_rng(0).random((700, 700), dtype=np.float32)
    one[:] = expected
    for start, stop in [(0, 3), (3, 699), (650, 700), (0, 700), (5, 5)]:
        memory.release(one, start, stop)
        np.testing.assert_array_equal(one, expected)
    assert list(tmp_path.iterdir()) == []  # the file has no name
    del one
    assert mapped_into(tmp_path) == []


@linux
def test_rows_that_were_let_go_of_take_no_memory(tmp_path):
    def resident():
        status = Path("/proc/self/status").read_text()
        return int(status.split("RssFile:")[1].split()[0])

    with lp.use_memory("1M", tmp_path):
        (one,) = memory.matrices(1, 4000, np.float32, on_disk=True)
    before = resident()
    one[:] = 1
    assert resident() > before + 50_000
    memory.release(one, 0, 4000)
    assert resident() < before + 5_000


def test_matrices_in_memory_are_plain_arrays():
    one, other = memory.matrices(2, 5, np.float64, on_disk=False)
    assert one.base is None
    memory.release(one, 0, 5)
    assert one is not other


def test_a_disk_that_fills_up_meanwhile_is_one_clear_line(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with lp.use_memory("1M", tmp_path), pytest.raises(LinkpriorError) as problem:
        memory.matrices(4, 100, np.float32, on_disk=True)
    assert "No space left on device" in str(problem.value)
    assert "TMPDIR" in str(problem.value)
    assert "\n" not in str(problem.value)
    assert list(tmp_path.iterdir()) == []


def test_a_disk_too_small_is_refused_before_anything_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(
        memory.shutil, "disk_usage", lambda _: memory.shutil._ntuple_diskusage(9, 8, 1)
    )
    monkeypatch.setattr(mmap, "mmap", None)
    with lp.use_memory("1M", tmp_path), pytest.raises(InputError, match="0.00016 GB do not fit"):
        memory.matrices(4, 100, np.float32, on_disk=True)


def test_a_folder_that_is_memory_itself_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "file_system", lambda _: "tmpfs")
    with lp.use_memory("1M", tmp_path), pytest.raises(InputError, match="is held in memory"):
        memory.matrices(1, 100, np.float32, on_disk=True)


@linux
def test_the_file_system_is_that_of_the_nearest_mount():
    assert memory.file_system(Path("/proc/self")) == "proc"
    assert memory.file_system(Path("/")) not in ("", "proc")


# ---- the same result ---------------------------------------------------------------------------


def learned(name, net, limit, folder, **params):
    with lp.use_memory(limit, folder), lp.use_workers(2):
        model = lp.make(name, solver="admm", rank=4, max_iter=4, **params).fit(net)
        return model, model.predict_edges(200)


@linux
@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("tri-degree", {"n_starts": 3, "warmup": 3}),
        ("tri-degree", {"n_starts": 2, "warmup": 0, "rank_by": "x"}),
        ("tri-degree", {"n_starts": 2, "average": "scores"}),
        ("tri-l1", {"n_starts": 2}),
        ("tri-scale", {"n_starts": 1}),
    ],
)
@pytest.mark.parametrize("nodes", [120, 700])  # portable kernels, and compiled ones
def test_files_give_the_same_bytes_as_memory(name, params, nodes, tmp_path):
    net = lp.planted_network(nodes, n_groups=4, mean_degree=8, seed=2)
    plain, expected = learned(name, net, None, None, **params)
    filed, found = learned(name, net, "1M", tmp_path, **params)
    assert plain.learned_.arrays.keys() == filed.learned_.arrays.keys()
    for key, array in plain.learned_.arrays.items():
        assert array.tobytes() == filed.learned_.arrays[key].tobytes(), key
    assert plain.learned_.facts == filed.learned_.facts
    np.testing.assert_array_equal(found.pairs, expected.pairs)
    np.testing.assert_array_equal(found.scores, expected.scores)
    if name == "tri-degree":  # its scores are a matrix of all pairs
        matrices = "XZ" if params.get("rank_by") == "x" else "Q"
        assert len(mapped_into(tmp_path)) == len(matrices)
        for key in matrices:
            assert isinstance(filed.learned_.arrays[key].base, mmap.mmap)
    del filed
    assert mapped_into(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


@linux
def test_nothing_is_left_after_an_error(tmp_path, monkeypatch):
    from linkprior import kernels

    net = lp.planted_network(300, n_groups=4, seed=2)
    calls = []

    def broken(*arguments):
        calls.append(len(mapped_into(tmp_path)))
        if len(calls) > 9:
            raise RuntimeError("in the middle")
        return split(*arguments)

    split = kernels.split_rows
    monkeypatch.setattr(kernels, "split_rows", broken)
    with pytest.raises(RuntimeError, match="in the middle") as problem:
        learned("tri-degree", net, "1M", tmp_path, n_starts=1)
    assert calls[0] == 4
    del problem  # the traceback holds the frames, and these the arrays
    assert mapped_into(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_starts_are_kept_without_their_matrices():
    net = lp.planted_network(300, n_groups=4, seed=2)
    model = lp.make("tri-degree", solver="admm", rank=3, n_starts=1, warmup=2, max_iter=2)
    run = model._fit_start(net, np.random.default_rng(0), 1)
    assert set(vars(run.state)) == {"factors", "prior"}


def test_starts_side_by_side_all_use_files_where_one_alone_would_fit(tmp_path, monkeypatch):
    from linkprior.predictors import cost, tri

    net = lp.planted_network(300, n_groups=4, seed=2)
    model = lp.make("tri-l1", solver="admm", rank=3, n_starts=2, max_iter=2)
    used = []

    def recording(*arguments, on_disk, **more):
        used.append(on_disk)
        return usual(*arguments, on_disk=on_disk, **more)

    usual = tri.AdmmSolver
    monkeypatch.setattr(tri, "AdmmSolver", recording)
    with lp.use_workers(2):
        thin = cost.network_bytes(net) + model._factor_bytes(net)
    one = tri.ADMM_BYTES * net.n_nodes**2
    for share, on_disk in ((1.5, True), (2.5, False)):
        with lp.use_memory(int(thin + share * one), tmp_path), lp.use_workers(2):
            model.fit(net)
        assert used[-2:] == [on_disk, on_disk]
