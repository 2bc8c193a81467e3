#!/usr/bin/env python3
"""Compares how ferrovox, nibabel, SimpleITK, pynrrd and NumPy read random valid volumes.

Each file holds random samples of a random type and size, and is written by one of the libraries or by this script, which uses features that the
libraries read but do not write. A file passes if ferrovox reads the samples that were written and the voxel-to-world map that was stored, and if
every library that reads it agrees: sizes, all samples, and the map. Samples that a format stores without scaling have to be equal; scaled ones may
differ by the rounding of their type. ferrovox must not warn, except about files that state no map.

A library that rejects a file is counted but is no failure. Each generator names the libraries that read its files as their format defines them; a
comment states the reason where one is left out.

usage: valid_files.py READ_VOLUMES [--count N] [--seed N] [--keep FOLDER] [--only KIND]
requires: numpy, nibabel, pynrrd, SimpleITK; READ_VOLUMES is the program `read_volumes` of the package ferrovox-tests
"""

import argparse
import bz2
import collections
import gzip
import json
import logging
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import warnings
import zlib

import nibabel
import nrrd
import numpy
import SimpleITK

LPS = numpy.diag([-1.0, -1, 1, 1])
# NumPy type: NIfTI datatype, NRRD type names, MetaImage type.
TYPES = {
    "u1": (2, ("uint8", "uchar", "unsigned char", "uint8_t"), "MET_UCHAR"),
    "i1": (256, ("int8", "signed char", "int8_t"), "MET_CHAR"),
    "u2": (512, ("uint16", "ushort", "unsigned short", "unsigned short int", "uint16_t"), "MET_USHORT"),
    "i2": (4, ("int16", "short", "short int", "signed short", "signed short int", "int16_t"), "MET_SHORT"),
    "u4": (768, ("uint32", "uint", "unsigned int", "uint32_t"), "MET_UINT"),
    "i4": (8, ("int32", "int", "signed int", "int32_t"), "MET_INT"),
    "u8": (1280, ("uint64", "ulonglong", "unsigned long long", "unsigned long long int", "uint64_t"), "MET_ULONG_LONG"),
    "i8": (1024, ("int64", "longlong", "long long", "long long int", "signed long long", "int64_t"), "MET_LONG_LONG"),
    "f4": (16, ("float",), "MET_FLOAT"),
    "f8": (64, ("double",), "MET_DOUBLE"),
}


class File:
    """A file to read, and its expected contents.

    `samples` has the axes x, y and z. `affine` maps voxels to RAS; None if it is not compared. `peers` are names in `PEERS`. `volume`, `component`
    and `axes` are options of the reader. `scaled` is the largest absolute term of a scaled sample, 0 without scaling.
    """

    def __init__(self, name, samples, affine=None, peers=(), volume=None, component=None, axes=None, scaled=0.0, may_warn=False, spatial=3):
        self.name = name
        self.samples = samples
        self.affine = affine
        self.peers = peers
        self.volume = volume
        self.component = component
        self.axes = axes
        self.scaled = scaled
        self.may_warn = may_warn
        self.spatial = spatial
        self.reason = None


def random_shape(pick, axes=3, most=9):
    shape = [pick.choice((1, 2, 3, 4, 5, 6, 7, most)) for _ in range(axes)]
    if pick.random() < 0.03:
        shape[pick.randrange(axes)] = pick.choice((31, 257))
    return tuple(shape)


def random_samples(pick, letter, shape):
    """Returns random samples, many of them extreme, as an array in native byte order."""
    state = numpy.random.default_rng(pick.randrange(1 << 60))
    count = int(numpy.prod(shape, dtype=numpy.int64))
    if letter[0] == "f":
        bits = {"f4": ("u4", 32), "f8": ("u8", 64)}[letter]
        samples = state.normal(0, 10 ** pick.uniform(-3, 6), count).astype(letter)
        raw = state.integers(0, 1 << 32, count, dtype="u8") << numpy.uint64(bits[1] - 32)
        raw = raw.astype(bits[0]).view(letter)
        chosen = state.random(count) < pick.choice((0, 0, 0.1, 0.5))
        samples[chosen] = raw[chosen]
        return samples.reshape(shape)
    info = numpy.iinfo(letter)
    # The samples of a volume are exact in i32 or in f64.
    low, high = max(info.min, -(1 << 53)), min(info.max, 1 << 53)
    kind = pick.random()
    if kind < 0.3:
        low, high = max(low, -5), min(high, 5)
    elif kind < 0.5:
        low, high = max(low, -(1 << 31)), min(high, (1 << 31) - 1)
    samples = state.integers(low, high, count, endpoint=True, dtype=letter)
    if count:
        samples[state.integers(0, count)] = pick.choice((low, high))
    return samples.reshape(shape)


def random_rotation(pick):
    """Returns a random rotation or reflection, sometimes along the axes."""
    if pick.random() < 0.3:
        rows = pick.sample(range(3), 3)
        matrix = numpy.zeros((3, 3))
        for column, row in enumerate(rows):
            matrix[row, column] = pick.choice((-1.0, 1.0))
        return matrix
    state = numpy.random.default_rng(pick.randrange(1 << 60))
    matrix, _ = numpy.linalg.qr(state.normal(size=(3, 3)))
    return matrix


