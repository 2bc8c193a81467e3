#!/usr/bin/env python3
"""Compares how ferrovox, nibabel and ITK read volumes with mutated headers.

Writes small volumes (NIfTI-1 and NIfTI-2 as single files, NIfTI-1 pairs, Analyze 7.5, NRRD, MetaImage; all sample types, both byte orders), changes
one to three fields of each header, and compares the sizes, the affine map and the range of the samples that the readers return.
A file fails if ferrovox

- reads it differently from the reference without a warning about that file ("silent"),
- rejects it although all other readers accept it with the same result ("rejected"),
- exits with a status other than 0, 1 or 2, or prints no JSON ("broken").

Other results: "same"; "warned", read differently, with a warning; "extra", rejected by the reference; "choice", ferrovox requires the selection of a
volume or component; "ambiguous", rejected by ferrovox and read differently by the others; "invalid", rejected by ferrovox and another reader.

The reference is nibabel for NIfTI and Analyze (ITK where nibabel's affine map is not finite), and ITK for NRRD and MetaImage (pynrrd also reads the samples
of NRRD, but returns no map). For NIfTI headers with neither an sform nor a qform, the reference is the third method of the standard, because nibabel
and ITK contradict each other and the standard. For NRRD files without an anatomical space, the coordinates are compared unchanged, because ITK takes them as LPS.

usage: headers.py FERROVOX [--count N] [--seed N] [--keep FOLDER] [--only KIND]
requires: numpy, nibabel, pynrrd, SimpleITK
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
NON_FINITE_MAP = "the affine map is not finite"
ANATOMICAL = ("left-posterior-superior", "RAS", "LAS")
DIMS = (4, 3, 2)
# NumPy type: NIfTI datatype, NRRD type, MetaImage type.
TYPES = {
    "u1": (2, "uint8", "MET_UCHAR"), "i1": (256, "int8", "MET_CHAR"), "u2": (512, "uint16", "MET_USHORT"), "i2": (4, "int16", "MET_SHORT"),
    "u4": (768, "uint32", "MET_UINT"), "i4": (8, "int32", "MET_INT"), "u8": (1280, "uint64", "MET_ULONG_LONG"),
    "i8": (1024, "int64", "MET_LONG_LONG"), "f4": (16, "float", "MET_FLOAT"), "f8": (64, "double", "MET_DOUBLE"),
}
# Name: (offset in NIfTI-1, struct format, unusual values).
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
# Offsets and struct formats of the fields in NIfTI-2.
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
    """Returns 24 samples of a type; some samples of wide integers exceed 32 bits."""
    step = {"u4": pick.choice((1, 178_956_970)), "i4": 80_000_000, "u8": pick.choice((1, 1 << 40)), "i8": pick.choice((1, 1 << 40))}.get(letter[1:], 1)
    return (numpy.arange(24, dtype=letter) * numpy.array(step, dtype=letter)).astype(letter)


def nifti(pick):
    """Returns a NIfTI file with an sform, a different qform and a spacing, and with changed fields.

    All generators return the files by name, the name of the file to open, and the list of changes.
    """
    version = pick.choice((1, 1, 1, 2))
    order = pick.choice("<<>")
    letter = pick.choice(sorted(TYPES))
    data = samples(pick, order + letter)
    size = 348 if version == 1 else 540
    header = bytearray(size + 4)
    struct.pack_into(order + "i", header, 0, size)
    layout = {**FIELDS, "srow_y": (296, "4f", [])} if version == 1 else FIELDS_2

    def put(name, *value):
        struct.pack_into(order + layout[name][1], header, layout[name][0], *value)

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


def nifti1_parts(pick):
    """Returns the header, the samples and the changes of a NIfTI-1 file."""
    while True:
        files, _, changed = nifti(pick)
        if changed[0].startswith("NIfTI-1"):
            return bytearray(files["a.nii"][:348]), files["a.nii"][352:], changed


def nifti_pair(pick):
    """Returns a NIfTI-1 pair."""
    header, data, changed = nifti1_parts(pick)
    if not any(change.startswith("vox_offset") for change in changed):
        header[108:112] = bytes(4)
    if header[344:348] == b"n+1\0" and not any(change.startswith("magic") for change in changed):
        header[344:348] = b"ni1\0"
    return {"a.hdr": bytes(header), "a.img": data}, "a.hdr", changed


def analyze(pick):
    """Returns an Analyze 7.5 pair: a pair without the NIfTI magic."""
    header, data, changed = nifti1_parts(pick)
    order = changed[0][8]
    header[108:112] = bytes(4)
    header[252:348] = bytes(96)
    if pick.random() < 0.5:
        struct.pack_into(order + "5h", header, 253, *pick.choice([(2, 2, 1, 0, 0), (4, 3, 2, 0, 0), (0, 0, 1, 0, 0), (99, 1, 1, 0, 0)]))
    unused = ("qform", "sform", "quatern", "srow", "qoffset", "magic", "vox", "units", "scl_inter")
    changed = [change for change in changed if not change.startswith(unused)]
    return {"a.hdr": bytes(header), "a.img": data}, "a.hdr", changed


def nrrd_file(pick):
    """Returns an NRRD file with attached samples."""
    letter = pick.choice(sorted(TYPES))
    data = samples(pick, "<" + letter)
    fields = {"type": TYPES[letter][1], "dimension": "3", "sizes": "4 3 2", "encoding": "raw", "endian": "little"}
    chosen = pick.sample(sorted(NRRD_FIELDS), pick.choice((1, 2, 3)))
    if "space origin" in chosen or "space directions" in chosen or "measurement frame" in chosen:
        chosen.append("space")
    # The space must precede the fields that refer to it.
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
    """Returns a MetaImage file with attached samples."""
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
            del fields["HeaderSize"]  # ITK would read undefined bytes
    fields["ElementType"] = TYPES[letter][2]
    lines = "".join(f"{name} = {value}\n" for name, value in fields.items()) + "ElementDataFile = LOCAL\n"
    if fields.get("HeaderSize") == "400":
        content = bytes(400 - len(lines)) + content
    changed = [f"{n}={v}" for n, v in fields.items() if n not in ("NDims", "DimSize")]
    return {"a.mha": lines.encode() + content}, "a.mha", changed


def read_ferrovox(program, path, *options):
    """Returns the result or error of `ferrovox info`, or None for an unexpected exit. Repeats it with trailing bytes allowed if they are the error."""
    process = subprocess.run([program, "info", path, "--stats", "--json", *options], capture_output=True, text=True, timeout=60)
    try:
        report = json.loads(process.stdout)
    except ValueError:
        return None
    if process.returncode not in (0, 1, 2):
        return None
    if "trailing bytes" in (report.get("error") or "").replace("-", " ") and not options:
        return read_ferrovox(program, path, "--allow-trailing-bytes")
    if report.get("error"):
        return {"error": report["error"]}
    affine = numpy.eye(4)
    affine[:3, :3], affine[:3, 3] = report["axes"], report["origin"]
    return {"dims": tuple(report["dims"]), "affine": affine, "range": (report["min"], report["max"]), "warnings": report["warnings"]}


def pad_dims(shape):
    """Returns three sizes: removes trailing sizes of 1, or appends them."""
    shape = tuple(shape)
    while len(shape) > 3 and shape[-1] <= 1:
        shape = shape[:-1]
    return shape + (1,) * (3 - len(shape))


def read_nibabel(path):
    try:
        image = nibabel.load(path)
        samples = numpy.asanyarray(image.dataobj)
        affine = numpy.array(image.affine, dtype=float)
        header = image.header
        if isinstance(header, nibabel.Nifti1Header) and header["sform_code"] == 0 and header["qform_code"] == 0:
            affine = numpy.diag([*numpy.abs(pad_dims(header.get_zooms()[:3])), 1.0])
        result = {"dims": pad_dims(image.shape), "affine": affine, "range": value_range(samples)}
        if not isinstance(header, nibabel.Nifti1Header) and header["dim"][0] < 3 and header["dim"][3] == 0:
            del result["affine"]  # centred on a plane of size 0: half a voxel off
        return result
    except Exception as error:  # any exception counts as a rejection
        return {"error": f"{type(error).__name__}: {error}"}


def read_itk(path):
    try:
        image = SimpleITK.ReadImage(path)
        samples = SimpleITK.GetArrayViewFromImage(image)
        n = image.GetDimension()
        affine = numpy.eye(4)
        direction = numpy.array(image.GetDirection()).reshape(n, n)
        k = min(n, 3)
        affine[:k, :k] = (direction * numpy.array(image.GetSpacing()))[:k, :k]
        affine[:k, 3] = image.GetOrigin()[:k]
        return {"dims": pad_dims(image.GetSize()), "affine": LPS @ affine, "range": value_range(samples)}
    except Exception as error:
        return {"error": str(error).strip().splitlines()[-1]}


def read_pynrrd(path):
    try:
        samples, _ = nrrd.read(path)
        return {"dims": pad_dims(samples.shape), "range": value_range(samples)}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


READERS = {"nibabel": read_nibabel, "ITK": read_itk, "pynrrd": read_pynrrd}


def serve(pipe):
    """Serves read requests until the process ends."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    SimpleITK.ProcessObject.SetGlobalWarningDisplay(False)
    while True:
        name, path = pipe.recv()
        pipe.send(READERS[name](path))


