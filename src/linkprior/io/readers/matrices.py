"""Adjacency matrices: Matrix Market text and the .npz of scipy.sparse; all but zeros are edges."""

from __future__ import annotations

import io
import math
import re
import tokenize
import warnings
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linkprior.errors import InputError
from linkprior.io.collector import EdgeCollector, no_weights
from linkprior.io.formats import ReadOptions
from linkprior.io.readers.graphs import Ints, each_once, hand_over_numbered, refuse_too_many
from linkprior.io.source import (
    UNPACK_VARIABLE,
    Lines,
    Source,
    first_line,
    full_lines,
    refuse_bomb,
    unpack_limit,
    without_comments,
)
from linkprior.network.side_information import Floats, weight_numbers

_LARGEST_NPZ = 1 << 30
_MOST_DENSE = 100_000
_VALUES = "values of the matrix"
_ZERO = "an entry of value 0: no edge"
# Fortran writes 1.0D+00.
_NUMBER = r"[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eEdD][+-]?\d+)?|nan|inf|NaN|Inf|NAN|INF)"
_FIELDS = ("real", "double", "integer", "unsigned-integer", "complex", "pattern")
_SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")


def read_matrix_market(source: Source, out: EdgeCollector, options: ReadOptions) -> str:
    """Read a Matrix Market file, coordinate or array; nodes are named by number, from 1."""
    options.refuse_others("Matrix Market", ["weights"])
    header, chunks = _opened(source)
    if options.weights is not None:
        for kind in (header.field, header.symmetry):
            if kind in ("pattern", "complex", "skew-symmetric"):
                raise no_weights(source.name, f"Matrix Market, {kind},")
    out.weigh_by_the_only(options.weights, _VALUES)
    parts, weights = [np.empty((0, 2), np.int64)], [np.empty(0)]
    taken = 0
    for chunk in chunks:
        numbers, lines = chunk
        if taken + len(lines) > header.entries:
            extra = numbers[header.entries - taken]
            raise InputError(
                f"{source.name}:{extra}: more than the {header.entries} entries declared"
            )
        ends, values = _entries(chunk, header, taken, out)
        parts.append(ends)
        weights.append(values)
        taken += len(lines)
    if taken < header.entries:
        raise InputError(
            f"{source.name}: declares {header.entries} entries, the file has {taken}: it was cut "
            "off; get it again"
        )
    n = header.n_nodes
    ends, weighed, _ = each_once(out, np.concatenate(parts), np.concatenate(weights))
    hand_over_numbered(out, n, ends, weights=weighed)
    return f"Matrix Market, {header.layout} {header.field} {header.symmetry}, {n:,} × {n:,}"


def read_npz(source: Source, out: EdgeCollector, options: ReadOptions) -> str:
    """Read a sparse matrix of `scipy.sparse.save_npz`; nodes are named by number, from 0."""
    options.refuse_others("npz", ["weights"])
    out.weigh_by_the_only(options.weights, _VALUES)
    entries, layout = load_sparse(source.whole(_LARGEST_NPZ), source.name)
    n = int(entries.shape[0])
    if not np.isfinite(entries.data).all():
        raise InputError(f"{source.name}: the matrix holds NaN or infinity; remove such entries")
    full = entries.data != 0
    if not full.all():
        out.dropped[_ZERO].count += int((~full).sum())
    ends = np.stack([entries.row[full], entries.col[full]], axis=1).astype(np.int64)
    values = entries.data[full]
    if out.weights is not None:
        values = weight_numbers(
            values, lambda at: f"{out.file}: row {ends[at, 0]}, column {ends[at, 1]}"
        )
    once, weighed, _ = each_once(out, ends, values)
    hand_over_numbered(out, n, once, first=0, weights=weighed)
    return f"sparse matrix of scipy.sparse ({layout}), {n:,} × {n:,}"


def _square_size(rows: int, columns: int, where: str) -> int:
    """Return the number of nodes of a square matrix that is not too large."""
    if rows != columns:
        raise InputError(
            f"{where}: a rectangular matrix of {rows} × {columns} (a bipartite network?), expected "
            "a square one; write it as an edge list of row and column names"
        )
    refuse_too_many(rows, where)
    return rows


# ---------------------------------------------------------------------- Matrix Market


@dataclass(frozen=True)
class _Header:
    """What the first lines of a Matrix Market file declare."""

    layout: str
    field: str
    symmetry: str
    n_nodes: int
    entries: int

    @property
    def places(self) -> int:
        """How many numbers of a line say where its value stands."""
        return 2 if self.layout == "coordinate" else 0

    @property
    def width(self) -> int:
        """How many numbers a line has."""
        return self.places + {"pattern": 0, "complex": 2}.get(self.field, 1)