def random_spacing(pick):
    same = pick.choice((1.0, 0.5, 2.0, 10 ** pick.uniform(-3, 3)))
    return numpy.array([same if pick.random() < 0.4 else pick.choice((1.0, 0.7, 1.25, 3.0, 10 ** pick.uniform(-2, 2))) for _ in range(3)])


def random_affine(pick, sheared=False):
    affine = numpy.eye(4)
    matrix = random_rotation(pick)
    if sheared:
        matrix = matrix @ numpy.array([[1, pick.uniform(-0.5, 0.5), 0], [0, 1, pick.uniform(-0.5, 0.5)], [0, 0, 1]])
    affine[:3, :3] = matrix * random_spacing(pick)
    affine[:3, 3] = [pick.choice((0.0, 1.5, -90.0, pick.uniform(-1000, 1000))) for _ in range(3)]
    return affine


def pad(samples):
    """Returns samples of one to three axes as samples of three."""
    return samples.reshape(samples.shape + (1,) * (3 - samples.ndim))


# Files, one function per kind. Each writes its files into `folder` and returns a `File`.


def nifti(pick, folder):
    """NIfTI-1, NIfTI-2 and pairs, written by nibabel: several volumes, scaling, both byte orders, sform and qform."""
    letter = pick.choice(sorted(TYPES))
    order = pick.choice("<<>")
    version = pick.choice((1, 1, 2))
    pair = pick.random() < 0.25
    image_class = {
        (1, False): nibabel.Nifti1Image, (2, False): nibabel.Nifti2Image, (1, True): nibabel.Nifti1Pair, (2, True): nibabel.Nifti2Pair,
    }[version, pair]
    header_class = image_class.header_class
    volumes = pick.choice((None, None, None, 1, 2, 3))
    shape = random_shape(pick) + (() if volumes is None else (volumes,))
    sheared = pick.random() < 0.3
    affine = random_affine(pick, sheared)
    data = random_samples(pick, letter, shape)
    header = header_class(endianness=order)
    header.set_data_dtype(numpy.dtype(order + letter))
    header.set_data_shape(shape)
    header.set_zooms([*numpy.linalg.norm(affine[:3, :3], axis=0)] + [1.0] * (len(shape) - 3))
    header.set_xyzt_units(pick.choice((None, "mm", "mm")), pick.choice((None, "sec", "msec")))
    forms = pick.choice((("sform",), ("qform",), ("sform", "qform"))) if not sheared else ("sform",)
    if "qform" in forms:
        header.set_qform(affine, code=pick.choice((1, 2, 3, 4)))
    else:
        header["qform_code"] = 0
    if "sform" in forms:
        header.set_sform(affine, code=pick.choice((1, 2, 3, 4)))
    else:
        header["sform_code"] = 0
    header["descrip"] = b"random"
    affine = header.get_sform() if "sform" in forms else header.get_qform()
    slope, intercept, scaled = 1.0, 0.0, 0.0
    if letter[0] in "ui" and pick.random() < 0.3:
        slope = float(numpy.float32(pick.choice((2.0, 0.5, -1.5, 10 ** pick.uniform(-4, 2)))))
        intercept = float(numpy.float32(pick.choice((0.0, 3.0, -1024.0, pick.uniform(-100, 100)))))
    raw = header.copy()
    raw["scl_slope"], raw["scl_inter"] = slope, intercept
    raw["magic"] = {(1, False): b"n+1", (1, True): b"ni1", (2, False): b"n+2", (2, True): b"ni2"}[version, pair]
    size = 348 if version == 1 else 540
    offset = 0 if pair else pick.choice((size + 4, size + 4, size + 20, size + 68))
    if pair and pick.random() < 0.2:
        offset = 16
    raw["vox_offset"] = offset
    content = data.astype(order + letter).tobytes(order="F")
    header_bytes = raw.binaryblock
    compressed = pick.random() < 0.4

    def write(name, content):
        if compressed:
            content = gzip.compress(content, compresslevel=1)
            if pick.random() < 0.2:
                content += bytes(pick.choice((1, 512)))  # padding of an archive
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)

    suffix = ".gz" if compressed else ""
    if pair:
        write("a.hdr" + suffix, header_bytes + (bytes(4) if pick.random() < 0.5 else b""))
        write("a.img" + suffix, bytes(offset) + content)
        name = pick.choice(("a.hdr", "a.img")) + suffix
    else:
        write("a.nii" + suffix, header_bytes + bytes(offset - size) + content)
        name = "a.nii" + suffix
    volume = pick.randrange(volumes) if volumes and volumes > 1 else None
    samples = data if volumes is None else data[..., volume or 0]
    if (slope, intercept) != (1.0, 0.0):
        stored = samples.astype("f8")
        samples = stored * slope + intercept
        scaled = float(max(numpy.abs(stored * slope).max(), abs(intercept), 1e-300))
    peers = ["nibabel"]
    # ITK reads no NIfTI-2, accepts orthogonal axes only, and scales in f32.
    if version == 1 and not sheared and not (scaled and letter in ("u4", "i4", "u8", "i8")):
        peers.append("SimpleITK")
    # With both forms there may be a warning that they differ, because the quaternion is rounded.
    return File(name, samples, affine, peers, volume=volume, scaled=scaled, may_warn=len(forms) == 2)