class ReferenceReaders:
    """The other readers, in a separate process, because damaged files make some of them crash or hang."""

    def __init__(self):
        self.process = None

    def read(self, name, path):
        if self.process is None:
            self.pipe, child_pipe = multiprocessing.Pipe()
            self.process = multiprocessing.Process(target=serve, args=(child_pipe,), daemon=True)
            self.process.start()
            child_pipe.close()
        try:
            self.pipe.send((name, path))
            if self.pipe.poll(20):
                return self.pipe.recv()
            problem = "no result within 20 seconds"
        except (EOFError, OSError):
            problem = "crashed"
        self.process.kill()
        self.process.join()
        self.process = None
        print(f"{name}: {problem}")
        return {"error": problem}


def value_range(samples):
    return (float(samples.min()), float(samples.max())) if samples.size else (None, None)


def differences(result, other):
    """Returns the names of the properties in which two results differ."""
    different = []
    if result["dims"] != other["dims"]:
        different.append("dims")
    affine = other.get("affine")
    if affine is not None and not numpy.allclose(result["affine"], affine, rtol=1e-5, atol=1e-6):
        different.append("affine")
    if None in result["range"] or None in other["range"]:
        if result["range"] != other["range"]:
            different.append("range")
    elif not numpy.allclose(result["range"], other["range"], rtol=1e-6):
        different.append("range")
    return different


