"""Smooths and resamples arrays with scipy.ndimage.

    python3 volume_filter.py FOLDER

Prints per case, separated by tabs: samples, spacing along x, y and z, filter, its numbers along x, y
and z, and the result.
"""

import os
import sys

import numpy
from scipy import ndimage

folder = sys.argv[1]
random = numpy.random.default_rng(1)
count = 0


def save(array):
    global count
    count += 1
    path = os.path.join(folder, "%03d.npy" % count)
    numpy.save(path, numpy.ascontiguousarray(array, dtype=float))
    return path


def report(data, spacing, name, numbers, expected):
    text = [" ".join(map(repr, it)) for it in (list(map(float, spacing)), list(map(float, numbers)))]
    print(save(data), text[0], name, text[1], save(expected), sep="\t")


shapes = [(7, 11, 13), (1, 17, 5), (23, 4, 6), (30, 30, 30)]
for shape in shapes:
    data = random.normal(size=shape).astype("f4") * 100
    spacing = (0.5, 1.0, 2.5)
    for sigma in (0.4, 1.0, 2.3):
        along = [sigma / step for step in reversed(spacing)]
        report(data, spacing, "sigma", [sigma], ndimage.gaussian_filter(
            data.astype(float), along, mode="nearest", truncate=4.0))
for shape, spacing, target in [
    ((4, 6, 10), (1, 1, 1), (0.5, 0.5, 0.5)),
    ((9, 12, 15), (1, 1, 2), (1.5, 0.5, 1)),
    ((6, 6, 6), (1, 1, 1), (3, 2, 1.5)),
    ((5, 8, 12), (0.75, 1.5, 3), (0.25, 1, 1)),
]:
    data = random.normal(size=shape).astype("f4") * 100
    zoom = [spacing[k] / target[k] for k in (2, 1, 0)]
    for name, order in (("linear", 1), ("nearest", 0)):
        if name == "nearest" and any(factor != int(factor) for factor in zoom):
            continue  # ties between two samples, which are decided differently
        result = ndimage.zoom(data.astype(float), zoom, order=order, mode="nearest", grid_mode=True)
        report(data, spacing, name, target, result)
# positions that are not on a common grid: the formula of the documentation
for target in ((0.7, 0.9, 1.3), (2.2, 1.7, 0.6), (1.1, 0.45, 5.0)):
    shape, spacing = (9, 14, 11), (1.0, 0.8, 2.0)
    data = random.normal(size=shape).astype("f4") * 100
    axes = []
    for k in (2, 1, 0):
        n = shape[2 - k]
        new = max(1, round(n * spacing[k] / target[k]))
        axes.append((numpy.arange(new) - (new - 1) / 2) * target[k] / spacing[k] + (n - 1) / 2)
    grid = numpy.meshgrid(*axes, indexing="ij")
    report(data, spacing, "linear", target, ndimage.map_coordinates(
        data.astype(float), grid, order=1, mode="nearest"))