def nifti_vectors(pick, folder):
    """NIfTI with components: vectors along the fifth axis, colours and complex numbers, also as series."""
    kind = pick.choice(("vectors", "vectors", "rgb", "rgba", "complex64", "complex128"))
    shape = random_shape(pick)
    times = pick.choice((1, 1, 2, 3))
    affine = random_affine(pick)
    order = pick.choice("<>")
    time_index = pick.randrange(times)
    header = nibabel.Nifti1Header(endianness=order)
    if kind == "vectors":
        components = pick.choice((2, 3, 4))
        letter = pick.choice(("i2", "f4", "f8", "u1"))
        data = random_samples(pick, letter, shape + (times, components))
        code, bits, content = TYPES[letter][0], data.itemsize * 8, data.astype(order + letter).tobytes(order="F")
        component = pick.randrange(components)
        samples = data[:, :, :, time_index, component]
        dims = [5, *shape, times, components, 1, 1]
    else:
        components, code, bits, letter = {
            "rgb": (3, 128, 24, "u1"), "rgba": (4, 2304, 32, "u1"), "complex64": (2, 32, 64, "f4"), "complex128": (2, 1792, 128, "f8"),
        }[kind]
        data = random_samples(pick, letter, (components,) + shape + (times,))
        content = data.astype(order + letter).tobytes(order="F")
        component = pick.randrange(components)
        samples = data[component, ..., time_index]
        dims = [4 if times > 1 else 3, *shape, times, 1, 1, 1]
    block = bytearray(header.binaryblock)
    struct.pack_into(order + "8h", block, 40, *dims)
    intent = pick.choice((1007, 1007, 1006, 1008, 1010, 2003, 2004)) if kind == "vectors" else 0
    struct.pack_into(order + "h", block, 68, intent)
    struct.pack_into(order + "2h", block, 70, code, bits)
    struct.pack_into(order + "f", block, 108, 352)
    struct.pack_into(order + "2f", block, 112, 1, 0)
    struct.pack_into(order + "4s", block, 344, b"n+1\0")
    struct.pack_into(order + "4f", block, 76, 1, *numpy.linalg.norm(affine[:3, :3], axis=0))
    header = nibabel.Nifti1Header(bytes(block), endianness=order)
    header.set_sform(affine, code=1)
    header["qform_code"] = 0
    with open(os.path.join(folder, "a.nii"), "wb") as file:
        file.write(header.binaryblock + bytes(4) + content)
    volume = time_index if times > 1 else None
    peers = ["nibabel"] if kind == "vectors" else []
    if kind == "vectors" and times == 1 and intent == 1007:
        peers.append("SimpleITK")
    return File("a.nii", samples, header.get_sform(), peers, volume=volume, component=component)


def nibabel_written(pick, folder):
    """Files of nibabel's own writers, which choose the scaling: NIfTI and Analyze 7.5."""
    image_class, name = pick.choice((
        (nibabel.Nifti1Image, "a.nii"), (nibabel.Nifti1Image, "a.nii.gz"), (nibabel.Nifti2Image, "a.nii"), (nibabel.Nifti1Pair, "a.img"),
        (nibabel.AnalyzeImage, "a.img"),
    ))
    is_nifti = "Nifti" in image_class.__name__
    letter = pick.choice(("i2", "u1", "i4", "f4", "f8") if not is_nifti else sorted(TYPES))
    shape = random_shape(pick)
    data = random_samples(pick, letter, shape)
    affine = random_affine(pick)
    if not is_nifti:
        affine = numpy.diag([*random_spacing(pick), 1.0])
        affine[0, 0] *= -1
    image = image_class(data, affine, dtype=data.dtype)
    if is_nifti and letter in ("f4", "f8") and pick.random() < 0.5:
        finite = numpy.nan_to_num(data.astype("f4"), nan=0, posinf=1, neginf=-1).clip(-1e30, 1e30)
        image = image_class(finite, affine, dtype="f4")
        image.set_data_dtype(pick.choice(("i2", "u1", "i4")))
    nibabel.save(image, os.path.join(folder, name))
    found = nibabel.load(os.path.join(folder, name))
    samples = numpy.asanyarray(found.dataobj)
    slope, intercept = found.dataobj.slope, found.dataobj.inter
    is_scaled = (slope, intercept) != (1, 0)
    scaled = float(max(numpy.abs(samples).max(), abs(intercept))) if is_scaled else 0.0
    if not is_nifti:
        # Analyze has no map, so there is a warning about the one that is assumed.
        return File(name, samples, found.affine, ["nibabel"], scaled=scaled, may_warn=True)
    peers = ["nibabel"] + ([] if is_scaled or image_class is nibabel.Nifti2Image else ["SimpleITK"])
    return File(name, samples, found.affine, peers, scaled=scaled)


