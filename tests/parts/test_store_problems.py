"""Problems that stand beside a document, and those that stand for one."""

from __future__ import annotations

import numpy as np
import pytest

from hunch.model import Kind, Problem
from hunch.ranking.terms import count_terms
from hunch.store import documents, sources
from hunch.store.documents import NewDocument, Stamp, UnreadFile
from hunch.store.postings import Postings
from support.engine_store import memory

STAMP = Stamp(1, 2, b"h")
POOR = Problem("a.py", "cut into blocks", "not understood")
FAILED = Problem("a.py", "not even that", "failed")


def document(problem: Problem | None) -> NewDocument:
    """Make a document without chunks."""
    return NewDocument("a.py", STAMP, "python", Kind.CODE, (), (), np.zeros((0, 3)), problem)


@pytest.mark.parametrize("problem", [POOR, FAILED])
def test_a_problem_stands_beside_its_document(problem: Problem) -> None:
    """It is counted and listed, is none that discovery has to know, and goes when all is well."""
    connection = memory()
    nothing = Postings(*count_terms([])[0])
    documents.write_documents(connection, 1, [document(problem)], nothing)
    ((_, found),) = sources.list_problems(connection, [1])
    assert (found.path, found.reason, found.state) == (problem.path, problem.reason, problem.state)
    assert sources.count_problems(connection, [1]) == {problem.state: 1}
    assert documents.stamps(connection, 1) == {"a.py": STAMP}
    assert documents.unread_stamps(connection, 1) == {"a.py": STAMP}
    assert documents.skipped_files(connection, 1) == {}
    documents.write_documents(connection, 1, [document(None)], nothing)
    assert sources.list_problems(connection, [1]) == []
    assert documents.stamps(connection, 1) == {"a.py": STAMP}


def test_a_file_that_is_skipped_later_has_the_later_problem() -> None:
    """A document that was not understood and became binary is skipped, and that alone."""
    connection = memory()
    nothing = Postings(*count_terms([])[0])
    documents.write_documents(connection, 1, [document(POOR)], nothing)
    documents.write_unread(connection, 1, [UnreadFile(Problem("a.py", "binary"), STAMP)])
    assert sources.count_problems(connection, [1]) == {"skipped": 1}
    assert documents.stamps(connection, 1) == {}
