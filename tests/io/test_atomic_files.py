"""Files and folders that replace others: links stay links, modes stay, loops are refused."""

import os
import stat

import pytest

import linkprior as lp
from linkprior.io import atomic_files

DEAD = "0123456789abcdef" * 2


def save(planted, folder, seed=0):
    lp.make("random", seed=seed).fit(planted).save(folder)
    return folder


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def bound(monkeypatch):
    """Folders of mode 0555 that nothing is removed from; modes do not stop root."""
    real = os.unlink

    def unlink(path, *, dir_fd=None):
        within = os.stat(dir_fd if dir_fd is not None else os.path.dirname(path) or ".")
        if not within.st_mode & stat.S_IWUSR:
            raise PermissionError(13, "Permission denied", path)
        real(path, dir_fd=dir_fd)

    monkeypatch.setattr(os, "unlink", unlink)


def test_a_model_saved_through_a_link_leaves_the_link(planted, tmp_path):
    save(planted, tmp_path / "real")
    (tmp_path / "link").symlink_to("real")
    save(planted, tmp_path / "link", seed=7)
    assert names(tmp_path) == ["link", "real"]
    assert (tmp_path / "link").is_symlink()
    assert lp.load(tmp_path / "real").get_params()["seed"] == 7


@pytest.mark.usefixtures("bound")
@pytest.mark.parametrize("exchanged", [True, False])
@pytest.mark.parametrize("its_mode", [0o700, 0o555])
def test_a_model_keeps_the_modes_of_the_one_it_replaces_and_nothing_is_left(
    planted, tmp_path, monkeypatch, exchanged, its_mode
):
    if not exchanged:
        monkeypatch.setattr(atomic_files, "exchange", lambda *_: False)
    model = save(planted, tmp_path / "model")
    (model / "arrays.safetensors").chmod(0o600)
    (model / "manifest.json").chmod(0o640)
    model.chmod(its_mode)
    save(planted, model, seed=7)
    assert names(tmp_path) == ["model"]
    assert lp.load(model).get_params()["seed"] == 7
    assert mode(model) == its_mode
    assert mode(model / "arrays.safetensors") == 0o600
    assert mode(model / "manifest.json") == 0o640


def test_a_model_that_replaces_a_private_one_is_private_while_it_is_written(
    planted, tmp_path, monkeypatch
):
    model = save(planted, tmp_path / "model")
    for path in (model, *model.iterdir()):
        path.chmod(0o700 if path is model else 0o600)
    seen, real = [], os.fsync

    def look(descriptor):
        fresh = next(tmp_path.glob(".model.*.part"))
        seen.extend(mode(path) & 0o077 for path in (fresh, *fresh.iterdir()))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", look)
    save(planted, model, seed=7)
    assert len(seen) == 5
    assert set(seen) == {0}


def test_a_file_that_replaces_a_private_one_is_private_from_the_start(tmp_path):
    (tmp_path / "links.tsv").write_text("mine")
    (tmp_path / "links.tsv").chmod(0o600)
    with atomic_files.whole_file(tmp_path / "links.tsv") as stream:
        assert mode(next(tmp_path.glob(".links.tsv.*.part"))) == 0o600
        stream.write("mine, too")
    assert mode(tmp_path / "links.tsv") == 0o600


def test_a_file_that_may_not_be_written_to_keeps_its_mode(tmp_path):
    (tmp_path / "links.tsv").write_text("old")
    (tmp_path / "links.tsv").chmod(0o440)
    with atomic_files.whole_file(tmp_path / "links.tsv") as stream:
        stream.write("new")
    assert (tmp_path / "links.tsv").read_text() == "new"
    assert mode(tmp_path / "links.tsv") == 0o440


@pytest.mark.usefixtures("bound")
def test_a_read_only_folder_that_a_dead_process_left_is_swept(tmp_path):
    left = tmp_path / f".model.{DEAD}.part"
    left.mkdir()
    (left / "arrays.safetensors").write_text("half")
    left.chmod(0o555)
    atomic_files.sweep(tmp_path)
    assert names(tmp_path) == []


def test_a_path_without_links_and_a_link_that_leads_back_to_itself(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "link").symlink_to("deeper/file")
    assert atomic_files.resolved(tmp_path / "link") == tmp_path.resolve() / "deeper" / "file"
    for name in ("loop", "loop/file"):
        with pytest.raises(OSError, match="symbolic links") as told:
            atomic_files.resolved(tmp_path / name)
        assert told.value.filename == str(tmp_path / name)
    with pytest.raises(OSError, match="symbolic links"), atomic_files.whole_file(tmp_path / "loop"):
        pass
    assert (tmp_path / "loop").is_symlink()
