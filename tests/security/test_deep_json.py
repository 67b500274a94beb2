"""JSON that is nested without end is refused in one line, wherever JSON is kept."""

import contextlib

import pytest

from linkprior.errors import LinkpriorError
from linkprior.evaluation.tuning.study import mend
from linkprior.report.folder import folder_page

DEEP = "[" * 100_000 + "\n"


@pytest.mark.parametrize(
    "file",
    [
        *("run/manifest.json", "run/model/manifest.json", "run/input_report.json"),
        *("evaluation/results.json", "study/study.json", "study/journal.log"),
    ],
)
def test_a_result_that_is_nested_without_end_is_refused(copies, file):
    (copies / file).write_text(DEEP)
    with pytest.raises(LinkpriorError) as caught:
        folder_page(copies / file.partition("/")[0])
    assert "\n" not in str(caught.value)


def test_every_other_file_of_results_may_be_so_without_harm(copies):
    for path in sorted(copies.rglob("*.json")):
        whole = path.read_text(encoding="utf-8")
        path.write_text(DEEP)
        with contextlib.suppress(LinkpriorError):
            folder_page(copies / path.relative_to(copies).parts[0])
        path.write_text(whole, encoding="utf-8")


def test_a_journal_whose_last_line_is_so_is_cut_there(copies):
    journal = copies / "study" / "journal.log"
    whole = journal.read_bytes()
    journal.write_bytes(whole + DEEP.encode())
    assert mend(journal)
    assert journal.read_bytes() == whole
