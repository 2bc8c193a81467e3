"""Times NVIDIA Warp's marching cubes on the first GPU, or on the CPU if there is none. The field is in device memory."""

import peer


def main():
    options = peer.arguments(__doc__)
    try:
        import numpy
        import warp
    except ImportError as error:
        return peer.absent("mesh", "warp", error)

    try:
        from warp.geometry import IsoSurfaceMarchingCubes as Extractor
    except ImportError:  # older versions
        from warp import MarchingCubes as Extractor

    warp.init()
    gpu = warp.is_cuda_available()
    device = "cuda:0" if gpu else "cpu"

    def prepare(volume):
        n = volume.shape[0]
        samples = warp.array(volume, dtype=warp.float32, device=device)
        with warp.ScopedDevice(device):
            cubes = Extractor(n, n, n)

        def work():
            with warp.ScopedDevice(device):
                cubes.surface(samples, 0.0)
                warp.synchronize_device(device)
            return len(cubes.verts), len(cubes.indices) // 3

        return work

    note = f"Warp {warp.__version__}" + (f" on {warp.get_device(device).name}" if gpu else ", no CUDA device")
    peer.time_meshes(options, "warp", numpy, prepare, device, note)


if __name__ == "__main__":
    main()
