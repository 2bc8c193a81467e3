"""Runs the test suites of SciPy, scikit-image and edt with the functions of ferrovox.

The suites are part of the packages on PyPI: SciPy's of the installed wheel, scikit-image's of the
last wheel that contains it, edt's of the source package. Usage: ``run.py FOLDER``, where FOLDER
keeps the downloads.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).parent

#: Package, arguments of ``pip download``, member of the archive with the tests, minimum number of
#: tests.
SUITES = [
    ("scikit-image==0.25.2", [], "skimage/measure/tests/test_marching_cubes.py", 8),
    ("edt==3.1.2", ["--no-binary", "edt"], "edt-3.1.2/automated_test.py", 80),
]


def download(folder: Path, requirement: str, arguments: list[str]) -> Path:
    """Return the archive of a package, downloaded unless the folder has it."""
    name, version = requirement.split("==")
    patterns = [f"{name.replace('-', '_')}-{version}*.whl", f"{name}-{version}.tar.gz"]

    def find() -> list[Path]:
        return [path for pattern in patterns for path in folder.glob(pattern)]

    if not find():
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", *arguments]
        subprocess.run([*command, "-d", str(folder), requirement], check=True)
    return find()[0]


def extract(archive: Path, member: str, folder: Path) -> Path:
    """Extract a file of an archive into a folder, and return its path."""
    target = folder / Path(member).name
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as files:
            target.write_bytes(files.read(member))
    else:
        with tarfile.open(archive) as files:
            content = files.extractfile(member)
            assert content is not None, f"{archive} has no file {member}"
            target.write_bytes(content.read())
    return target


def run(arguments: list[str], minimum: int) -> bool:
    """Run pytest on a suite; return ``True`` if it passed with at least so many tests."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path[1:]])}
    command = [sys.executable, "-m", "pytest", "-p", "substitute", "-p", "no:cacheprovider", "-q"]
    command += ["--rootdir", str(HERE), "-c", os.devnull, "-rfExX", *arguments]
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    print(result.stdout[-6000:], result.stderr[-2000:])
    count = sum(int(number) for number in re.findall(r"(\d+) (?:passed|xfailed)", result.stdout))
    if count < minimum:
        print(f"{count} tests ran, fewer than {minimum}: {' '.join(arguments)}")
    return result.returncode == 0 and count >= minimum


def main() -> None:
    """Run all suites."""
    folder = Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    passed = []
    for requirement, arguments, member, minimum in SUITES:
        print(f"== {requirement}: {member}")
        suite = extract(download(folder, requirement, arguments), member, folder)
        passed.append(run([str(suite)], minimum))
    print("== scipy: scipy.ndimage.tests.test_morphology")
    selection = ["--pyargs", "scipy.ndimage.tests.test_morphology", "-k", "distance_transform_edt"]
    passed.append(run(selection, 10))
    sys.exit(0 if all(passed) else 1)


if __name__ == "__main__":
    main()
