"""Writes TIFF files with tifffile to a folder. Prints one line per file: path, options, expected
samples (an npy file of float64, flat, x fastest) or "!" and part of an error, and spacing."""

import os
import sys
import warnings

import numpy
import tifffile

warnings.simplefilter("ignore")
folder = sys.argv[1]
random = numpy.random.default_rng(1)
count = 0


def report(path, expected, options="-", spacing=(1, 1, 1)):
    if not isinstance(expected, str):
        numpy.save(path + ".npy", expected.astype(float).ravel())
        expected = path + ".npy"
    print(path, options, expected, " ".join(str(it) for it in spacing), sep="\t")


def new(name):
    global count
    count += 1
    return os.path.join(folder, "%02d-%s.tif" % (count, name))


def values(dtype, shape=(5, 37, 45)):
    if numpy.dtype(dtype).kind == "f":
        return random.normal(size=shape).astype(dtype)
    low = -100 if numpy.dtype(dtype).kind == "i" else 0
    # Smooth parts and noise, so that every compression has something to do.
    data = random.integers(low, 120, size=shape)
    data[:, : shape[1] // 2] = 7
    return data.astype(dtype)


for dtype in ["u1", "i1", "u2", "i2", "u4", "i4", "f2", "f4", "f8", "u8", "i8"]:
    for order in "<>":
        path = new("type-" + dtype)
        data = values(dtype)
        tifffile.imwrite(path, data, byteorder=order, bigtiff=order == ">", photometric="minisblack")
        report(path, data)
for compression in ["zlib", "lzw", "packbits", "zstd"]:
    for predictor in [False, True]:
        for dtype in ["u1", "u2", "f4", "f8"]:
            if compression == "packbits" and predictor:
                continue
            for tile in [None, (16, 32)]:
                path = new("-".join([compression, dtype, str(predictor)]))
                data = values(dtype)
                options = {"tile": tile} if tile else {"rowsperstrip": 10}
                order = ">" if dtype == "u2" else "<"
                tifffile.imwrite(path, data, compression=compression, predictor=predictor,
                                 photometric="minisblack", byteorder=order, **options)
                report(path, data)
# LZW with tables that are cleared often.
path = new("lzw-noise")
data = random.integers(0, 256, size=(2, 300, 300)).astype("u1")
tifffile.imwrite(path, data, compression="lzw", photometric="minisblack")
report(path, data)
# ImageJ: time, z, channel; also with a single directory, as for large files.
for truncate in [False, True]:
    path = new("imagej")
    data = values("u2", (3, 4, 2, 21, 33))
    tifffile.imwrite(path, data, imagej=True, truncate=truncate, resolution=(2.0, 4.0),
                     metadata={"axes": "TZCYX", "spacing": 3.5, "unit": "mm"})
    for time, channel in [(0, 0), (1, 1), (2, 0)]:
        expected = path + ".%d.%d.npy" % (time, channel)
        numpy.save(expected, data[time, :, channel].astype(float).ravel())
        print(path, "%d %d" % (time, channel), expected, "0.5 0.25 3.5", sep="\t")
for axes in ["TCZYX", "CTZYX", "ZTCYX"]:
    path = new("ome-" + axes)
    sizes = {"T": 3, "C": 2, "Z": 4, "Y": 20, "X": 31}
    data = values("i2", tuple(sizes[it] for it in axes))
    # The dimension order of OME is fixed by tifffile, which reorders metadata, not samples.
    tifffile.imwrite(path, data, ome=True, photometric="minisblack", metadata={
        "axes": axes, "PhysicalSizeX": 0.5, "PhysicalSizeY": 0.6, "PhysicalSizeZ": 2.0,
        "PhysicalSizeXUnit": "µm"})
    for time, channel in [(0, 0), (2, 1)]:
        index = tuple({"T": time, "C": channel}.get(it, slice(None)) for it in axes)
        expected = path + ".%d.%d.npy" % (time, channel)
        numpy.save(expected, data[index].astype(float).ravel())
        print(path, "%d %d" % (time, channel), expected, "0.5 0.6 2.0", sep="\t")
for planar in ["contig", "separate"]:
    for tile in [None, (16, 16)]:
        path = new("rgb-" + planar)
        data = values("u1", (2, 3, 30, 41) if planar == "separate" else (2, 30, 41, 3))
        tifffile.imwrite(path, data, photometric="rgb", planarconfig=planar, tile=tile)
        for component in [0, 2]:
            plane = data[:, component] if planar == "separate" else data[..., component]
            expected = path + ".%d.npy" % component
            numpy.save(expected, plane.astype(float).ravel())
            print(path, "- %d" % component, expected, "1 1 1", sep="\t")
path = new("pyramid")
data = values("u2", (3, 64, 64))
with tifffile.TiffWriter(path) as writer:
    writer.write(data, subifds=1, photometric="minisblack")
    writer.write(data[:, ::2, ::2], subfiletype=1, photometric="minisblack")
report(path, data)
path = new("reduced")
with tifffile.TiffWriter(path) as writer:
    writer.write(data, photometric="minisblack")
    writer.write(data[:, ::2, ::2], subfiletype=1, photometric="minisblack")
report(path, data)
path = new("white")
tifffile.imwrite(path, data, photometric="miniswhite")
report(path, data)
path = new("bits")
data = random.integers(0, 2, size=(3, 20, 19)).astype(bool)
tifffile.imwrite(path, data, photometric="minisblack")
report(path, data)
path = new("jpeg")
tifffile.imwrite(path, values("u1", (20, 30)), compression="jpeg")
report(path, "!JPEG compression is not supported")
path = new("packed")
tifffile.imwrite(path, values("u2", (20, 32)), bitspersample=12, photometric="minisblack")
report(path, "!unsigned integers of 12 bits is not supported")
path = new("sizes")
with tifffile.TiffWriter(path) as writer:
    writer.write(values("u1", (20, 30)), photometric="minisblack")
    writer.write(values("u1", (20, 31)), photometric="minisblack")
report(path, "!plane 1 has 31 x 20 pixels")
path = new("truncated")
tifffile.imwrite(path, values("u2"), photometric="minisblack")
os.truncate(path, os.path.getsize(path) // 2)
report(path, "!truncated")
# Folders of slices in natural order.
path = os.path.join(folder, "slices")
os.mkdir(path)
data = values("u2", (12, 20, 30))
for index, plane in enumerate(data):
    tifffile.imwrite(os.path.join(path, "s_%d.tif" % (index + 1)), plane, compression="zlib")
numpy.save(path + ".npy", data.astype(float).ravel())
print(path, "-", path + ".npy", "1 1 1", sep="\t")