def classify(kind, result, others, changed):
    """Returns the verdict and its reason."""
    if result is None:
        return "broken", ""
    for other in others.values():
        if not numpy.isfinite(other.get("affine", 0)).all():
            other["error"] = NON_FINITE_MAP
    results = [other for other in others.values() if "error" not in other]
    if "error" in result:
        if "; select one " in result["error"]:
            return "choice", result["error"]
        if not results or len(results) < len(others):
            return "invalid", result["error"]
        agree = not any(set(differences(results[0], other)) - {"affine"} for other in results[1:])
        return ("rejected" if agree else "ambiguous"), result["error"]
    reference = others.get("nibabel", others["ITK"])
    if reference.get("error") == NON_FINITE_MAP:
        reference = others["ITK"]
    if "error" in reference:
        verdict = "extra, with a warning" if result["warnings"] else "extra"
        return verdict, reference["error"]
    if kind == "nrrd" and not any(change.startswith("space=") and change[6:] in ANATOMICAL for change in changed):
        reference = {**reference, "affine": LPS @ reference["affine"]}
    different = differences(result, reference)
    if kind == "nrrd" and "error" not in others["pynrrd"]:
        different += differences(result, others["pynrrd"])
    if not different:
        return "same", ""
    text = ", ".join(sorted(set(different)))
    # Warnings that do not concern the changed fields.
    general = ("Analyze 7.5 does not", "the qform differs")
    warned = any(not any(phrase in warning for phrase in general) for warning in result["warnings"])
    return ("warned" if warned else "silent"), f"{text}: {result} instead of {reference}"


KINDS = {"nifti": nifti, "pair": nifti_pair, "analyze": analyze, "nrrd": nrrd_file, "metaimage": metaimage}


def main():
    parser = argparse.ArgumentParser(description="Compare how ferrovox and other readers read volumes with mutated headers.")
    parser.add_argument("ferrovox", help="path of the program ferrovox")
    parser.add_argument("--count", type=int, default=300, help="number of files per kind (default: 300)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random changes (default: 1)")
    parser.add_argument("--keep", help="folder for copies of the failing files")
    parser.add_argument("--only", choices=tuple(KINDS), help="test one kind of file only")
    args = parser.parse_args()
    reference_readers = {"nrrd": ("ITK", "pynrrd"), "metaimage": ("ITK",)}
    readers = ReferenceReaders()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for kind, generate in KINDS.items():
            if args.only not in (None, kind):
                continue
            pick = random.Random(f"{kind} {args.seed}")
            verdicts = collections.Counter()
            for number in range(args.count):
                files, name, changed = generate(pick)
                for file, content in files.items():
                    with open(os.path.join(folder, file), "wb") as out:
                        out.write(content)
                path = os.path.join(folder, name)
                result = read_ferrovox(args.ferrovox, path)
                others = {name: readers.read(name, path) for name in reference_readers.get(kind, ("ITK", "nibabel"))}
                verdict, reason = classify(kind, result, others, changed)
                verdicts[verdict] += 1
                if verdict in ("silent", "rejected", "broken"):
                    failed += 1
                    print(f"{kind} {number}: {verdict}: {'; '.join(changed)}: {reason}")
                    if args.keep:
                        copies = os.path.join(args.keep, f"{kind}-{number}")
                        os.makedirs(copies, exist_ok=True)
                        for file, content in files.items():
                            with open(os.path.join(copies, file), "wb") as out:
                                out.write(content)
                for file in files:
                    os.remove(os.path.join(folder, file))
            print(f"{kind}: " + ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
