"""Compares the signed distances of `ferrovox distance` with SciPy, edt and SimpleITK.

Usage: signed_distance.py FERROVOX [CASES]

FERROVOX is the command; CASES random masks and label volumes (default 200) with random sizes,
densities and spacings are compared:

- `--signed=opposite` with the difference of two calls of `scipy.ndimage.distance_transform_edt`,
  with the negative of `edt.sdf`, and outside the mask with SimpleITK's SignedMaurerDistanceMap;
- `--signed=surface` with SciPy's distances to the voxels that an erosion removes, and with
  SignedMaurerDistanceMap where both have the same surface voxels;
- `--labels --signed` with the negative of `edt.sdf` of the labels.

Exits with status 1 at the first difference. Requires numpy, scipy, edt and SimpleITK.
"""

import pathlib
import subprocess
import sys
import tempfile

import edt
import numpy
import SimpleITK
from scipy.ndimage import binary_erosion, distance_transform_edt, generate_binary_structure

# Relative tolerance: edt and ITK compute in single precision.
TOLERANCE = 2e-6


def ferrovox(command, folder, samples, spacing, options):
    """Returns the distance map of a volume with axes (z, y, x)."""
    numpy.save(folder / "input.npy", samples)
    arguments = [command, "distance", "input.npy", *options, "-o", "map.npy", "--device", "cpu"]
    arguments += ["--spacing", ",".join(str(length) for length in reversed(spacing)), "--quiet"]
    subprocess.run(arguments, cwd=folder, check=True)
    return numpy.load(folder / "map.npy")


def scipy_opposite(mask, spacing):
    outside = distance_transform_edt(mask == 0, sampling=spacing)
    return outside - distance_transform_edt(mask, sampling=spacing)


def surface(mask, connectivity):
    """Returns the voxels of a mask with a neighbour outside; the border of the grid is not one."""
    structure = generate_binary_structure(3, connectivity)
    return mask.astype(bool) & ~binary_erosion(mask, structure, border_value=1)


def maurer(mask, spacing):
    image = SimpleITK.GetImageFromArray(mask)
    image.SetSpacing([float(length) for length in reversed(spacing)])
    distances = SimpleITK.SignedMaurerDistanceMap(
        image, insideIsPositive=False, squaredDistance=False, useImageSpacing=True
    )
    return SimpleITK.GetArrayFromImage(distances)


def compare(name, case, found, expected, where=None):
    close = numpy.isclose(found, expected, rtol=TOLERANCE, atol=1e-6)
    if where is not None:
        close |= ~where
    if not close.all():
        at = tuple(numpy.argwhere(~close)[0])
        sys.exit(f"{name}, case {case}, voxel {at}: {found[at]} instead of {expected[at]}")


def main():
    command = str(pathlib.Path(sys.argv[1]).resolve())
    cases = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    same_surface = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for case in range(cases):
            random = numpy.random.default_rng(case)
            shape = tuple(random.integers(2, 24, 3))
            spacing = tuple(random.choice([0.5, 1.0, 1.5, 2.0, 0.7], 3))
            mask = (random.random(shape) < random.choice([0.05, 0.4, 0.9])).astype(numpy.uint8)
            if case % 3 == 0:
                # A box, all of whose surface voxels have a face neighbour outside, as ITK's do.
                mask[...] = 0
                mask[tuple(slice(side // 4, side - side // 4) for side in shape)] = 1
            mask.flat[0], mask.flat[-1] = 1 - (case % 3 == 0), 0
            inside = mask != 0

            found = ferrovox(command, folder, mask, spacing, ["--nonzero", "--signed"])
            compare("scipy", case, found, scipy_opposite(mask, spacing))
            compare("edt.sdf", case, found, -edt.sdf(mask, anisotropy=spacing))
            itk = maurer(mask, spacing)
            compare("SignedMaurer outside", case, found, itk, ~inside)

            found = ferrovox(command, folder, mask, spacing, ["--nonzero", "--signed=surface"])
            faces = surface(mask, 1)
            to_surface = distance_transform_edt(~faces, sampling=spacing)
            compare("surface", case, found, numpy.where(inside, -to_surface, to_surface))
            if (faces == surface(mask, 3)).all():
                same_surface += 1
                compare("SignedMaurer", case, found, itk)

            labels = mask * random.integers(1, 4, shape).astype(numpy.uint8)
            found = ferrovox(command, folder, labels, spacing, ["--labels", "--signed"])
            compare("edt.sdf of labels", case, found, -edt.sdf(labels, anisotropy=spacing))
    print(f"{cases} cases without a difference, {same_surface} of them with ITK's surface voxels")


if __name__ == "__main__":
    main()
