"""The source tree is what ``ARCHITECTURE.md`` says: every file is on its map, and every rule holds.

The checks themselves, and what each of them reports, are tested in ``test_map_rules.py``.
"""

from __future__ import annotations

from tests.support.repository import ROOT
from tests.support.source_map import Rules, violations

RULES = Rules(
    threads=frozenset({"parallel"}),
    files=frozenset({"atomic", "formats", "corpus", "counts", "token_files"}),
    unsafe=(
        "crates/subword-core/src/simd/",
        "crates/subword-core/src/mem/",
        "crates/subword-py/src/text.rs",
        "crates/subword-py/src/arrow/",
    ),
    shared=frozenset(
        {
            "subword._types",
            "subword._starting",
            "subword._whole_file",
            "subword._names",
            "subword._rows",
        }
    ),
)


def test_the_tree_keeps_the_rules_of_the_map() -> None:
    assert [str(one) for one in violations(ROOT, RULES)] == []
