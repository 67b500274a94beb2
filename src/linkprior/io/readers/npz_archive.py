"""The sparse matrix in an .npz archive, checked before anything of its declared size is made."""

from __future__ import annotations

import io
import math
import tokenize
import warnings
import zipfile
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkprior.errors import InputError
from linkprior.io.limits import VARIABLE, refuse_bomb, unpack_limit
from linkprior.io.readers.edge_output import Ints, square_size

_MOST = 2 << 30  # bytes of arrays, all of which are in memory at once
_PARTS = {
    "csr": ("data", "indices", "indptr"),
    "csc": ("data", "indices", "indptr"),
    "bsr": ("data", "indices", "indptr"),
    "dia": ("data", "offsets"),
    "coo": ("data", "row", "col"),
}
# What numpy and scipy raise on arrays that are not what they should be.
_PROBLEMS = (
    *(ValueError, TypeError, KeyError, IndexError, OverflowError, AttributeError, SyntaxError),
    tokenize.TokenError,
)

Kinds = dict[str, np.dtype[Any]]
Values = NDArray[Any]
Triple = tuple[Ints, Ints, Values]


def load_sparse(packed: bytes, file: str) -> tuple[Any, str]:
    """Return the entries of the matrix as COO, each place once, and the name of its layout.

    Indices are checked here: scipy follows wrong ones of an archive to anywhere in memory.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # arrays of Python 2 are read all the same
            kinds = _checked(packed, file)
            with np.load(io.BytesIO(packed), allow_pickle=False) as arrays:
                layout, n = _layout(arrays, kinds, file)
                parts = [arrays[key] for key in _PARTS[layout]]
        return _entries(layout, n, *parts), layout
    except InputError:
        raise
    except _PROBLEMS as problem:
        why = " ".join(str(problem).split())[:200]
        raise InputError(f"{file}: not a sparse matrix of scipy ({why}); get it again") from None


def _checked(packed: bytes, file: str) -> Kinds:
    """Return what each array holds, after a look at the sizes."""
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        if not any(name.endswith(".npy") for name in archive.namelist()):
            raise InputError(f"{file}: is packed twice (zip inside); unpack it once")
        unpacked = sum(member.file_size for member in archive.infolist())
        refuse_bomb(file, "zip", unpacked, len(packed))
        if unpacked > (unpack_limit() or _MOST):
            raise InputError(
                f"{file}: unpacks to {unpacked >> 20} MB, at most {_MOST >> 20} are read; write "
                f"the matrix as a tab-separated edge list, or set {VARIABLE}=SIZE"
            )
        return {
            member.filename.removesuffix(".npy"): _kind(archive, member, file)
            for member in archive.infolist()
        }


def _kind(archive: zipfile.ZipFile, member: zipfile.ZipInfo, file: str) -> np.dtype[Any]:
    """Return what an array holds; its header must not promise more than the archive has."""
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # Python unpacks others without a bound, and NumPy does not write them.
        raise InputError(f"{file}: {member.filename} is packed as NumPy packs none; save it again")
    with archive.open(member) as stream:
        version = np.lib.format.read_magic(stream)
        if version == (1, 0):
            shape, _, kind = np.lib.format.read_array_header_1_0(stream)
        else:
            shape, _, kind = np.lib.format.read_array_header_2_0(stream)
        held = member.file_size - stream.tell()
    if kind.hasobject:
        raise InputError(f"{file}: {member.filename} holds Python objects, which are never loaded")
    if min(shape, default=0) < 0 or math.prod(shape) * max(1, kind.itemsize) > held:
        raise InputError(f"{file}: {member.filename} declares more than it holds; get it again")
    return kind


def _layout(arrays: Any, kinds: Kinds, file: str) -> tuple[str, int]:
    """Return csr, csc, bsr, dia or coo, once all that belongs to it is there, and the size."""
    if "format" not in kinds or "shape" not in kinds:
        raise InputError(
            f"{file}: a NumPy archive without a sparse matrix: keys {', '.join(kinds)[:80]}; "
            "expected one written by scipy.sparse.save_npz"
        )
    layout, shape = arrays["format"].item(), arrays["shape"]
    layout = layout.decode("ascii", "replace") if isinstance(layout, bytes) else str(layout)
    missing = [key for key in _PARTS.get(layout, ()) if key not in kinds]
    if layout not in _PARTS or missing or shape.shape != (2,):
        raise InputError(
            f"{file}: expected a matrix of two dimensions as {', '.join(_PARTS)}; got "
            f"{layout[:20]!r}, shape {shape.tolist()!s:.40}, without {', '.join(missing) or 'gaps'}"
        )
    if any(kinds[key].kind not in "iu" for key in ("shape", *_PARTS[layout][1:])):
        raise InputError(f"{file}: a sparse matrix whose indices are no whole numbers")
    if kinds["data"].kind not in "biufc":
        raise InputError(f"{file}: a sparse matrix of {kinds['data']}, expected numbers")
    return layout, square_size(int(shape[0]), int(shape[1]), file)


def _entries(layout: str, n: int, data: Values, *indices: Values) -> Any:
    """Return the entries; zeros that a block or diagonal cannot do without are no entries."""
    if layout in ("csr", "csc"):
        major, minor = _expanded(n, *indices)
        values = _flat(data)[: len(major)]
        rows, columns = (major, minor) if layout == "csr" else (minor, major)
    elif layout == "bsr":
        rows, columns, values = _blocks(n, data, *indices)
    elif layout == "dia":
        rows, columns, values = _diagonals(n, data, *indices)
    else:
        values, rows, columns = _flat(data), *(_flat(part).astype(np.int64) for part in indices)
    entries = sp.coo_array((values, (rows, columns)), shape=(n, n))  # this one checks its indices
    entries.sum_duplicates()
    return entries


def _expanded(n_rows: int, indices: Values, pointers: Values) -> tuple[Ints, Ints]:
    """Return rows and columns of compressed rows."""
    indptr = _flat(pointers).astype(np.int64)
    sizes = np.diff(indptr)
    if len(indptr) != n_rows + 1 or indptr[0] != 0 or (sizes < 0).any():
        raise ValueError(f"the pointers do not cut the entries into {n_rows} rows")
    if indptr[-1] > len(_flat(indices)):
        raise ValueError("the pointers lead beyond the last entry")
    return np.repeat(np.arange(n_rows), sizes), indices[: indptr[-1]].astype(np.int64)


def _blocks(n: int, data: Values, indices: Values, pointers: Values) -> Triple:
    _, height, width = data.shape
    if not height or not width or n % height or n % width:
        raise ValueError(f"blocks of {height} × {width} do not fill the matrix")
    major, minor = _expanded(n // height, indices, pointers)
    if len(major) > len(data):
        raise ValueError("the pointers lead beyond the last block")
    block, row, column = np.nonzero(data[: len(major)])
    values = data[: len(major)][block, row, column]
    return major[block] * height + row, minor[block] * width + column, values


def _diagonals(n: int, data: Values, offsets: Values) -> Triple:
    """Return the entries inside the matrix; scipy would make room for whole diagonals."""
    at, columns = np.nonzero(data)
    rows = columns - _flat(offsets).astype(np.int64)[at]
    inside = (rows >= 0) & (rows < n) & (columns < n)
    return rows[inside], columns[inside], data[at, columns][inside]


def _flat(part: Values) -> Values:
    if part.ndim != 1:
        raise ValueError(f"an array of {part.ndim} dimensions, expected 1")
    return part
