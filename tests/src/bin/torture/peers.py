"""Reads files as others do, for comparison: one name on a line in, one line of JSON out.

A line has what each library that is installed makes of the file: its dims and where its samples are (f64, x fastest), or an error.
"""

import importlib
import json
import os
import resource
import signal
import sys

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


def there(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


numpy = there("numpy")
LIBRARIES = {"nibabel": there("nibabel"), "SimpleITK": there("SimpleITK"), "nrrd": there("nrrd"), "numpy": numpy}
READERS = {".nii": ["nibabel", "SimpleITK"], ".nii.gz": ["nibabel", "SimpleITK"], ".nrrd": ["nrrd", "SimpleITK"], ".mha": ["SimpleITK"], ".npy": ["numpy"]}


def foibles(name):
    """Refuses files that SimpleITK reads in a way of its own, by what their format says or by what it leaves open."""
    with open(name, "rb") as file:
        header = file.read(1 << 18).lower()
    # it does not look whether as many bytes are unpacked as it expects, and gives what its memory held
    if name.endswith(".mha") and b"compressed" in header and b"compresseddatasize" not in header:
        raise ValueError("packed, without a size")
    # a carriage return at the start of a line ends the header for it
    if name.endswith(".nrrd") and b"\n\r" in header:
        raise ValueError("a carriage return at the start of a line")
    # it takes a slope of nearly 0 for 1, and keeps the intercept with one of 0 or NaN, which stand for no scaling; one of infinity it leaves out
    if ".nii" in name and LIBRARIES["nibabel"]:
        with LIBRARIES["nibabel"].openers.ImageOpener(name) as file:
            header = LIBRARIES["nibabel"].Nifti1Header.from_fileobj(file, check=False)
            slope, intercept = float(header["scl_slope"]), float(header["scl_inter"])
        if not 1e-12 < abs(slope) < 1e12 or not numpy.isfinite(intercept):
            raise ValueError("a slope or an intercept out of bounds")


def read(library, name):
    module = LIBRARIES[library]
    if library == "nibabel":
        image = module.load(name)
        return numpy.asanyarray(image.dataobj)
    if library == "SimpleITK":
        foibles(name)
        image = module.ReadImage(name)
        if image.GetNumberOfComponentsPerPixel() != 1:
            raise ValueError("vectors")
        return module.GetArrayFromImage(image).T
    if library == "nrrd":
        return module.read(name)[0]
    # the axes are z, y and x
    return module.load(name, allow_pickle=False).T


def answer(library, name, number):
    try:
        # ends the process, also where a library does not come back
        signal.alarm(10)
        samples = read(library, name)
        if samples.dtype.kind not in "iuf" or samples.dtype.itemsize > 8:
            return {"error": f"samples of {samples.dtype}"}
        path = f"{name}.{number}.f64"
        samples.astype("<f8").flatten(order="F").tofile(path)
        return {"dims": list(samples.shape), "samples": path}
    except BaseException as error:
        return {"error": f"{type(error).__name__}: {error}"[:300]}
    finally:
        signal.alarm(0)


if numpy is None:
    LIBRARIES = {name: None for name in LIBRARIES}
elif LIBRARIES["SimpleITK"]:
    LIBRARIES["SimpleITK"].ProcessObject.SetGlobalWarningDisplay(False)
json.dump([name for name in LIBRARIES if LIBRARIES[name]], answers)
answers.write("\n")
answers.flush()
for line in sys.stdin:
    name = line.strip()
    ending = max((it for it in READERS if name.endswith(it)), key=len, default=None)
    libraries = [it for it in READERS.get(ending, []) if LIBRARIES[it]]
    made = {it: answer(it, name, number) for number, it in enumerate(libraries)}
    json.dump(made, answers)
    answers.write("\n")
    answers.flush()
