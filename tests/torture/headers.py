#!/usr/bin/env python3
"""Mutated headers of volumes, read by ferrovox, nibabel and ITK.

Makes small volumes (NIfTI-1 and NIfTI-2 in one file, pairs of NIfTI-1, Analyze 7.5, NRRD, MetaImage; samples of all types, both byte orders), changes
one to three fields of each header, and compares what the readers make of them: sizes, the place of the samples, and the range of the samples.
A file fails where ferrovox

- reads it otherwise than the reference without a note of that file ("silent"),
- refuses it though all other readers read it, and read the same ("refused"),
- ends in another way than with 0, 1 or 2, or prints no JSON ("broken").

The rest: "same"; "noted", which is read otherwise, with a note; "alone", which the reference refuses; "choice", where ferrovox asks for the volume or the
component; "they differ", which ferrovox refuses and the others read in two ways; "both refuse".

The reference is nibabel for NIfTI and Analyze (ITK where nibabel's place is no number), and ITK for NRRD and MetaImage (pynrrd reads the samples of NRRD, but makes no map). Where a NIfTI header has
neither an sform nor a qform the reference is the standard's third method, since nibabel and ITK contradict each other and it. Where an NRRD names no
anatomical space its coordinates are compared as they stand, since ITK takes them as LPS.

usage: headers.py FERROVOX [--count N] [--seed N] [--keep FOLDER] [--only KIND]
needs: numpy, nibabel, pynrrd, SimpleITK
"""

import argparse
import bz2
import collections
import gzip
import json
import logging
import multiprocessing
import os
import random
import struct
import subprocess
import sys
import tempfile
import warnings
import zlib

import nibabel
import nrrd
import numpy
import SimpleITK

