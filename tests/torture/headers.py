#!/usr/bin/env python3
"""Mutated headers of volumes, read by ferrovox, nibabel and ITK.

Makes small NIfTI, Analyze and NRRD files, changes one to three fields of each header, and compares what the readers make of them: sizes, the
place of the samples, and the range of the samples. A file fails where ferrovox

- reads it otherwise than the reference without a note of that file ("silent"),
- refuses it though all other readers read it ("refused"),
- ends in another way than with 0, 1 or 2, or prints no JSON ("broken").

The reference is nibabel for NIfTI and Analyze, and ITK for NRRD (pynrrd reads the samples, but makes no map). Where a NIfTI header has neither
an sform nor a qform the reference is the standard's third method, since nibabel and ITK contradict each other and it.

usage: headers.py FERROVOX [--count N] [--seed N] [--keep FOLDER] [--only nifti|analyze|nrrd]
needs: numpy, nibabel, pynrrd, SimpleITK
"""

import argparse
import collections
import json
import logging
import os
import random
import struct
import subprocess
import sys
import tempfile
import warnings

import nibabel
import nrrd
import numpy
import SimpleITK

NAN, INF = float("nan"), float("inf")
DIMS = (4, 3, 2)
SAMPLES = numpy.arange(24, dtype="<u1")
# name: (offset, format, odd values)
FIELDS = {
    "dim": (40, "8h", [(3, 4, 3, 2, 1, 1, 1, 1), (4, 4, 3, 2, 0, 1, 1, 1), (4, 4, 3, 2, 1, 0, 0, 0), (3, 4, 3, 0, 1, 1, 1, 1),
                       (3, 4, 3, -2, 1, 1, 1, 1), (0, 4, 3, 2, 1, 1, 1, 1), (2, 12, 2, 0, 0, 0, 0, 0), (5, 4, 3, 2, 1, 1, 1, 1)]),
    "datatype": (70, "h", [2, 256, 0, 1, 1536, 77]),
    "bitpix": (72, "h", [8, 0, 16, -8]),
    "qfac": (76, "f", [0, 1, -1, 0.5, -0.5, 7, NAN, INF]),
    "pixdim1": (80, "f", [0, -2.5, NAN, INF, -INF, 1e-3]),
    "pixdim2": (84, "f", [0, -2.5, NAN, INF, 4]),
    "pixdim3": (88, "f", [0, -2.5, NAN, INF, 4]),
    "vox_offset": (108, "f", [0, 352, 100, -1, NAN, 352.5, 1e9]),
    "scl_slope": (112, "f", [0, 1, 2, -0.5, NAN, INF]),
    "scl_inter": (116, "f", [0, 3, NAN, INF]),
    "units": (123, "B", [0, 1, 2, 3, 10]),
    "qform_code": (252, "h", [0, 1, 2, 5, 6, 57, -3]),
    "sform_code": (254, "h", [0, 1, 2, 5, 6, 57, -3]),
    "quatern": (256, "3f", [(0, 0, 0), (1, 0, 0), (0, 0.6, 0.8), (0.1, 0.2, 0.3), (1, 1, 0), (NAN, 0, 0), (0, INF, 0)]),
    "qoffset": (268, "3f", [(0, 0, 0), (1, 2, NAN), (INF, 0, 0)]),
    "srow_x": (280, "4f", [(0, 0, 0, 0), (NAN, 0, 0, 1), (-2, 0.1, 0, 5), (2, 0, 0, INF)]),
    "srow_z": (312, "4f", [(0, 0, 0, 0), (0, 0, NAN, 1), (0.1, 0, -4, 5)]),
    "magic": (344, "4s", [b"n+1\0", b"ni1\0", b"\0\0\0\0", b"n+3\0"]),
}
NRRD_FIELDS = {
    "spacings": ["1 2 3", "nan 2 3", "nan nan nan", "0 1 1", "-2 1 1", "inf 1 1", "1 2", "1e-3 1 1"],
    "space": ["left-posterior-superior", "RAS", "LAS", "scanner-xyz", "3D-right-handed", "nonsense"],
    "space directions": ["(1,0,0) (0,2,0) (0,0,3)", "(0,1,0) (-2,0,0) (0,0,3)", "(1,0,0) (0,nan,0) (0,0,3)",
                         "(0,0,0) (0,2,0) (0,0,3)", "none none none", "(1,0,0) (1,0,0) (0,0,3)"],
    "space origin": ["(1,2,3)", "(nan,nan,nan)", "(1,2)", "(inf,0,0)"],
    "kinds": ["domain domain domain", "space space space", "??? ??? ???", "list domain domain", "domain domain time"],
    "endian": ["little", "big", "middle"],
    "encoding": ["raw", "RAW", "ascii", "zip"],
    "thicknesses": ["1 1 1", "nan nan nan"],
    "centerings": ["cell cell cell", "node node node", "??? ??? ???"],
    "axis mins": ["0 0 0", "5 6 7"],
    "byte skip": ["0", "-1", "3"],
    "measurement frame": ["(1,0,0) (0,1,0) (0,0,1)"],
}


