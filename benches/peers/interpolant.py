"""Computes the components and the Euler characteristic of the zero surface of a field's trilinear interpolant by refinement.

Each cell is divided along each axis: at equal intervals, near its faces, and at the saddle points of its faces and its interior. The resulting
boxes are divided into six tetrahedra, in each of which the surface is a triangle or a quadrilateral. Two refinements must agree.
"""

import itertools

import numpy
from scipy import ndimage

# Cells with a saddle value below this fraction of the largest absolute value are undecided.
NEAR = 1e-6

CORNERS = list(itertools.product((0, 1), repeat=3))

def is_rising(start, end):
    """Returns whether `end` is at least `start` on all axes."""
    return all(a <= b for a, b in zip(start, end))


# Directions of the edges of the tetrahedra: 1 on some axes and 0 on the others, and their opposites.
NEIGHBOURS = numpy.zeros((3, 3, 3), dtype=bool)
for corner in CORNERS:
    for sign in (1, -1):
        NEIGHBOURS[tuple(1 + sign * along for along in corner)] = True

# Corners of the edges, triangles and tetrahedra of a box, starting at its lowest corner.
CHAINS = [
    [
        chain
        for chain in itertools.combinations(CORNERS, corners)
        if chain[0] == CORNERS[0] and all(is_rising(*pair) for pair in itertools.pairwise(chain))
    ]
    for corners in (2, 3, 4)
]


def interpolated(cell, places):
    """Returns the interpolant on the grid of three lists of coordinates."""
    for axis, t in enumerate(places):
        low, high = numpy.take(cell, [0], axis), numpy.take(cell, [1], axis)
        shape = [1, 1, 1]
        shape[axis] = len(t)
        t = numpy.reshape(t, shape)
        cell = low * (1 - t) + high * t
    return cell


def saddles(cell):
    """Returns the points of the closed cell where the gradient of the interpolant, or of its restriction to a face, is zero."""
    found = []
    for axis in range(3):
        for side in (0, 1):
            (a, c), (b, d) = numpy.take(cell, side, axis)
            twist = a - b - c + d
            if twist != 0:
                place = [(a - c) / twist, (a - b) / twist]
                place.insert(axis, side)
                found.append(place)
    f = cell
    linear = numpy.array([f[1, 0, 0], f[0, 1, 0], f[0, 0, 1]]) - f[0, 0, 0]
    mixed = numpy.array(
        [
            f[0, 1, 1] - f[0, 1, 0] - f[0, 0, 1] + f[0, 0, 0],
            f[1, 0, 1] - f[1, 0, 0] - f[0, 0, 1] + f[0, 0, 0],
            f[1, 1, 0] - f[1, 0, 0] - f[0, 1, 0] + f[0, 0, 0],
        ]
    )
    triple = sum((-1) ** (1 + sum(corner)) * f[corner] for corner in CORNERS)
    if abs(triple) > 1e-12 * abs(f).max():
        # Relative to the centre, f is a constant plus a linear term plus triple * x * y * z.
        centre = -mixed / triple
        slope = linear - mixed[[1, 2, 0]] * mixed[[2, 0, 1]] / triple
        if slope[0] != 0 and -slope[1] * slope[2] / (slope[0] * triple) > 0:
            x = (-slope[1] * slope[2] / (slope[0] * triple)) ** 0.5
            for x in (x, -x):
                found.append(centre + numpy.array([x, -slope[2] / (triple * x), -slope[1] / (triple * x)]))
    else:
        x, y, z = mixed
        matrix = numpy.array([[0, z, y], [z, 0, x], [y, x, 0]])
        if numpy.linalg.det(matrix) != 0:
            found.append(numpy.linalg.solve(matrix, -linear))
    return [place for place in found if all(0 <= t <= 1 for t in place)]


def refined(cell, parts, critical):
    """Returns the Euler characteristic of the surface in a refined cell, and the component number of each corner."""
    regular = list(numpy.linspace(0, 1, parts + 1))
    if parts >= 16:
        regular += [t for near in (1 / 64, 1 / 512, 1 / 8192) for t in (near, 1 - near)]
    lines = []
    for axis in range(3):
        line = numpy.unique(regular + [place[axis] for place in critical])
        line = line[numpy.append(True, numpy.diff(line) > 1e-13)]
        line[-1] = 1
        lines.append(line)
    below = interpolated(cell, lines) < 0
    euler = 0
    for dimension, chains in enumerate(CHAINS):
        for chain in chains:
            # Signs at the first corners of all copies of the chain, and at their other corners.
            room = [n - last for n, last in zip(below.shape, chain[-1])]
            at = [below[tuple(slice(d, d + r) for d, r in zip(corner, room))] for corner in chain]
            cut = at[0] != at[1]
            for other in at[2:]:
                cut |= at[0] != other
            euler += (-1) ** dimension * numpy.count_nonzero(cut)
    numbers = []
    for side in (below, ~below):
        labels, _ = ndimage.label(side, NEIGHBOURS)
        ends = labels[:: len(labels) - 1, :: labels.shape[1] - 1, :: labels.shape[2] - 1]
        numbers.append(ends)
    below, above = numbers
    return euler, tuple(numpy.where(below > 0, below, -above).ravel().tolist())


def is_plain(below):
    """Returns whether the corners below 0, and those above, are each connected by cell edges; the surface is then one disc."""
    return all(ndimage.label(side)[1] == 1 for side in (below, ~below))


def decided(cell):
    """Returns the result of `refined` for two refinements that agree, or None if none agree or a saddle value is nearly 0."""
    critical = saddles(cell)
    for place in critical:
        if abs(interpolated(cell, [[t] for t in place])[0, 0, 0]) < NEAR * abs(cell).max():
            return None
    before = None
    for parts in (4, 8, 16, 32, 64):
        found = refined(cell, parts, critical)
        if found == before:
            return found
        before = found
    return None


def joined(parents, a, b):
    """Merges the sets of two elements."""
    for _ in range(2):
        while parents[a] != a:
            a = parents[a]
        a, b = b, a
    parents[max(a, b)] = min(a, b)


def topology(field):
    """Returns the number of components and the Euler characteristic of the surface; None if a cell is undecided. The border must be below 0."""
    below = field < 0
    parents = {place: place for place in numpy.ndindex(field.shape)}
    # The surface has arcs on cell faces and points on cell edges. Each arc belongs to two cells, each point to four cells and four arcs.
    euler = 0
    for along in range(3):
        points = numpy.diff(below, axis=along).astype(int)
        euler += points.sum()
        for across in range(3):
            if across != along:
                low, high = numpy.delete(points, -1, across), numpy.delete(points, 0, across)
                euler -= (low + high).sum() / 2
    for z, y, x in numpy.ndindex(*(n - 1 for n in field.shape)):
        box = (slice(z, z + 2), slice(y, y + 2), slice(x, x + 2))
        signs = below[box]
        if signs.all() or not signs.any():
            numbers = (1,) * 8
        elif is_plain(signs):
            euler += 1
            numbers = tuple(signs.ravel().tolist())
        else:
            found = decided(field[box])
            if found is None:
                return None
            euler += found[0]
            numbers = found[1]
        first = {}
        for (dz, dy, dx), number in zip(CORNERS, numbers):
            place = (z + dz, y + dy, x + dx)
            joined(parents, first.setdefault(number, place), place)
    # A closed surface with n components separates space into n + 1 regions.
    sides = sum(parent == place for place, parent in parents.items())
    return sides - 1, int(euler)
