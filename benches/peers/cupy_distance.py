"""Times CuPy's distance_transform_edt (PBA+) on the first GPU. Mask and map are in device memory; the host clock is read after synchronization."""

import peer


def main():
    options = peer.arguments(__doc__)
    try:
        import cupy
        import numpy
        from cupyx.scipy.ndimage import distance_transform_edt
    except ImportError as error:
        return peer.absent("distance", "cupy", error)
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return peer.absent("distance", "cupy", f"no CUDA device: {error}")

    def prepare(sites):
        # The distance of nonzero voxels to the nearest zero voxel.
        others = cupy.asarray(~sites)

        def work():
            distance_transform_edt(others)
            cupy.cuda.get_current_stream().synchronize()

        return work

    peer.time_maps(options, "cupy", numpy, prepare, "cuda:0", "distance_transform_edt", f"CuPy {cupy.__version__}")


if __name__ == "__main__":
    main()
