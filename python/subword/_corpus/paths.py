"""The files of a corpus: paths, and globs that stand for several of them."""

from __future__ import annotations

import errno
import glob
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from subword._types import StrPath


def expanded(files: StrPath | Iterable[StrPath]) -> list[Path]:
    """The paths, and in place of a glob what it matches, sorted."""
    one = isinstance(files, (str, os.PathLike))
    paths: list[Path] = []
    for path in [files] if one else files:  # type: ignore[union-attr]
        name = os.fspath(path)  # type: ignore[arg-type]
        if glob.has_magic(name) and not Path(name).exists():
            found = sorted(glob.glob(name, recursive=True))  # noqa: PTH207 - it may be absolute
            if not found:
                raise FileNotFoundError(errno.ENOENT, "No file matches", name)
            paths += map(Path, found)
        else:
            paths.append(Path(name))
    return paths