def nifti(pick):
    """A header with an sform, a qform that differs, and a spacing; some fields changed. What was changed."""
    header = bytearray(352)
    struct.pack_into("<i", header, 0, 348)
    struct.pack_into("<8h", header, 40, 3, *DIMS, 1, 1, 1, 1)
    struct.pack_into("<hh8f", header, 70, 2, 8, 1, 2, 3, 4, 0, 0, 0, 0)
    struct.pack_into("<fff", header, 108, 352, 1, 0)
    struct.pack_into("<hh6f", header, 252, 1, pick.choice((0, 1)), 0, 0, 0, 10, 20, 30)
    struct.pack_into("<12f", header, 280, 2, 0, 0, 11, 0, 3, 0, 21, 0, 0, 4, 31)
    header[344:348] = b"n+1\0"
    changed = []
    for name in pick.sample(sorted(FIELDS), pick.choice((1, 1, 1, 2, 3))):
        offset, form, values = FIELDS[name]
        value = pick.choice(values)
        changed.append(f"{name}={value}")
        struct.pack_into("<" + form, header, offset, *(value if isinstance(value, tuple) else (value,)))
    return {"a.nii": bytes(header) + SAMPLES.tobytes()}, "a.nii", changed


def analyze(pick):
    """A pair without a magic."""
    files, _, changed = nifti(pick)
    header = bytearray(files["a.nii"][:348])
    struct.pack_into("<f", header, 108, 0)
    header[252:348] = bytes(96)
    if pick.random() < 0.5:
        struct.pack_into("<5h", header, 253, *pick.choice([(2, 2, 1, 0, 0), (4, 3, 2, 0, 0), (0, 0, 1, 0, 0), (99, 1, 1, 0, 0)]))
    unused = ("qf", "sf", "qu", "sr", "qo", "ma", "vox", "units", "scl_inter")
    changed = [it for it in changed if not it.startswith(unused)]
    return {"a.hdr": bytes(header), "a.img": SAMPLES.tobytes()}, "a.hdr", changed


def nrrd_file(pick):
    """An attached NRRD."""
    fields = {"type": "uint8", "dimension": "3", "sizes": "4 3 2", "encoding": "raw"}
    for name in pick.sample(sorted(NRRD_FIELDS), pick.choice((1, 2, 3))):
        fields[name] = pick.choice(NRRD_FIELDS[name])
    if "space directions" in fields or "space origin" in fields:
        fields.setdefault("space", "left-posterior-superior")
        fields.pop("spacings", None)
    if "space" in fields and pick.random() < 0.8:
        fields.setdefault("space directions", "(1,0,0) (0,2,0) (0,0,3)")
        fields.pop("spacings", None)
    samples = SAMPLES.tobytes()
    if fields["encoding"] == "ascii":
        samples = " ".join(map(str, SAMPLES)).encode()
    if fields.get("byte skip") == "3" and fields["encoding"] != "ascii":
        samples = b"xyz" + samples
    lines = "NRRD0005\n" + "".join(f"{name}: {value}\n" for name, value in fields.items())
    return {"a.nrrd": lines.encode() + b"\n" + samples}, "a.nrrd", [f"{n}={v}" for n, v in fields.items()][4:]


def by_ferrovox(program, path):
    """What `info` says, or why it failed; None where it broke."""
    done = subprocess.run([program, "info", path, "--stats", "--json"], capture_output=True, text=True, timeout=60)
    try:
        said = json.loads(done.stdout)
    except ValueError:
        return None
    if done.returncode not in (0, 1, 2):
        return None
    if said.get("error"):
        return {"error": said["error"]}
    affine = numpy.eye(4)
    affine[:3, :3], affine[:3, 3] = said["axes"], said["origin"]
    return {"dims": tuple(said["dims"]), "affine": affine, "range": (said["min"], said["max"]), "notes": said["warnings"]}


def padded(shape):
    shape = tuple(shape)
    while len(shape) > 3 and shape[-1] <= 1:
        shape = shape[:-1]
    return shape + (1,) * (3 - len(shape))


