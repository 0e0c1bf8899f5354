"""Runs transformers' own tests of tokenizers on accelerated tokenizers, from its source archive.

    python -m tests.support.transformers_tests                    all of `hf_tokenizers.NAMES`
    python -m tests.support.transformers_tests t5 bert-base-uncased

They are the classes `TokenizerTesterMixin` and `TokenizersBackendTesterMixin` of the version
that is installed; pip downloads it, nothing of it is copied here. A test that fails is run once
more on the tokenizer as transformers has it: only what passes there is our mistake. Ends with 1 if
there is one.
"""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
import unittest
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

from tests.data.packages import Source
from tests.support.hf_tokenizers import NAMES, folder_of, hf_tokenizer

SAMPLE = "Hello world, the low lower lowest of this sample."


def unpacked(folder: Path) -> Path:
    """The sources of the version that is installed, downloaded into a folder."""
    import transformers

    archive = Source(folder).archive(f"transformers=={transformers.__version__}")
    archive.extractall(folder, filter="data")
    return folder / archive.getnames()[0].partition("/")[0]


def mixins(sources: Path) -> tuple[type, ...]:
    """The classes of tests, from a source archive that was unpacked."""
    import transformers.testing_utils

    fixtures = sources / "tests" / "fixtures"
    fixtures.mkdir(exist_ok=True)
    if not (fixtures / "sample_text.txt").exists():  # not in the archive
        (fixtures / "sample_text.txt").write_text(SAMPLE, encoding="utf-8")
    (sources / "tests" / "__init__.py").touch()  # or the package of that name would be ours
    transformers.testing_utils.get_tests_dir = lambda *_: str(sources / "tests")
    for name in [name for name in sys.modules if name == "tests" or name.startswith("tests.")]:
        del sys.modules[name]  # their package has the name of ours
    sys.path.insert(0, str(sources))
    common: Any = importlib.import_module("tests.test_tokenization_common")
    return common.TokenizerTesterMixin, common.TokenizersBackendTesterMixin


def case(name: str, tests: tuple[type, ...], accelerated: bool) -> tuple[Any, list[Counter[str]]]:
    """Their tests for one tokenizer, and the list that gets the fallbacks of those they make."""
    from subword.integrations._accelerated import class_for

    base: Any = type(hf_tokenizer(name))
    chosen: Any = class_for(base) if accelerated else base
    fallbacks: list[Counter[str]] = []

    class Case(*tests, unittest.TestCase):  # type: ignore[misc]
        tokenizer_class = rust_tokenizer_class = chosen

        @classmethod
        def setUpClass(cls) -> None:
            super().setUpClass()
            hf_tokenizer(name).save_pretrained(cls.tmpdirname)

        @classmethod
        def get_tokenizer(cls, folder: Any = None, **settings: Any) -> Any:
            made = chosen.from_pretrained(folder or cls.tmpdirname, **settings)
            if accelerated:
                fallbacks.append(made.fallbacks)
            return made

        get_rust_tokenizer = get_tokenizer

    return Case, fallbacks


def failures(suite: unittest.TestSuite) -> tuple[unittest.TestResult, dict[str, str]]:
    """What a run of tests says, and the tests that fail with their errors."""
    result = unittest.TestResult()
    suite.run(result)
    bad = [*result.failures, *result.errors]
    return result, {test.id().rpartition(".")[2]: error for test, error in bad}


def main(sources: Path, names: list[str]) -> int:
    """Run the tests and print what they say."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    warnings.simplefilter("ignore")
    for name in names:
        folder_of(name)  # while `tests` is still our package
    tests, mistakes = mixins(sources.resolve()), 0
    for name in names:
        of_ours, fallbacks = case(name, tests, accelerated=True)
        result, bad = failures(unittest.defaultTestLoader.loadTestsFromTestCase(of_ours))
        of_theirs, _ = case(name, tests, accelerated=False)
        _, both = failures(unittest.TestSuite(of_theirs(test) for test in bad))
        print(
            f"{name}: {result.testsRun} run, {len(result.skipped)} skipped, {len(both)} fail "
            f"in both, {len(bad) - len(both)} in ours alone, "
            f"fallbacks {dict(sum(fallbacks, Counter()))}",
            flush=True,
        )
        for test in sorted(bad.keys() - both.keys()):
            print(f"{test}\n{bad[test]}")
        mistakes += len(bad) - len(both)
    return min(mistakes, 1)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="subword-transformers-") as folder:
        sys.exit(main(unpacked(Path(folder)), sys.argv[1:] or NAMES))
