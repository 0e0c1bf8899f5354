"""The source tree is what ``ARCHITECTURE.md`` says: every file is on its map, and every rule holds.

The checks themselves, and what each of them reports, are tested in ``test_map_rules.py``.
"""

from __future__ import annotations

from tests.support.repository import ROOT
from tests.support.source_map import Rules, is_below, violations

RULES = Rules(
    threads=frozenset({"parallel"}),
    files=frozenset({"formats", "corpus", "counts", "token_files"}),
    unsafe=(
        "crates/subword-core/src/simd/",
        "crates/subword-core/src/mem/",
        "crates/subword-py/src/text.rs",
        "crates/subword-py/src/arrays.rs",
    ),
)

#: What the tree does not keep yet: a rule, and a place or a folder of places. This list only gets
#: shorter, and an entry that is no longer needed fails the test. The aim is an empty list.
NOT_YET: list[tuple[str, str]] = [
    ("files", "atomic"),
    ("files", "writing"),
    ("layers", "interrupt"),
    ("layers", "memory"),
    ("layers", "parallel"),
    ("layers", "seed"),
    ("layers", "utf8"),
    ("map", "crates/subword-core/src/arch/"),
    ("map", "crates/subword-core/src/bert/"),
    ("map", "crates/subword-core/src/bpe/train/watch.rs"),
    ("map", "crates/subword-core/src/cache/"),
    ("map", "crates/subword-core/src/corpus/"),
    ("map", "crates/subword-core/src/counting/"),
    ("map", "crates/subword-core/src/counts/key.rs"),
    ("map", "crates/subword-core/src/formats/"),
    ("map", "crates/subword-core/src/json/fields.rs"),
    ("map", "crates/subword-core/src/longest/automaton.rs"),
    ("map", "crates/subword-core/src/normalize/name.rs"),
    ("map", "crates/subword-core/src/pretok/bert.rs"),
    ("map", "crates/subword-core/src/tokenizer/offsets.rs"),
    ("map", "crates/subword-core/src/tokenizer/threads.rs"),
    ("map", "crates/subword-core/src/writing/run.rs"),
    ("map", "crates/subword-py/src/"),
    ("map", "python/subword/_cli/"),
    ("map", "python/subword/_comparing/"),
    ("map", "python/subword/_evaluating/"),
    ("map", "python/subword/_starting.py"),
    ("map", "python/subword/integrations/"),
    ("private", "_cli/__init__.py -> subword._starting"),
    ("private", "_cli/comparing.py -> subword._comparing"),
    ("private", "_cli/comparing.py -> subword._progress"),
    ("private", "_cli/corpus.py -> subword._encode_files"),
    ("private", "_cli/evaluating.py -> subword._counts"),
    ("private", "_cli/explaining.py -> subword._colours"),
    ("private", "_cli/group.py -> subword._starting"),
    ("private", "_cli/training.py -> subword._colours"),
    ("private", "_cli/watching.py -> subword._colours"),
    ("private", "_cli/watching.py -> subword._explain"),
    ("private", "integrations/_columns.py -> subword._core"),
    ("private", "integrations/_columns.py -> subword._types"),
    ("private", "integrations/datasets.py -> subword._types"),
    ("private", "integrations/ray.py -> subword._types"),
    ("private", "integrations/spark.py -> subword._types"),
    ("private", "integrations/tiktoken.py -> subword._core"),
    ("threads", "counting"),
    ("threads", "tokenizer"),
    ("threads", "writing"),
    ("unsafe", "crates/subword-core/src/arch/"),
    ("uses", "model -> bpe"),
    ("uses", "model -> pretok"),
]


def is_known(rule: str, place: str) -> bool:
    return is_below(place, tuple(known for name, known in NOT_YET if name == rule))


def test_the_tree_keeps_the_rules_of_the_map() -> None:
    found = violations(ROOT, RULES)
    assert [str(one) for one in found if not is_known(one.rule, one.place)] == []


def test_what_is_not_kept_yet_is_still_not_kept() -> None:
    found = violations(ROOT, RULES)
    needless = [
        (rule, place)
        for rule, place in NOT_YET
        if not any(one.rule == rule and is_below(one.place, (place,)) for one in found)
    ]
    assert needless == [], "take these entries out of NOT_YET"