def itk_written(pick, folder):
    """Files of SimpleITK's writers: MetaImage, NRRD and NIfTI, images and volumes, with components, compressed."""
    axes = pick.choice((2, 3, 3, 3, 4))
    name = pick.choice(("a.mha", "a.mhd", "a.nrrd", "a.nhdr", "a.nii", "a.nii.gz") if axes < 4 else ("a.mha", "a.mhd", "a.nii"))
    letter = pick.choice(sorted(TYPES))
    components = pick.choice((1, 1, 1, 2, 3))
    if ".nii" in name and (components > 1 or letter in ("u8", "i8")):
        components, letter = 1, "i2"
    shape = random_shape(pick, axes)
    data = random_samples(pick, letter, shape[::-1] + ((components,) if components > 1 else ()))
    image = SimpleITK.GetImageFromArray(data, isVector=components > 1)
    affine = random_affine(pick)
    spatial = min(axes, 3)
    spacing = numpy.linalg.norm(affine[:3, :3], axis=0)
    direction = numpy.eye(axes)
    origin = numpy.zeros(axes)
    origin[:spatial] = affine[:spatial, 3]
    if axes >= 3:
        direction[:3, :3] = affine[:3, :3] / spacing
    image.SetSpacing([*spacing[:spatial], 1.0][:axes])
    image.SetOrigin(list(origin))
    image.SetDirection(list(direction.flatten()))
    SimpleITK.WriteImage(image, os.path.join(folder, name), useCompression=pick.random() < 0.4)
    expected = numpy.eye(4)
    expected[:spatial, :spatial] = direction[:spatial, :spatial] * spacing[:spatial]
    expected[:spatial, 3] = origin[:spatial]
    component = pick.randrange(components) if components > 1 else None
    samples = data if component is None else data[..., component]
    volume = pick.randrange(shape[3]) if axes == 4 and shape[3] > 1 else None
    if axes == 4:
        samples = samples[volume or 0]
    peers = ["SimpleITK"]
    if ".nii" in name:
        peers.append("nibabel")
    if name in ("a.nrrd", "a.nhdr"):
        peers.append("pynrrd")
    # ITK writes no space for images, and takes their coordinates for LPS; ferrovox and pynrrd take them as they stand.
    no_space = axes == 2 and name in ("a.nrrd", "a.nhdr")
    affine = expected if no_space else LPS @ expected
    # Of NIfTI, ITK writes both forms, which differ by the rounding of the quaternion.
    may_warn = ".nii" in name
    result = File(name, pad(samples.T), affine, peers, volume=volume, component=component, spatial=spatial, may_warn=may_warn)
    result.no_space = no_space
    return result


def nrrd_written(pick, folder):
    """Files of pynrrd's writer: all its encodings, attached and detached."""
    letter = pick.choice(sorted(TYPES))
    data = random_samples(pick, letter, random_shape(pick, pick.choice((1, 2, 3, 3, 3))))
    encoding = pick.choice(("raw", "gzip", "bzip2", "ascii"))
    if encoding == "ascii" and letter[0] == "f":
        data = numpy.round(numpy.nan_to_num(data.astype("f4"), nan=1, posinf=2, neginf=3).clip(-1e6, 1e6) * 4) / 4
        data = data.astype(letter)
    affine = random_affine(pick)
    header = {"encoding": encoding, "content": "a: b := c"}
    space = pick.choice((None, "left-posterior-superior", "RAS", "LAS"))
    compared = None
    if data.ndim == 3 and space:
        header["space"] = space
        flips = {"left-posterior-superior": LPS, "RAS": numpy.eye(4), "LAS": numpy.diag([-1.0, 1, 1, 1])}[space]
        in_space = flips @ affine
        header["space directions"] = in_space[:3, :3].T
        header["space origin"] = in_space[:3, 3]
        compared = affine
    elif data.ndim == 3 and pick.random() < 0.5:
        spacing = random_spacing(pick)
        header["spacings"] = spacing
        compared = numpy.diag([*spacing, 1.0])
    if pick.random() < 0.3:
        header["endian"] = "little"
    if pick.random() < 0.3:
        header["note"] = "a := b: c"
    name = pick.choice(("a.nrrd", "a.nrrd", "a.nhdr"))
    nrrd.write(os.path.join(folder, name), data, header, index_order="F", compression_level=1)
    peers = ["pynrrd"]
    # ITK reads no text in exponential notation, and takes coordinates without a space for LPS.
    if data.ndim >= 2 and encoding != "ascii" and encoding != "bzip2":
        peers.append("SimpleITK")
    result = File(name, pad(data), compared, peers)
    result.no_space = space is None
    return result


