"""Installs a wheel into a new environment and runs the smoke test there: ``clean.py WHEEL``.

The environment has no Rust on its PATH, and the test is a copy in an empty folder, so that nothing
of the checkout can be imported in the place of the wheel.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path


def main(wheel: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "env", with_pip=True)
        python = folder / "env" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        shutil.copy(Path(__file__).with_name("smoke.py"), folder / "smoke.py")
        env = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        paths = env["PATH"].split(os.pathsep)
        env["PATH"] = os.pathsep.join(path for path in paths if ".cargo" not in path)
        install = [str(python), "-m", "pip", "install", "--quiet", str(wheel.resolve())]
        subprocess.run(install, cwd=folder, env=env, check=True)
        subprocess.run([str(python), "smoke.py"], cwd=folder, env=env, check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
