"""Results as lines of JSON that are only ever added: a run that was killed goes on behind them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Record = dict[str, Any]


class Lines:
    """A file of records, the last of each key being the one that counts."""

    def __init__(self, path: Path, key: str) -> None:
        self.path, self.key = path, key
        self.records: dict[str, Record] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            self._read()

    def _read(self) -> None:
        for line in self.path.read_text(encoding="utf-8").splitlines():
            try:
                record = json.loads(line)
            except ValueError:  # the line that a kill cut off
                continue
            self.records[record[self.key]] = record

    def add(self, record: Record) -> None:
        """Keep a record, on disk as well."""
        self.records[record[self.key]] = record
        # The line feed comes first: what a kill has cut off then stays a line of its own. One write
        # for all of it: several processes add to the same file.
        line = "\n" + json.dumps(record, separators=(",", ":"))
        with self.path.open("ab", buffering=0) as stream:
            stream.write(line.encode())