def nrrd_by_hand(pick, folder):
    """NRRD with features that writers seldom use: byte orders, skips, lists and patterns of files, components, spellings."""
    letter = pick.choice(sorted(TYPES))
    shape = random_shape(pick)
    components = pick.choice((None, None, None, 2, 3))
    order = pick.choice("<>")
    full = ((components,) if components else ()) + shape
    data = random_samples(pick, letter, full)
    stored = data.astype(order + letter)
    encoding = pick.choice(("raw", "raw", "gzip", "bzip2", "ascii", "hex"))
    if encoding == "ascii" and letter[0] == "f":
        data = stored = (numpy.nan_to_num(stored.astype("f4"), nan=0, posinf=1, neginf=2).clip(-1e6, 1e6) * 4).round() / 4
        data = stored = data.astype(letter)
    affine = random_affine(pick, pick.random() < 0.3)
    lines = [("type", pick.choice(TYPES[letter][1])), ("dimension", str(len(full)))]
    directed = pick.random() < 0.7
    compared = None
    if directed:
        space = pick.choice(("left-posterior-superior", "right-anterior-superior", "left-anterior-superior", "LPS", "RAS", "LAS"))
        flips = {"l": LPS, "r": numpy.eye(4)}[space[0].lower()]
        if space.lower() in ("las", "left-anterior-superior"):
            flips = numpy.diag([-1.0, 1, 1, 1])
        lines.append(("space", space))
        in_space = flips @ affine
        vectors = ["(" + ",".join(repr(float(x)) for x in in_space[:3, axis]) + ")" for axis in range(3)]
        lines.append((pick.choice(("space directions", "space directions")), " ".join((["none"] if components else []) + vectors)))
        origin = pick.random() < 0.8
        if origin:
            lines.append(("space origin", "(" + ", ".join(repr(float(x)) for x in in_space[:3, 3]) + ")"))
        else:
            affine[:3, 3] = 0
        compared = affine
    elif pick.random() < 0.6:
        spacing = random_spacing(pick)
        lines.append(("spacings", " ".join((["nan"] if components else []) + [repr(float(x)) for x in spacing])))
        compared = numpy.diag([*spacing, 1.0])
    lines.append(("sizes", " ".join(map(str, full))))
    if components:
        lines.append(("kinds", f"{pick.choice(('vector', f'{components}-vector')) if components > 1 else 'scalar'} domain domain domain"))
    lines.append(("encoding", {"gzip": pick.choice(("gzip", "gz")), "bzip2": pick.choice(("bzip2", "bz2")),
                               "ascii": pick.choice(("ascii", "text", "txt"))}.get(encoding, encoding)))
    if stored.itemsize > 1 or pick.random() < 0.3:
        lines.append(("endian", "big" if order == ">" else "little"))
    for line in (("content", "any: text"), ("centerings", "cell " * len(full)), ("labels", '"x" ' * len(full)), 
                 ("sample units", "HU"), ("old min", "0"), ("thicknesses", "nan " * len(full))):
        if pick.random() < 0.1:
            lines.append((line[0], line[1].strip()))

    layout = pick.choice(("attached", "attached", "detached", "list", "pattern"))
    if encoding == "ascii" and layout in ("list", "pattern"):
        layout = "detached"
    byte_skip, line_skip = 0, 0
    if layout != "attached" and pick.random() < 0.4:
        line_skip = pick.choice((1, 2))
        lines.append((pick.choice(("line skip", "lineskip")), str(line_skip)))
    if encoding in ("raw", "gzip", "bzip2") and pick.random() < 0.3:
        byte_skip = pick.choice((1, 5, 40, -1 if encoding == "raw" else 3))
        lines.append((pick.choice(("byte skip", "byteskip")), str(byte_skip)))

    def encode(part):
        content = part.tobytes(order="F")
        if encoding == "ascii":
            values = part.flatten(order="F")
            texts = [repr(float(x)) if letter[0] == "f" else str(int(x)) for x in values]
            content = pick.choice((" ", "\n")).join(texts).encode() + b"\n"
        elif encoding == "hex":
            content = b"\n".join(content[at:at + 30].hex().encode() for at in range(0, len(content), 30)) + b"\n"
        content = (os.urandom(7) if byte_skip == -1 and layout != "attached" else bytes(max(byte_skip, 0))) + content
        if encoding == "gzip":
            content = gzip.compress(content, compresslevel=1)
        elif encoding == "bzip2":
            content = bz2.compress(content)
        return b"a line\n" * line_skip + content

    magic = pick.choice(("NRRD0004", "NRRD0005"))
    newline = pick.choice(("\n", "\n", "\n", "\r\n"))
    notes = pick.choice(("", "# a comment: with a colon" + newline, "key:=value" + newline, "key:=value: b := c" + newline))
    text = magic + newline + notes + "".join(f"{n}: {v}{newline}" for n, v in lines)
    if layout == "attached":
        name = "a.nrrd"
        content = text.encode() + newline.encode() + encode(stored)
    else:
        name = "a.nhdr"
        files = {}
        if layout == "detached":
            files["a.raw"] = encode(stored)
            text += pick.choice(("data file", "datafile")) + ": a.raw" + newline
        else:
            count = full[-1]
            for z in range(count):
                files[f"s{z + 1:02d}"] = encode(stored[..., z])
            if layout == "list":
                text += pick.choice(("data file: LIST", f"data file: LIST {len(full) - 1}")) + newline + "".join(f"{f}{newline}" for f in files)
            else:
                text += f"data file: s%02d 1 {count} 1{pick.choice(('', f' {len(full) - 1}'))}{newline}"
        for file, part in files.items():
            with open(os.path.join(folder, file), "wb") as out:
                out.write(part)
        content = text.encode()
    with open(os.path.join(folder, name), "wb") as out:
        out.write(content)
    component = pick.randrange(components) if components else None
    samples = data if component is None else data[component]
    peers = []
    # pynrrd has no hexadecimal encoding and no patterns, and takes a second ":=" of a line for another separator.
    if encoding != "hex" and layout != "pattern" and ": b :=" not in notes and not (byte_skip and encoding == "ascii"):
        peers.append("pynrrd")
    if encoding in ("raw", "gzip") and compared is not None and not components:
        peers.append("SimpleITK")
    result = File(name, samples, compared, peers, component=component)
    result.no_space = not directed
    return result