def _opened(source: Source) -> tuple[_Header, Iterator[Lines]]:
    """Return the header, and the lines after it."""
    at, line, parts = first_line(full_lines(source))
    words = line.lower().split()
    layout, field, symmetry = (words + [""] * 5)[2:5]
    fits = layout in ("coordinate", "array") and field in _FIELDS and symmetry in _SYMMETRIES
    if words[:2] != ["%%matrixmarket", "matrix"] or len(words) != 5 or not fits:
        raise InputError(
            f"{source.name}:{at or 1}: expected a first line such as %%MatrixMarket matrix "
            f"coordinate real symmetric, got {line[:80]!r}"
        )
    bare = (without_comments(part, "%") for part in parts)
    at, line, below = first_line(part for part in bare if part[1])
    if not line:
        raise InputError(f"{source.name}: ends before the line of its size; get it again")
    return _sized(layout, field, symmetry, line, f"{source.name}:{at}"), below


def _sized(layout: str, field: str, symmetry: str, line: str, where: str) -> _Header:
    words = line.split()
    needed = 3 if layout == "coordinate" else 2
    if len(words) != needed or not all(re.fullmatch("[0-9]{1,18}", word) for word in words):
        what = "rows, columns and entries" if needed == 3 else "rows and columns"
        raise InputError(f"{where}: expected the numbers of {what}, got {line.strip()[:60]!r}")
    n, *entries = _square_size(int(words[0]), int(words[1]), where), *map(int, words[2:])
    if layout == "array":
        if n > _MOST_DENSE or field == "pattern":
            raise InputError(
                f"{where}: an array of {n} × {n} {field} values, expected coordinates of entries; "
                "write the matrix as sparse"
            )
        entries = [
            {"general": n * n, "skew-symmetric": n * (n - 1) // 2}.get(symmetry, n * (n + 1) // 2)
        ]
    return _Header(layout, field, symmetry, n, entries[0])


def _entries(chunk: Lines, header: _Header, taken: int, out: EdgeCollector) -> tuple[Ints, Floats]:
    """Return the edges of a chunk that comes after `taken` entries, with weights if asked for."""
    numbers = _numbers(chunk, header, out.file)
    lines = np.array(chunk[0], dtype=np.int64)
    cells = numbers[:, header.places :]
    bad = lines[~np.isfinite(cells).all(axis=1)]
    if len(bad):
        raise InputError(f"{out.file}:{bad[0]}: NaN or infinity; remove such entries")
    full = cells.any(axis=1) | (header.field == "pattern")
    if header.layout == "array":
        ends = np.stack(_places(taken + np.flatnonzero(full), header), axis=1) + 1
    else:
        out.drop(_ZERO, lines[~full].tolist())
        ends = numbers[full, : header.places].astype(np.int64)
    weights = out.weights.numbers(cells[full, 0], lines[full]) if out.weights else np.empty(0)
    return ends, weights


def _numbers(chunk: Lines, header: _Header, file: str) -> Floats:
    """Return the numbers of a chunk, a row per line; refuse a line that is not as declared."""
    lines, text = chunk[1], " ".join(chunk[1])
    words = text.split()
    # Python takes 1_000 and digits of other scripts, too. All words at once: files are large.
    plain = len(words) == header.width * len(lines) and text.isascii() and "_" not in text
    ends = ("".join(words[at :: header.width]) for at in range(header.places))
    try:
        if not plain or not all(map(str.isdigit, ends)):
            raise ValueError("an odd line")
        numbers = np.fromiter(map(float, words), np.float64, len(words))
    except ValueError:  # an odd line, or numbers as Fortran writes them: 1.0D+00
        _refuse_odd(chunk, header, file)
        words = text.replace("D", "E").replace("d", "e").split()
        numbers = np.fromiter(map(float, words), np.float64, len(words))
    rows = numbers.reshape(-1, header.width)
    _refuse_beyond(rows[:, : header.places], chunk, header.n_nodes, file)
    return rows


def _refuse_odd(chunk: Lines, header: _Header, file: str) -> None:
    """Refuse a line that is not what the header says."""
    places, width = header.places, header.width
    cells = r"\s+".join([r"\d+"] * places + [_NUMBER] * (width - places))
    shape = re.compile(rf"\s*{cells}\s*", re.ASCII)
    for number, line in zip(*chunk, strict=True):
        if not shape.fullmatch(line):
            ends = line.split()[:places]
            rule = "with a point for decimals"
            if len(line.split()) == width and not all(end.isdecimal() for end in ends):
                rule = "whole ones for row and column"
            raise InputError(
                f"{file}:{number}: expected {width} number{'s' * (width > 1)} ({header.layout} "
                f"{header.field}), {rule}, got {line.strip()[:60]!r}"
            )


def _refuse_beyond(ends: Floats, chunk: Lines, n_nodes: int, file: str) -> None:
    """Refuse an entry that lies outside the matrix."""
    outside = (ends < 1) | (ends > n_nodes)
    if outside.any():
        at = int(np.flatnonzero(outside.any(axis=1))[0])
        what = f"{'Row' if outside[at, 0] else 'Column'} index out of bounds"
        if ends[at].max() >= 1 << 31:
            what = "Integer out of range"
        raise InputError(f"{file}:{chunk[0][at]}: {what}, got {chunk[1][at].strip()[:60]!r}")


def _places(at: Ints, header: _Header) -> tuple[Ints, Ints]:
    """Return rows and columns of values given column by column, or the part below the diagonal."""
    n = header.n_nodes
    if header.symmetry == "general":
        return at % n, at // n
    below = int(header.symmetry == "skew-symmetric")
    heights: NDArray[np.int64] = n - below - np.arange(n, dtype=np.int64)
    starts = np.cumsum(heights) - heights
    columns = np.searchsorted(starts, at, side="right") - 1
    return at - starts[columns] + columns + below, columns


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


def load_sparse(packed: bytes, file: str) -> tuple[Any, str]:
    """Return the entries of the matrix as COO, each place once, and the name of its layout.

    Indices are checked here: scipy follows wrong ones of an archive to anywhere in memory, and
    its own full check lets some of them through.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # arrays of Python 2 are read all the same
            kinds = _checked_archive(packed, file)
            with np.load(io.BytesIO(packed), allow_pickle=False) as arrays:
                layout, n = _layout(arrays, kinds, file)
                parts = [arrays[key] for key in _PARTS[layout]]
        return _archive_entries(layout, n, *parts), layout
    except InputError:
        raise
    except _PROBLEMS as problem:
        why = " ".join(str(problem).split())[:200]
        raise InputError(f"{file}: not a sparse matrix of scipy ({why}); get it again") from None


def _checked_archive(packed: bytes, file: str) -> Kinds:
    """Return what each array holds, after a look at the sizes."""
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        if not any(name.endswith(".npy") for name in archive.namelist()):
            raise InputError(f"{file}: is packed twice (zip inside); unpack it once")
        unpacked = sum(member.file_size for member in archive.infolist())
        refuse_bomb(file, "zip", unpacked, len(packed))
        if unpacked > (unpack_limit() or _MOST):
            raise InputError(
                f"{file}: unpacks to {unpacked >> 20} MB, at most {_MOST >> 20} are read; write "
                f"the matrix as a tab-separated edge list, or set {UNPACK_VARIABLE}=SIZE"
            )
        return {
            member.filename.removesuffix(".npy"): _array_kind(archive, member, file)
            for member in archive.infolist()
        }


def _array_kind(archive: zipfile.ZipFile, member: zipfile.ZipInfo, file: str) -> np.dtype[Any]:
    """Return what an array holds; its header must not promise more than the archive has."""
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # Python unpacks others without a bound, and NumPy does not write them.
        raise InputError(
            f"{file}: {member.filename} is packed in a way that NumPy does not use; save it again"
        )
    with archive.open(member) as stream:
        old = np.lib.format.read_magic(stream) == (1, 0)
        form = np.lib.format
        shape, _, kind = (form.read_array_header_1_0 if old else form.read_array_header_2_0)(stream)
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
        raise InputError(f"{file}: a sparse matrix whose indices are not whole numbers")
    if kinds["data"].kind not in "biufc":
        raise InputError(f"{file}: a sparse matrix of {kinds['data']}, expected numbers")
    return layout, _square_size(int(shape[0]), int(shape[1]), file)


def _archive_entries(layout: str, n: int, data: Values, *indices: Values) -> Any:
    """Return the entries; zeros that a block or diagonal cannot do without are no entries."""
    if layout in ("csr", "csc"):
        major, minor = _expanded(n, *indices)
        values = _flat(data)[: len(major)]
        rows, columns = (major, minor) if layout == "csr" else (minor, major)
    elif layout == "bsr":
        _, height, width = data.shape
        if not height or not width or n % height or n % width:
            raise ValueError(f"blocks of {height} × {width} do not fill the matrix")
        major, minor = _expanded(n // height, *indices)
        if len(major) > len(data):
            raise ValueError("the pointers lead beyond the last block")
        block, row, column = np.nonzero(data[: len(major)])
        values = data[: len(major)][block, row, column]
        rows, columns = major[block] * height + row, minor[block] * width + column
    elif layout == "dia":  # those inside the matrix; scipy would make room for whole diagonals
        at, columns = np.nonzero(data)
        rows = columns - _flat(indices[0]).astype(np.int64)[at]
        inside = (rows >= 0) & (rows < n) & (columns < n)
        rows, columns, values = rows[inside], columns[inside], data[at, columns][inside]
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


def _flat(part: Values) -> Values:
    if part.ndim != 1:
        raise ValueError(f"an array of {part.ndim} dimensions, expected 1")
    return part
