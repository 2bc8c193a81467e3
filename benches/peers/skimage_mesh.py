"""Times isosurfaces of scikit-image (method of Lewiner) and PyMCubes on one CPU thread."""

import importlib.metadata

import peer


def scikit_image(options):
    try:
        import numpy
        import skimage
        from skimage.measure import marching_cubes
    except ImportError as error:
        return peer.absent("mesh", "skimage", error)

    def prepare(volume):
        def work():
            vertices, faces, _, _ = marching_cubes(volume, level=0.0)
            return len(vertices), len(faces)

        return work

    note = f"scikit-image {skimage.__version__}, 1 thread, normals included"
    peer.time_meshes(options, "skimage", numpy, prepare, "cpu", note)


def pymcubes(options):
    try:
        import mcubes
        import numpy
    except ImportError as error:
        return peer.absent("mesh", "mcubes", error)

    def prepare(volume):
        def work():
            vertices, faces = mcubes.marching_cubes(volume, 0.0)
            return len(vertices), len(faces)

        return work

    note = f"PyMCubes {importlib.metadata.version('PyMCubes')}, 1 thread"
    peer.time_meshes(options, "mcubes", numpy, prepare, "cpu", note)


if __name__ == "__main__":
    scikit_image(peer.arguments(__doc__))
    pymcubes(peer.arguments(__doc__))