def metaimage(pick, folder):
    """MetaImage with features that ITK reads but does not write: older names, lists, patterns, text, header sizes."""
    letter = pick.choice(sorted(TYPES))
    order = pick.choice("<>")
    axes = pick.choice((2, 3, 3, 3, 4))
    shape = random_shape(pick, axes)
    channels = pick.choice((1, 1, 1, 2, 3))
    data = random_samples(pick, letter, (channels,) + shape)
    affine = random_affine(pick)
    spatial = min(axes, 3)
    spacing = numpy.linalg.norm(affine[:3, :3], axis=0)
    matrix = numpy.eye(axes)
    if axes >= 3:
        matrix[:3, :3] = affine[:3, :3] / spacing
    steps = numpy.ones(axes)
    steps[:spatial] = spacing[:spatial]
    offset = numpy.zeros(axes)
    offset[:spatial] = affine[:spatial, 3]
    expected = numpy.eye(4)

    def numbers(values):
        return " ".join(repr(float(value)) for value in values)

    binary = pick.random() < 0.85
    if not binary and letter[0] == "f":
        data = (numpy.nan_to_num(data.astype("f4"), nan=0, posinf=1, neginf=2).clip(-1e5, 1e5) * 4).round() / 4
        data = data.astype(letter)
    fields = [("ObjectType", "Image"), ("NDims", axes), ("BinaryData", pick.choice(("True", "true", "T")) if binary else "False")]
    if order == ">" or pick.random() < 0.7:
        fields.append((pick.choice(("BinaryDataByteOrderMSB", "ElementByteOrderMSB")), str(order == ">")))
    if pick.random() < 0.8:
        fields.append((pick.choice(("TransformMatrix", "Rotation", "Orientation")), numbers(matrix.flatten(order="F"))))
    else:
        matrix = numpy.eye(axes)
    if pick.random() < 0.8:
        fields.append((pick.choice(("Offset", "Position", "Origin")), numbers(offset)))
    else:
        offset = numpy.zeros(axes)
    named = pick.choice(("ElementSpacing", "ElementSpacing", "ElementSize", "both", None))
    if named == "both":
        fields += [("ElementSize", numbers(steps * 2)), ("ElementSpacing", numbers(steps))]
    elif named:
        fields.append((named, numbers(steps)))
    else:
        steps = numpy.ones(axes)
    for field in (("AnatomicalOrientation", "RAI"), ("CenterOfRotation", numbers(numpy.zeros(axes))), ("Comment", "a = b"), ("Modality", "MET_MOD_CT")):
        if pick.random() < 0.1:
            fields.append(field)
    expected[:spatial, :spatial] = matrix[:spatial, :spatial] * steps[:spatial]
    expected[:spatial, 3] = offset[:spatial]
    fields.append(("DimSize", " ".join(map(str, shape))))
    if channels > 1 or pick.random() < 0.1:
        fields.append(("ElementNumberOfChannels", channels))
    fields.append(("ElementType", TYPES[letter][2]))
    stored = data.astype(order + letter)
    content = stored.tobytes(order="F")
    layout = pick.choice(("local", "local", "file", "list", "pattern")) if binary else pick.choice(("local", "file"))
    if axes == 2 and layout in ("list", "pattern"):
        layout = "file"
    compressed = binary and layout in ("local", "file") and pick.random() < 0.4
    if not binary:
        values = data.flatten(order="F")
        content = " ".join(repr(float(x)) if letter[0] == "f" else str(int(x)) for x in values).encode() + b"\n"
    if compressed:
        content = zlib.compress(content, 1)
        fields += [("CompressedData", "True"), ("CompressedDataSize", len(content))]
    elif pick.random() < 0.3:
        fields.append(("CompressedData", "False"))
    header_size = pick.choice((0, 0, 0, 64, -1)) if layout == "file" and binary and not compressed else 0
    if header_size:
        fields.append(("HeaderSize", header_size))
        content = os.urandom(64) + content
    files = {}
    name = "a.mhd"
    if layout == "local":
        fields.append(("ElementDataFile", pick.choice(("LOCAL", "LOCAL", "Local"))))
        name = "a.mha"
    elif layout == "file":
        files["a.raw"] = content
        fields.append(("ElementDataFile", "a.raw"))
    else:
        for z in range(shape[-1]):
            files[f"s{z + 1:02d}"] = stored[..., z].tobytes(order="F")
        if layout == "list":
            fields.append(("ElementDataFile", pick.choice(("LIST", f"LIST {axes - 1}D", f"LIST {axes - 1}"))))
        else:
            fields.append(("ElementDataFile", f"s%02d 1 {shape[-1]} 1"))
    separator = pick.choice((" = ", " = ", "="))
    text = "".join(f"{key}{separator}{value}\n" for key, value in fields)
    if layout == "list":
        text += "".join(f"{file}\n" for file in files)
    with open(os.path.join(folder, name), "wb") as out:
        out.write(text.encode() + (content if layout == "local" else b""))
    for file, part in files.items():
        with open(os.path.join(folder, file), "wb") as out:
            out.write(part)
    component = pick.randrange(channels) if channels > 1 else None
    samples = data[component or 0]
    volume = None
    if axes == 4:
        volume = pick.randrange(shape[3]) if shape[3] > 1 else None
        samples = samples[..., volume or 0]
    # ITK swaps the bytes of numbers in text, and reads the first component of each sample only.
    peers = ["SimpleITK"] if binary or (order == "<" and channels == 1) else []
    return File(name, pad(samples), LPS @ expected, peers, volume=volume, component=component, spatial=spatial)