NAN, INF = float("nan"), float("inf")
LPS = numpy.diag([-1.0, -1, 1, 1])
NO_PLACE = "a place that is no number"
ANATOMICAL = ("left-posterior-superior", "RAS", "LAS")
DIMS = (4, 3, 2)
# letter of NumPy: NIfTI's datatype, names of NRRD and MetaImage
TYPES = {
    "u1": (2, "uint8", "MET_UCHAR"), "i1": (256, "int8", "MET_CHAR"), "u2": (512, "uint16", "MET_USHORT"), "i2": (4, "int16", "MET_SHORT"),
    "u4": (768, "uint32", "MET_UINT"), "i4": (8, "int32", "MET_INT"), "u8": (1280, "uint64", "MET_ULONG_LONG"),
    "i8": (1024, "int64", "MET_LONG_LONG"), "f4": (16, "float", "MET_FLOAT"), "f8": (64, "double", "MET_DOUBLE"),
}
# name: (offset in NIfTI-1, format, odd values)
FIELDS = {
    "dim": (40, "8h", [(3, 4, 3, 2, 1, 1, 1, 1), (4, 4, 3, 2, 0, 1, 1, 1), (4, 4, 3, 2, 1, 0, 0, 0), (3, 4, 3, 0, 1, 1, 1, 1),
                       (3, 4, 3, -2, 1, 1, 1, 1), (0, 4, 3, 2, 1, 1, 1, 1), (2, 12, 2, 0, 0, 0, 0, 0), (5, 4, 3, 2, 1, 1, 1, 1)]),
    "datatype": (70, "h", [2, 256, 4, 512, 0, 1, 1536, 77]),
    "bitpix": (72, "h", [8, 0, 16, 64, -8]),
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
# the same fields in NIfTI-2
FIELDS_2 = {
    "dim": (16, "8q"), "datatype": (12, "h"), "bitpix": (14, "h"), "qfac": (104, "d"), "pixdim1": (112, "d"), "pixdim2": (120, "d"), "pixdim3": (128, "d"),
    "vox_offset": (168, "q"), "scl_slope": (176, "d"), "scl_inter": (184, "d"), "units": (500, "i"), "qform_code": (344, "i"), "sform_code": (348, "i"),
    "quatern": (352, "3d"), "qoffset": (376, "3d"), "srow_x": (400, "4d"), "srow_y": (432, "4d"), "srow_z": (464, "4d"), "magic": (4, "4s"),
}
NRRD_FIELDS = {
    "space": ["left-posterior-superior", "RAS", "LAS", "scanner-xyz", "3D-right-handed", "nonsense"],
    "spacings": ["1 2 3", "nan 2 3", "nan nan nan", "0 1 1", "-2 1 1", "inf 1 1", "1 2", "1e-3 1 1"],
    "space directions": ["(1,0,0) (0,2,0) (0,0,3)", "(0,1,0) (-2,0,0) (0,0,3)", "(1,0,0) (0,nan,0) (0,0,3)",
                         "(0,0,0) (0,2,0) (0,0,3)", "none none none", "(1,0,0) (1,0,0) (0,0,3)"],
    "space origin": ["(1,2,3)", "(nan,nan,nan)", "(1,nan,3)", "(1,2)", "(inf,0,0)"],
    "kinds": ["domain domain domain", "space space space", "??? ??? ???", "list domain domain", "vector domain domain", "domain domain time"],
    "endian": ["little", "big", "middle"],
    "encoding": ["raw", "RAW", "ascii", "gzip", "bzip2", "hex", "zip"],
    "thicknesses": ["1 1 1", "nan nan nan"],
    "centerings": ["cell cell cell", "node node node", "??? ??? ???"],
    "axis mins": ["0 0 0", "5 6 7"],
    "byte skip": ["0", "-1", "3"],
    "measurement frame": ["(1,0,0) (0,1,0) (0,0,1)"],
    "content": ["a: b"],
    "labels": ['"x" "y" "z"'],
}
META_FIELDS = {
    "ElementSpacing": ["1 2 3", "0 1 1", "-1 2 3", "nan 1 1", "1 2", "inf 1 1"],
    "ElementSize": ["1 2 3", "3 2 1"],
    "Offset": ["1 2 3", "nan 0 0", "-5 0 7"],
    "Position": ["4 5 6"],
    "TransformMatrix": ["1 0 0 0 1 0 0 0 1", "0 1 0 -1 0 0 0 0 1", "1 0 0 1 0 0 0 0 1", "2 0 0 0 1 0 0 0 1", "1 0 0 0 nan 0 0 0 1", "1 0 0"],
    "ElementNumberOfChannels": ["1", "2", "0"],
    "CompressedData": ["False", "True"],
    "HeaderSize": ["0", "-1", "400"],
    "AnatomicalOrientation": ["RAI", "LPS", "???"],
    "CenterOfRotation": ["0 0 0", "1 2 3"],
    "BinaryData": ["True", "False"],
    "ObjectType": ["Image", "Tube"],
    "Comment": ["nothing"],
}


def samples(pick, letter):
    """24 samples of a type; of wide integers some do not fit in 32 bits."""
    step = {"u4": pick.choice((1, 178_956_970)), "i4": 80_000_000, "u8": pick.choice((1, 1 << 40)), "i8": pick.choice((1, 1 << 40))}.get(letter[1:], 1)
    return (numpy.arange(24, dtype=letter) * numpy.array(step, dtype=letter)).astype(letter)


def nifti(pick):
    """A header with an sform, a qform that differs, and a spacing; some fields changed. The files, the name to open, what was changed."""
    version = pick.choice((1, 1, 1, 2))
    order = pick.choice("<<>")
    letter = pick.choice(sorted(TYPES))
    data = samples(pick, order + letter)
    size = 348 if version == 1 else 540
    header = bytearray(size + 4)
    struct.pack_into(order + "i", header, 0, size)
    place = {**FIELDS, "srow_y": (296, "4f", [])} if version == 1 else FIELDS_2

    def put(name, *value):
        struct.pack_into(order + place[name][1], header, place[name][0], *value)

    put("dim", 3, *DIMS, 1, 1, 1, 1)
    put("datatype", TYPES[letter][0])
    put("bitpix", 8 * data.itemsize)
    for axis, step in enumerate((1, 2, 3, 4)):
        put("qfac" if axis == 0 else f"pixdim{axis}", step)
    put("vox_offset", size + 4)
    put("scl_slope", 1)
    put("qform_code", 1)
    put("sform_code", pick.choice((0, 1)))
    put("qoffset", 10, 20, 30)
    put("srow_x", 2, 0, 0, 11)
    put("srow_y", 0, 3, 0, 21)
    put("srow_z", 0, 0, 4, 31)
    put("magic", b"n+1\0" if version == 1 else b"n+2\0")
    if version == 2:
        header[8:12] = b"\r\n\x1a\n"
    changed = [f"NIfTI-{version} {order}{letter}"]
    for name in pick.sample(sorted(FIELDS), pick.choice((1, 1, 1, 2, 3))):
        value = pick.choice(FIELDS[name][2])
        if version == 2 and name == "magic":
            value = {b"n+1\0": b"n+2\0", b"ni1\0": b"ni2\0"}.get(value, value)
        if version == 2 and name == "vox_offset":
            value = {352: 544, 1e9: 10**9}.get(value, 0 if value != value else int(value))
        changed.append(f"{name}={value}")
        put(name, *(value if isinstance(value, tuple) else (value,)))
    return {"a.nii": bytes(header) + data.tobytes()}, "a.nii", changed


def halves(pick):
    """NIfTI-1 in two parts: header, samples, what was changed."""
    while True:
        files, _, changed = nifti(pick)
        if changed[0].startswith("NIfTI-1"):
            return bytearray(files["a.nii"][:348]), files["a.nii"][352:], changed


def pair(pick):
    """A pair of NIfTI-1."""
    header, data, changed = halves(pick)
    if not any(it.startswith("vox_offset") for it in changed):
        header[108:112] = bytes(4)
    if header[344:348] == b"n+1\0" and not any(it.startswith("magic") for it in changed):
        header[344:348] = b"ni1\0"
    return {"a.hdr": bytes(header), "a.img": data}, "a.hdr", changed


def analyze(pick):
    """A pair without a magic."""
    header, data, changed = halves(pick)
    order = changed[0][8]
    header[108:112] = bytes(4)
    header[252:348] = bytes(96)
    if pick.random() < 0.5:
        struct.pack_into(order + "5h", header, 253, *pick.choice([(2, 2, 1, 0, 0), (4, 3, 2, 0, 0), (0, 0, 1, 0, 0), (99, 1, 1, 0, 0)]))
    unused = ("qform", "sform", "quatern", "srow", "qoffset", "magic", "vox", "units", "scl_inter")
    changed = [it for it in changed if not it.startswith(unused)]
    return {"a.hdr": bytes(header), "a.img": data}, "a.hdr", changed


def nrrd_file(pick):
    """An attached NRRD."""
    letter = pick.choice(sorted(TYPES))
    data = samples(pick, "<" + letter)
    fields = {"type": TYPES[letter][1], "dimension": "3", "sizes": "4 3 2", "encoding": "raw", "endian": "little"}
    chosen = pick.sample(sorted(NRRD_FIELDS), pick.choice((1, 2, 3)))
    if "space origin" in chosen or "space directions" in chosen or "measurement frame" in chosen:
        chosen.append("space")
    # the space comes before what is in it
    for name in sorted(set(chosen), key=list(NRRD_FIELDS).index):
        fields[name] = pick.choice(NRRD_FIELDS[name])
    if "space" in fields and pick.random() < 0.8:
        fields.setdefault("space directions", "(1,0,0) (0,2,0) (0,0,3)")
    if "space directions" in fields:
        fields.pop("spacings", None)
    if fields["endian"] == "big":
        data = data.astype(">" + letter)
    content = data.tobytes()
    skipped = b"xyz" if fields.get("byte skip") == "3" else b""
    if fields["encoding"] == "ascii":
        content = " ".join(map(str, data)).encode()
    elif fields["encoding"] == "gzip":
        content = gzip.compress(skipped + content)
    elif fields["encoding"] == "bzip2":
        content = bz2.compress(skipped + content)
    elif fields["encoding"] == "hex":
        content = content.hex().encode()
    else:
        content = skipped + content
    lines = "NRRD0005\n" + "".join(f"{name}: {value}\n" for name, value in fields.items())
    return {"a.nrrd": lines.encode() + b"\n" + content}, "a.nrrd", [f"{n}={v}" for n, v in fields.items() if n not in ("dimension", "sizes")]


def metaimage(pick):
    """An attached MetaImage."""
    letter = pick.choice(sorted(TYPES))
    order = pick.choice("<>")
    data = samples(pick, order + letter)
    fields = {"ObjectType": "Image", "NDims": "3", "DimSize": "4 3 2", "BinaryData": "True", "BinaryDataByteOrderMSB": str(order == ">")}
    for name in pick.sample(sorted(META_FIELDS), pick.choice((1, 2, 3))):
        fields[name] = pick.choice(META_FIELDS[name])
    content = data.tobytes()
    if fields.get("ElementNumberOfChannels") == "2":
        content *= 2
    if fields["BinaryData"] == "False":
        content = " ".join(map(str, data)).encode()
    elif fields.get("CompressedData") == "True":
        content = zlib.compress(content)
        fields["CompressedDataSize"] = str(len(content))
        if fields.get("HeaderSize") == "-1":
            del fields["HeaderSize"]  # ITK reads noise then
    fields["ElementType"] = TYPES[letter][2]
    lines = "".join(f"{name} = {value}\n" for name, value in fields.items()) + "ElementDataFile = LOCAL\n"
    if fields.get("HeaderSize") == "400":
        content = bytes(400 - len(lines)) + content
    changed = [f"{n}={v}" for n, v in fields.items() if n not in ("NDims", "DimSize")]
    return {"a.mha": lines.encode() + content}, "a.mha", changed


def by_ferrovox(program, path, *options):
    """What `info` says, or why it failed; None where it broke. Where it says that bytes are left over, these are allowed then."""
    done = subprocess.run([program, "info", path, "--stats", "--json", *options], capture_output=True, text=True, timeout=60)
    try:
        said = json.loads(done.stdout)
    except ValueError:
        return None
    if done.returncode not in (0, 1, 2):
        return None
    if "trailing bytes must be allowed" in (said.get("error") or "") and not options:
        return by_ferrovox(program, path, "--allow-trailing-bytes")
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
        reading = {"dims": padded(image.shape), "affine": affine, "range": ends(samples)}
        if not isinstance(header, nibabel.Nifti1Header) and header["dim"][0] < 3 and header["dim"][3] == 0:
            del reading["affine"]  # centred on a plane of size 0, half a voxel off
        return reading
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
        return {"dims": padded(image.GetSize()), "affine": LPS @ affine, "range": ends(samples)}
    except Exception as error:
        return {"error": str(error).strip().splitlines()[-1]}


def by_pynrrd(path):
    try:
        samples, _ = nrrd.read(path)
        return {"dims": padded(samples.shape), "range": ends(samples)}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


READERS = {"nibabel": by_nibabel, "ITK": by_itk, "pynrrd": by_pynrrd}


def serve(pipe):
    """Reads what it is asked to, for as long as it is asked."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    SimpleITK.ProcessObject.SetGlobalWarningDisplay(False)
    while True:
        name, path = pipe.recv()
        pipe.send(READERS[name](path))


class Others:
    """The other readers, in a process of their own: damaged files make some of them crash, or never end."""

    def __init__(self):
        self.process = None

    def read(self, name, path):
        if self.process is None:
            self.pipe, theirs = multiprocessing.Pipe()
            self.process = multiprocessing.Process(target=serve, args=(theirs,), daemon=True)
            self.process.start()
            theirs.close()
        try:
            self.pipe.send((name, path))
            if self.pipe.poll(20):
                return self.pipe.recv()
            problem = "no answer in 20 seconds"
        except (EOFError, OSError):
            problem = "crashed"
        self.process.kill()
        self.process.join()
        self.process = None
        print(f"{name}: {problem}")
        return {"error": problem}


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


def judge(kind, found, others, changed):
    """The verdict, and the reason."""
    if found is None:
        return "broken", ""
    for other in others.values():
        if not numpy.isfinite(other.get("affine", 0)).all():
            other["error"] = NO_PLACE
    readings = [it for it in others.values() if "error" not in it]
    if "error" in found:
        if "; choose " in found["error"]:
            return "choice", found["error"]
        if not readings or len(readings) < len(others):
            return "both refuse", found["error"]
        agree = not any(set(differences(readings[0], it)) - {"place"} for it in readings[1:])
        return ("refused" if agree else "they differ"), found["error"]
    reference = others.get("nibabel", others["ITK"])
    if reference.get("error") == NO_PLACE:
        reference = others["ITK"]
    if "error" in reference:
        noted = "alone, with a note" if found["notes"] else "alone"
        return noted, reference["error"]
    if kind == "nrrd" and not any(it.startswith("space=") and it[6:] in ANATOMICAL for it in changed):
        reference = {**reference, "affine": LPS @ reference["affine"]}
    wrong = differences(found, reference)
    if kind == "nrrd" and "error" not in others["pynrrd"]:
        wrong += differences(found, others["pynrrd"])
    if not wrong:
        return "same", ""
    text = ", ".join(sorted(set(wrong)))
    # these say nothing of what was changed
    notes = [it for it in found["notes"] if "Analyze 7.5 does not say" not in it and "the sform is used; the qform differs" not in it]
    return ("noted" if notes else "silent"), f"{text}: {found} against {reference}"


KINDS = {"nifti": nifti, "pair": pair, "analyze": analyze, "nrrd": nrrd_file, "metaimage": metaimage}


def main():
    parser = argparse.ArgumentParser(description="mutated headers, read by ferrovox and others")
    parser.add_argument("ferrovox")
    parser.add_argument("--count", type=int, default=300, help="files of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="a folder for the files that failed")
    parser.add_argument("--only", choices=tuple(KINDS))
    args = parser.parse_args()
    others_of = {"nrrd": ("ITK", "pynrrd"), "metaimage": ("ITK",)}
    readers = Others()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for kind, make in KINDS.items():
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
                others = {name: readers.read(name, path) for name in others_of.get(kind, ("ITK", "nibabel"))}
                verdict, reason = judge(kind, found, others, changed)
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