def by_nibabel(path):
    try:
        image = nibabel.load(path)
        samples = numpy.asanyarray(image.dataobj)
        affine = numpy.array(image.affine, dtype=float)
        header = image.header
        if isinstance(header, nibabel.Nifti1Header) and header["sform_code"] == 0 and header["qform_code"] == 0:
            affine = numpy.diag([*numpy.abs(padded(header.get_zooms()[:3])), 1.0])
        return {"dims": padded(image.shape), "affine": affine, "range": ends(samples)}
    except Exception as error:  # any kind is a refusal
        return {"error": f"{type(error).__name__}: {error}"}


def by_itk(path):
    try:
        image = SimpleITK.ReadImage(path)
        samples = SimpleITK.GetArrayViewFromImage(image)
        n = image.GetDimension()
        affine = numpy.eye(4)
        direction = numpy.array(image.GetDirection()).reshape(n, n)
        k = min(n, 3)
        affine[:k, :k] = (direction * numpy.array(image.GetSpacing()))[:k, :k]
        affine[:k, 3] = image.GetOrigin()[:k]
        return {"dims": padded(image.GetSize()), "affine": numpy.diag([-1.0, -1, 1, 1]) @ affine, "range": ends(samples)}
    except Exception as error:
        return {"error": str(error).strip().splitlines()[-1]}


def by_pynrrd(path):
    try:
        samples, _ = nrrd.read(path)
        return {"dims": padded(samples.shape), "range": ends(samples)}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def ends(samples):
    return (float(samples.min()), float(samples.max())) if samples.size else (None, None)


def differences(found, other):
    """What two readings do not have in common."""
    wrong = []
    if found["dims"] != other["dims"]:
        wrong.append("dims")
    place = other.get("affine")
    if place is not None and not numpy.allclose(found["affine"], place, rtol=1e-5, atol=1e-6):
        wrong.append("place")
    if None in found["range"] or None in other["range"]:
        if found["range"] != other["range"]:
            wrong.append("range")
    elif not numpy.allclose(found["range"], other["range"], rtol=1e-6):
        wrong.append("range")
    return wrong


def judge(kind, found, others):
    """The verdict, and the reason."""
    if found is None:
        return "broken", ""
    readings = [it for it in others.values() if "error" not in it]
    if "error" in found:
        return ("refused" if readings and len(readings) == len(others) else "both refuse"), found["error"]
    reference = others["ITK" if kind == "nrrd" else "nibabel"]
    if "error" in reference:
        noted = "alone, with a note" if found["notes"] else "alone"
        return noted, reference["error"]
    wrong = differences(found, reference)
    if kind == "nrrd" and "error" not in others["pynrrd"]:
        wrong += differences(found, {**others["pynrrd"]})
    if not wrong:
        return "same", ""
    text = ", ".join(sorted(set(wrong)))
    return ("noted" if found["notes"] else "silent"), f"{text}: {found} against {reference}"


def main():
    parser = argparse.ArgumentParser(description="mutated headers, read by ferrovox and others")
    parser.add_argument("ferrovox")
    parser.add_argument("--count", type=int, default=300, help="files of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="a folder for the files that failed")
    parser.add_argument("--only", choices=("nifti", "analyze", "nrrd"))
    args = parser.parse_args()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    SimpleITK.ProcessObject.SetGlobalWarningDisplay(False)
    kinds = {"nifti": nifti, "analyze": analyze, "nrrd": nrrd_file}
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for kind, make in kinds.items():
            if args.only not in (None, kind):
                continue
            pick = random.Random(f"{kind} {args.seed}")
            verdicts = collections.Counter()
            for number in range(args.count):
                files, name, changed = make(pick)
                for file, content in files.items():
                    with open(os.path.join(folder, file), "wb") as out:
                        out.write(content)
                path = os.path.join(folder, name)
                found = by_ferrovox(args.ferrovox, path)
                others = {"ITK": by_itk(path)}
                if kind == "nrrd":
                    others["pynrrd"] = by_pynrrd(path)
                else:
                    others["nibabel"] = by_nibabel(path)
                verdict, reason = judge(kind, found, others)
                verdicts[verdict] += 1
                if verdict in ("silent", "refused", "broken"):
                    failed += 1
                    print(f"{kind} {number}: {verdict}: {'; '.join(changed)}: {reason}")
                    if args.keep:
                        kept = os.path.join(args.keep, f"{kind}-{number}")
                        os.makedirs(kept, exist_ok=True)
                        for file, content in files.items():
                            with open(os.path.join(kept, file), "wb") as out:
                                out.write(content)
                for file in files:
                    os.remove(os.path.join(folder, file))
            print(f"{kind}: " + ", ".join(f"{count} {it}" for it, count in verdicts.most_common()))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