def npy(pick, folder):
    """Arrays of NumPy: all versions of the format, both memory orders, one to five axes, complex numbers."""
    letter = pick.choice(sorted(TYPES) + ["b1", "c8", "c16"])
    order = pick.choice("<>")
    axes = pick.choice((None, "zyx", "xyz"))
    ndim = pick.choice((0, 1, 2, 3, 3, 3, 4, 4, 5))
    shape = random_shape(pick, ndim, 5) if ndim else ()
    if letter == "b1":
        data = random_samples(pick, "u1", shape) % 2 == 1
    elif letter[0] == "c":
        parts = random_samples(pick, {"c8": "f4", "c16": "f8"}[letter], (2,) + shape)
        data = numpy.empty(shape, letter)
        data.real[...], data.imag[...] = parts[0], parts[1]
    else:
        data = random_samples(pick, letter, shape)
    fortran = pick.random() < 0.5
    stored = numpy.array(data, dtype=data.dtype.newbyteorder(order), order="F" if fortran else "C")
    version = pick.choice(((1, 0), (1, 0), (2, 0), (3, 0)))
    with open(os.path.join(folder, "a.npy"), "wb") as file:
        numpy.lib.format.write_array(file, stored, version=version, allow_pickle=False)
    # Written as Fortran order only if the memory order of the array is no C order too.
    is_fortran = stored.flags.f_contiguous and not stored.flags.c_contiguous
    volume = component = None
    samples = data
    if letter[0] == "c":
        component = pick.randrange(2)
    elif samples.ndim > 3 and pick.random() < 0.4:
        component = pick.randrange(samples.shape[-1])
        samples = samples[..., component]
    if axes == "xyz":
        samples = samples.T
    # The axes are now (volumes..., z, y, x); the volumes are counted with the axis nearest to the spatial ones first.
    if samples.ndim > 3:
        count = int(numpy.prod(samples.shape[:-3]))
        samples = samples.reshape((count,) + samples.shape[-3:])
        volume = pick.randrange(count)
        samples = samples[volume]
        volume = volume if count > 1 else pick.choice((None, 0))
    if letter[0] == "c":
        samples = samples.imag if component else samples.real
    if letter == "b1":
        samples = samples.astype("u1")
    result = File("a.npy", pad(samples.T), numpy.eye(4), ["numpy"], volume=volume, component=component, axes=axes, may_warn=is_fortran)
    return result


KINDS = {
    "nifti": (nifti, 4), "nifti_vectors": (nifti_vectors, 1), "nibabel": (nibabel_written, 2), "itk": (itk_written, 4), "pynrrd": (nrrd_written, 2),
    "nrrd": (nrrd_by_hand, 4), "metaimage": (metaimage, 4), "npy": (npy, 3),
}


# The other libraries. Each function returns the samples with the axes x, y and z, and the map to RAS or None.


def select(samples, file, components_last=False):
    """Selects the volume and the component of an array with the axes x, y, z, volumes and components."""
    if components_last and file.component is not None:
        samples = samples[..., file.component]
    if samples.ndim > 3:
        samples = samples.reshape(samples.shape[:3] + (-1,), order="F")[..., file.volume or 0]
    return pad(samples)


def read_nibabel(path, file):
    image = nibabel.load(path)
    return select(numpy.asanyarray(image.dataobj), file, components_last=True), image.affine


def read_itk(path, file):
    image = SimpleITK.ReadImage(path)
    samples = SimpleITK.GetArrayFromImage(image)
    if image.GetNumberOfComponentsPerPixel() > 1:
        samples = samples[..., file.component]
    n = image.GetDimension()
    k = min(n, 3)
    affine = numpy.eye(4)
    direction = numpy.array(image.GetDirection()).reshape(n, n)
    affine[:k, :k] = (direction * numpy.array(image.GetSpacing()))[:k, :k]
    affine[:k, 3] = image.GetOrigin()[:k]
    affine = LPS @ affine
    if getattr(file, "no_space", False):
        affine = LPS @ affine
    # It reads a volume of one plane with vectors as an image, which has no third axis.
    return select(samples.T, file), affine if k == file.spatial else None


def read_pynrrd(path, file):
    samples, _ = nrrd.read(path)
    if file.component is not None:
        samples = samples[file.component]
    return pad(samples), None


def read_numpy(path, file):
    samples = numpy.load(path, allow_pickle=False)
    if file.component is not None and samples.dtype.kind != "c":
        samples = samples[..., file.component]
    elif samples.dtype.kind == "c":
        samples = samples.imag if file.component else samples.real
    if file.axes == "xyz":
        samples = samples.T
    if samples.ndim > 3:
        samples = samples.reshape((-1,) + samples.shape[-3:])[file.volume or 0]
    return pad(samples.T), None


PEERS = {"nibabel": read_nibabel, "SimpleITK": read_itk, "pynrrd": read_pynrrd, "numpy": read_numpy}


def map_difference(found, expected, file):
    """Returns a description of the difference between two maps, or None. Images have no third axis to compare."""
    k = file.spatial
    rows = range(3) if k == 3 else range(k)
    columns = [*range(k), 3]
    found, expected = found[numpy.ix_(rows, columns)], expected[numpy.ix_(rows, columns)]
    size = numpy.abs(expected).max()
    if numpy.abs(found - expected).max() <= 2e-5 * size:
        return None
    return f"map {found.tolist()} instead of {expected.tolist()}"


