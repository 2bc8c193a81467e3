"""Times kimimaro (TEASAR) with scale 1.5 and const 4 voxels, on one thread."""

import importlib.metadata

import peer


def main():
    options = peer.arguments(__doc__)
    try:
        import kimimaro
        import numpy
    except ImportError as error:
        return peer.absent("skeleton", "kimimaro", error)

    def work(labels, spacing):
        skeletons = kimimaro.skeletonize(
            labels,
            teasar_params={"scale": 1.5, "const": 4 * min(spacing)},
            anisotropy=tuple(spacing),
            dust_threshold=0,
            progress=False,
            parallel=1,
        )
        # The vertices are voxel centres in world units.
        voxels = lambda skeleton: numpy.rint(skeleton.vertices / numpy.array(spacing)).astype(int)
        return {
            label: (voxels(skeleton), skeleton.edges) for label, skeleton in skeletons.items()
        }

    note = f"kimimaro {importlib.metadata.version('kimimaro')}, one thread"
    peer.time_skeletons(options, "kimimaro", numpy, work, "TEASAR", note)


if __name__ == "__main__":
    main()
