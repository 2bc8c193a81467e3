"""Times CuPy's cumsum (inclusive sum) on the first GPU. Input and output are in device memory; the time is measured with CUDA events."""

import peer


def main():
    options = peer.arguments(__doc__)
    try:
        import cupy
    except ImportError as error:
        return peer.absent("scan", "cupy", error)
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return peer.absent("scan", "cupy", f"no CUDA device: {error}")

    types = {"u32": cupy.uint32, "i32": cupy.int32, "u64": cupy.uint64, "i64": cupy.int64, "f32": cupy.float32, "f64": cupy.float64}
    note = f"CuPy {cupy.__version__}, inclusive"
    for name in options.types.split(","):
        for count in options.sizes:
            about = {"device": "cuda:0", "measure": "scan", "method": "cumsum", "type": name, "size": str(count), "elements": count}
            if name not in types:
                peer.absent("scan", "cupy", f"cumsum is not timed for {name}", **about)
                continue
            try:
                measure(cupy, options, about, types[name], count, note)
            except Exception as error:  # the limits of a system are results too
                peer.absent("scan", "cupy", f"{type(error).__name__}: {error}", **about)


def measure(cupy, options, about, dtype, count, note):
    values = cupy.ones(count, dtype=dtype)
    sums = cupy.empty_like(values)
    # Enough repetitions to hide the launch overhead.
    repeats = max(1, min(20, (1 << 26) // max(count, 1)))
    cupy.cumsum(values, dtype=dtype, out=sums)
    cupy.cuda.get_current_stream().synchronize()
    # In f32 the sum is rounded above 2^24.
    if count and abs(float(sums[-1]) - count) > (1e-4 * count if dtype is cupy.float32 else 0):
        raise ValueError(f"the last sum is {sums[-1]} and should be {count}")
    times = []
    for _ in range(options.runs):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        for _ in range(repeats):
            cupy.cumsum(values, dtype=dtype, out=sums)
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(start, end) / 1e3 / repeats)
    moved = 2 * count * values.itemsize
    peer.emit(subject="scan", system="cupy", **about, **peer.spread(times), bytes=moved, note=note)


if __name__ == "__main__":
    main()
