"""Threads, forks and interruptions."""

import concurrent.futures
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import ferrovox


def compute(seed):
    """Return a distance map and a mesh that depend on the seed."""
    volume = np.random.default_rng(seed).random((24, 25, 26), np.float32)
    return ferrovox.distance_transform_edt(volume > 0.1), ferrovox.marching_cubes(volume, 0.5)


def assert_equal(results, expected):
    np.testing.assert_array_equal(results[0], expected[0])
    for a, b in zip(results[1], expected[1], strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes_compute_after_their_parent(method):
    expected = [compute(seed) for seed in range(4)]
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(2, context) as pool:
        for results, other in zip(pool.map(compute, range(4), timeout=120), expected, strict=True):
            assert_equal(results, other)


def test_threads_compute_concurrently():
    expected = [compute(seed) for seed in range(8)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for results, other in zip(pool.map(compute, range(8)), expected, strict=True):
            assert_equal(results, other)


def small_and_large(seed):
    """Return results of computations on the calling thread and on the threads of the process."""
    numbers = np.random.default_rng(seed).integers(0, 9, 100_000, np.uint32)
    slices = (numbers[:100], numbers, numbers[:1000])
    return [ferrovox.exclusive_scan(part, return_total=True) for part in slices]


def assert_equal_sums(found, expected):
    for (sums, total), (expected_sums, expected_total) in zip(found, expected, strict=True):
        np.testing.assert_array_equal(sums, expected_sums)
        assert total == expected_total


def test_small_and_large_computations_alternate_in_a_forked_child():
    expected = [small_and_large(seed) for seed in range(4)]
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(2, context) as pool:
        for found, other in zip(pool.map(small_and_large, range(4), timeout=120), expected, strict=True):
            assert_equal_sums(found, other)


def test_many_short_threads_compute():
    # more threads than those that compute on their own
    expected, results = small_and_large(1), []
    for _ in range(300):
        thread = threading.Thread(target=lambda: results.append(small_and_large(1)))
        thread.start()
        thread.join()
    assert len(results) == 300
    for found in results[::50] + results[-1:]:
        assert_equal_sums(found, expected)


def test_lock_is_released_during_a_computation():
    labels = np.ones((200, 200, 200), bool)
    labels[0, 0, 0] = False
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.perf_counter()
    ferrovox.distance_transform_edt(labels, (1.0, 1.1, 1.2))
    end = time.perf_counter()
    done.set()
    thread.join()
    gaps = np.diff([start, *(it for it in ticks if start < it < end), end])
    assert gaps.max() < max(0.1, 0.5 * (end - start))


INTERRUPTED = """
import sys, threading, time, os, signal
import numpy as np
import ferrovox

array = np.random.default_rng(0).random((420, 420, 420), np.float32)
labels = (array > 0.02).astype(np.uint8)
calls = {
    "distance": lambda: ferrovox.distance_transform_edt(labels, (1.0, 1.1, 1.2)),
    "labels": lambda: ferrovox.edt(labels),
    "mesh": lambda: ferrovox.marching_cubes(array, 0.5),
}
delay = 0.3
if sys.argv[1] == "skeleton":
    # one component of 13 million voxels with many tunnels
    x, y, z = np.ogrid[0:6:300j, 0:6:300j, 0:6:300j]
    x, y, z = 2 * np.pi * x, 2 * np.pi * y, 2 * np.pi * z
    gyroid = np.sin(x) * np.cos(y) + np.sin(y) * np.cos(z) + np.sin(z) * np.cos(x) > 0
    calls["skeleton"] = lambda: ferrovox.skeletonize(gyroid.astype(np.uint8), progress=False)
    delay = float(sys.argv[2])
call = calls[sys.argv[1]]
# ignored if the tests run in the background of a shell
signal.signal(signal.SIGINT, signal.default_int_handler)
ferrovox.distance_transform_edt(labels[:9])

def interrupt():
    global sent
    time.sleep(delay)
    sent = time.perf_counter()
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt).start()
try:
    call()
except KeyboardInterrupt:
    print(time.perf_counter() - sent)
else:
    print("finished")
"""


SKELETON_DELAYS = ("0.3", "1", "2", "4")


@pytest.mark.parametrize(
    "call",
    [("distance",), ("labels",), ("mesh",), *(("skeleton", delay) for delay in SKELETON_DELAYS)],
    ids=" ".join,
)
def test_interruption_ends_a_computation(call):
    command = [sys.executable, "-c", textwrap.dedent(INTERRUPTED), *call]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() != "finished", "the computation was too short to interrupt"
    is_busy = os.getloadavg()[0] > os.cpu_count() + 1
    assert float(result.stdout) < (3 if is_busy else 1)


def test_exception_of_a_progress_callback_is_raised():
    class Stop(Exception):
        pass

    def progress(fraction):
        raise Stop

    labels = np.zeros((60, 60, 60), np.uint8)
    labels[5:55, 5:55, 5:55] = 1
    with pytest.raises(Stop):
        ferrovox.skeletonize(labels, progress=progress)


def test_faulthandler_still_reports_faults():
    code = """
        import faulthandler, ctypes, numpy as np
        faulthandler.enable()
        import ferrovox
        ferrovox.marching_cubes(np.random.rand(9, 9, 9), 0.5)
        ctypes.string_at(0)
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert result.returncode == -signal.SIGSEGV
    assert "Segmentation fault" in result.stderr


def test_thread_count_follows_the_environment():
    code = """
        import os, time, numpy as np, ferrovox
        ferrovox.distance_transform_edt(np.eye(3))
        time.sleep(0.5)  # threads set their names when they start
        tasks = os.listdir("/proc/self/task")
        names = [open(f"/proc/self/task/{task}/comm").read() for task in tasks]
        print(sum(name.startswith("ferrovox") for name in names))
    """
    environment = {**os.environ, "RAYON_NUM_THREADS": "3"}
    command = [sys.executable, "-c", textwrap.dedent(code)]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert result.stdout.strip() == "3", result.stderr


def test_joblib_computes_in_processes_and_threads():
    joblib = pytest.importorskip("joblib")
    expected = [compute(seed) for seed in range(4)]
    for backend in ("loky", "threading", "multiprocessing"):
        tasks = (joblib.delayed(compute)(seed) for seed in range(4))
        found = joblib.Parallel(n_jobs=2, backend=backend)(tasks)
        for results, other in zip(found, expected, strict=True):
            assert_equal(results, other)


PROGRESSIVE = {
    "mesh": lambda volume, **options: ferrovox.marching_cubes(volume, 0.5, **options),
    "default level": lambda volume, **options: ferrovox.marching_cubes(volume, **options),
    "closed": lambda volume, **options: ferrovox.marching_cubes(
        volume, 0.5, close=True, mask=volume > 0.1, **options
    ),
    "float": lambda volume, **options: ferrovox.distance_transform_edt(
        volume > 0.1, float64_distances=False, **options
    ),
    "double": lambda volume, **options: ferrovox.distance_transform_edt(volume > 0.1, **options),
    "indices": lambda volume, **options: ferrovox.distance_transform_edt(
        volume > 0.1, (1, 2, 3), return_indices=True, **options
    ),
}


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("function", PROGRESSIVE)
def test_progress_is_reported_and_does_not_change_results(function, order):
    volume = np.asarray(np.random.default_rng(0).random((70, 9, 99), np.float32), order=order)
    volume[3, 3, 3] = np.nan
    fractions = []
    found = PROGRESSIVE[function](volume, progress=fractions.append)
    expected = PROGRESSIVE[function](volume)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
    assert len(fractions) >= 3 and fractions == sorted(fractions)
    assert 0 < fractions[0] < 1 and fractions[-1] == 1


@pytest.mark.parametrize("function", ["mesh", "double"])
def test_progress_shows_a_bar(function, capsys):
    pytest.importorskip("tqdm")
    PROGRESSIVE[function](np.random.default_rng(0).random((40, 40, 70), np.float32), progress=True)
    assert "%" in capsys.readouterr().err


@pytest.mark.parametrize("function", ["mesh", "double"])
def test_exceptions_of_a_callback_end_a_computation(function):
    fractions = []

    def fail(fraction):
        fractions.append(fraction)
        time.sleep(0.1)  # the computation reports more meanwhile
        raise KeyError(fraction)

    volume = np.random.default_rng(0).random((40, 40, 70), np.float32)
    with pytest.raises(KeyError):
        PROGRESSIVE[function](volume, progress=fail)
    assert len(fractions) == 1


def test_levels_without_a_surface_are_errors_with_progress():
    volume = np.zeros((5, 5, 5))
    with pytest.raises(ValueError):
        ferrovox.marching_cubes(volume, 2.0, progress=lambda fraction: None)
    with pytest.raises(RuntimeError):
        ferrovox.marching_cubes(volume, 0.0, progress=lambda fraction: None)