def sample_difference(found, expected, file, sample_type):
    """Returns a description of the first difference between samples, or None."""
    if found.shape != expected.shape:
        return f"sizes {found.shape} instead of {expected.shape}"
    with numpy.errstate(all="ignore"):
        found, expected = found.astype("f8"), expected.astype("f8")
        same = (found == expected) | (numpy.isnan(found) & numpy.isnan(expected))
        if file.scaled:
            precision = 2.0**-22 if sample_type == "f32" else 2.0**-48
            same |= numpy.abs(found - expected) <= precision * file.scaled
    if same.all():
        return None
    at = tuple(int(i) for i in numpy.argwhere(~same)[0])
    return f"sample {at} is {found[at]!r} instead of {expected[at]!r}"


class Reader:
    """The program `read_volumes`."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def read(self, path, file):
        request = {"path": path}
        for key in ("volume", "component", "axes"):
            if getattr(file, key) is not None:
                request[key] = getattr(file, key)
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit("read_volumes ended")
        result = json.loads(line)
        if "error" not in result:
            samples = numpy.fromfile(path + ".samples", "<f8")
            result["samples"] = samples.reshape(result["dims"], order="F")
            affine = numpy.eye(4)
            affine[:3] = result["affine"]
            result["affine"] = affine
        return result


def compare(reader, folder, file, counts, kind):
    """Returns the differences of a file."""
    path = os.path.join(folder, file.name)
    result = reader.read(path, file)
    if "error" in result:
        return [f"rejected: {result['error']}"]
    found = []
    difference = sample_difference(result["samples"], file.samples, file, result["type"])
    if difference:
        found.append(f"written: {difference}")
    if file.affine is not None:
        difference = map_difference(result["affine"], file.affine, file)
        if difference:
            found.append(f"written: {difference}")
    if result["notes"] and not file.may_warn and file.affine is not None and not getattr(file, "no_space", False):
        found.append(f"warning: {result['notes']}")
    for peer in file.peers:
        try:
            samples, affine = PEERS[peer](path, file)
        except Exception as error:  # any exception counts as a rejection
            counts[kind, f"rejected by {peer}"] += 1
            if file.reason is None:
                file.reason = f"{peer}: {str(error).strip().splitlines()[-1] if str(error).strip() else type(error).__name__}".replace(folder, "")
            continue
        found_samples = result["samples"]
        if peer == "SimpleITK" and file.name.startswith(("a.nii", "a.hdr", "a.img")):
            found_samples = numpy.where(numpy.isfinite(found_samples), found_samples, 0)  # as its reader of NIfTI does
        difference = sample_difference(found_samples, samples, file, "f32" if file.scaled else result["type"])
        difference = difference or (affine is not None and file.affine is not None and map_difference(result["affine"], affine, file)) or None
        if difference:
            found.append(f"{peer}: {difference}")
        else:
            counts[kind, f"equal to {peer}"] += 1
    return found


def main():
    parser = argparse.ArgumentParser(description="Compare how ferrovox and other libraries read random valid volumes.")
    parser.add_argument("read_volumes", help="path of the program read_volumes")
    parser.add_argument("--count", type=int, default=20000, help="number of files (default: 20000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random files (default: 1)")
    parser.add_argument("--keep", help="folder for copies of the files that differ")
    parser.add_argument("--only", choices=tuple(KINDS), help="compare one kind of file only")
    parser.add_argument("--rejections", action="store_true", help="print a reason for each kind of rejection by a library")
    args = parser.parse_args()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    SimpleITK.ProcessObject.SetGlobalWarningDisplay(False)
    kinds = {name: kind for name, kind in KINDS.items() if args.only in (None, name)}
    total = sum(weight for _, weight in kinds.values())
    reader = Reader(args.read_volumes)
    counts, reasons, failed = collections.Counter(), collections.Counter(), 0
    start = time.monotonic()
    done = 0
    for position, (kind, (generate, weight)) in enumerate(kinds.items()):
        files = args.count * weight // total
        if position == len(kinds) - 1:
            files = args.count - done
        for number in range(files):
            pick = random.Random(f"{kind} {args.seed} {number}")
            with tempfile.TemporaryDirectory() as folder:
                file = generate(pick, folder)
                found = compare(reader, folder, file, counts, kind)
                if file.reason:
                    reasons[kind, file.reason[:100]] += 1
                if found:
                    failed += 1
                    options = {key: getattr(file, key) for key in ("volume", "component", "axes") if getattr(file, key) is not None}
                    print(f"{kind} {number} ({file.name}, {options}): " + "; ".join(found), flush=True)
                    if args.keep:
                        copy = os.path.join(args.keep, f"{kind}-{args.seed}-{number}")
                        shutil.rmtree(copy, ignore_errors=True)
                        shutil.copytree(folder, copy)
        done += files
        results = ", ".join(f"{count} {what}" for (name, what), count in sorted(counts.items()) if name == kind)
        print(f"{kind}: {files} files: {results}", flush=True)
    if args.rejections:
        for (kind, reason), count in reasons.most_common(40):
            print(f"  {kind}: {count} times {reason}")
    print(f"valid files: seed {args.seed}: {done} files, {failed} differ, {time.monotonic() - start:.0f} seconds")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
