"""The facts without which a number means nothing: commit, processor, SIMD level, versions.

Why the SIMD level is a fact of its own: the engine has a scalar, an AVX2 and an AVX-512 form of its
hot loops. On English AVX2 reaches 0.64 of the speed of AVX-512, and scalar code 0.25
(2026-11-16).
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from libraries import Library
from libraries.encoders import pinned_versions
from measure.corpora import ROOT


def facts(adapters: Iterable[Library]) -> dict[str, str]:
    """Name and value of every fact, in the order in which they are printed."""
    return {
        "commit": commit(),
        "processor": processor(),
        "SIMD level": simd_level(),
        "cores": f"{usable_cores()} usable of {os.cpu_count()}",
        "memory": memory(),
        "load average": load_average(),
        "system": f"{platform.system()} {platform.release()}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        **versions(adapters),
    }


def versions(adapters: Iterable[Library]) -> dict[str, str]:
    """The installed version of every library, with a word where it is not the pinned one."""
    pinned = pinned_versions()
    found = {}
    for adapter in adapters:
        version = adapter.version() or "absent"
        wanted = pinned.get(adapter.name, version)
        found[adapter.name] = version if version == wanted else f"{version} (pinned: {wanted})"
    return found


def processor() -> str:
    """The name of the processor, and its model, because virtual machines hide the name."""
    name = proc_field("cpuinfo", "model name") or platform.processor() or platform.machine()
    family, model = (proc_field("cpuinfo", field) for field in ("cpu family", "model"))
    return f"{name} (family {family}, model {model})" if family and model else name


#: The names that SUBWORD_SIMD may take, the best first.
LEVELS = ("avx512", "avx2", "neon", "scalar")


def simd_level() -> str:
    """The SIMD level of the engine's hot loops, as the engine itself has it.

    There is no call that tells it. But `import subword` is an error where SUBWORD_SIMD names a
    level that engine or processor lack, so the best level that is accepted is the one that is
    chosen where none is named. An engine that accepts any name cannot be asked.
    """
    if forced := os.environ.get("SUBWORD_SIMD"):
        return f"{forced}, forced by SUBWORD_SIMD"
    if accepts("no such level"):
        return "not recorded"
    return next((level for level in LEVELS if accepts(level)), "not recorded")


def accepts(level: str) -> bool:
    """Whether the engine starts with this level."""
    done = subprocess.run(
        [sys.executable, "-c", "import subword"],
        env={**os.environ, "SUBWORD_SIMD": level},
        capture_output=True,
        check=False,
    )
    return done.returncode == 0


def memory() -> str:
    kilobytes = (proc_field("meminfo", "MemTotal") or "").split()
    return f"{int(kilobytes[0]) / 1e6:.1f} GB" if kilobytes else "unknown"


def proc_field(file: str, name: str) -> str | None:
    """The value of the first ``name : value`` line in /proc, where there is one."""
    path = Path("/proc") / file
    if not path.is_file():
        return None
    for line in path.read_text().splitlines():
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return None


def usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def load_average() -> str:
    """Of the last minute, when the run began: how busy others keep the machine."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


def commit() -> str:
    """The commit, and whether tracked files were changed since."""
    try:
        head = git("rev-parse", "--short=12", "HEAD")
        changed = git("status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{head} with changes" if changed else head


def git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()
