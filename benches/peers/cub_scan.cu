// Times CUB's exclusive sum (cub::DeviceScan::ExclusiveSum) on the first GPU, and prints one line of JSON per measurement.
//
//   nvcc -O3 -std=c++17 -arch=native -o cub_scan cub_scan.cu
//   ./cub_scan --sizes 2097152,268435456 --types u32,u64 --runs 25 --host-sizes 2097152
//
// Device scans: input, output and temporary storage are in device memory; several consecutive scans are timed with CUDA events.
// Host-to-host scans: copy to the device, scan and copy back, timed with the host clock, for pageable and pinned host memory.

#include <cub/cub.cuh>
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

static void check(cudaError_t status, const char* what) {
    if (status != cudaSuccess) {
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
    }
}

// Device memory, freed by the destructor.
struct DeviceMemory {
    void* address = nullptr;
    explicit DeviceMemory(size_t bytes) { check(cudaMalloc(&address, std::max<size_t>(bytes, 1)), "cudaMalloc"); }
    ~DeviceMemory() { cudaFree(address); }
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;
};

struct Options {
    std::vector<uint64_t> sizes{1ull << 28};
    std::vector<uint64_t> host_sizes;
    std::vector<std::string> types{"u32"}, operators{"sum"};
    int runs = 9;
};

static std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> parts;
    std::stringstream stream(text);
    for (std::string part; std::getline(stream, part, ',');) {
        if (!part.empty()) parts.push_back(part);
    }
    return parts;
}

static std::vector<uint64_t> numbers(const std::string& text) {
    std::vector<uint64_t> all;
    for (const std::string& part : split(text)) all.push_back(std::strtoull(part.c_str(), nullptr, 10));
    return all;
}

// The fields of a record except its times.
struct About {
    const char* measure;
    std::string method, type;
    uint64_t count, bytes;
};

static std::string escaped(const std::string& text) {
    std::string out;
    for (char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += (unsigned char)c < 32 ? ' ' : c;
    }
    return out;
}

static void print_about(const About& about) {
    std::printf("{\"subject\":\"scan\",\"system\":\"cub\",\"device\":\"cuda:0\",\"measure\":\"%s\",\"method\":\"%s\",\"type\":\"%s\",", about.measure,
                about.method.c_str(), about.type.c_str());
    std::printf("\"size\":\"%llu\",\"elements\":%llu", (unsigned long long)about.count, (unsigned long long)about.count);
}

static void emit(const About& about, std::vector<double> ms) {
    std::sort(ms.begin(), ms.end());
    const size_t n = ms.size();
    const double median = (ms[(n - 1) / 2] + ms[n / 2]) / 2;
    print_about(about);
    std::printf(",\"median_ms\":%.9g,\"min_ms\":%.9g,\"max_ms\":%.9g,\"runs\":%zu", median, ms.front(), ms.back(), n);
    if (about.bytes) std::printf(",\"bytes\":%llu", (unsigned long long)about.bytes);
    std::printf(",\"note\":\"CUB %d.%d.%d\"}\n", CUB_VERSION / 100000, CUB_VERSION / 100 % 1000, CUB_VERSION % 100);
    std::fflush(stdout);
}

static void absent(const About& about, const std::string& reason) {
    print_about(about);
    std::printf(",\"absent\":\"%s\"}\n", escaped(reason).c_str());
    std::fflush(stdout);
}

// Maximum, as an operator of scans.
struct Maximum {
    template <typename T>
    __host__ __device__ T operator()(T a, T b) const {
        return a < b ? b : a;
    }
};

// Scans `count` elements by addition, or by maximum. Without temporary memory, sets the size of it.
template <typename T>
static void scan(bool maximum, void* temporary, size_t& bytes, const T* input, T* output, uint64_t count) {
    if (maximum) {
        const T lowest = std::numeric_limits<T>::lowest();
        check(cub::DeviceScan::ExclusiveScan(temporary, bytes, input, output, Maximum(), lowest, (int64_t)count), "ExclusiveScan");
    } else {
        check(cub::DeviceScan::ExclusiveSum(temporary, bytes, input, output, (int64_t)count), "ExclusiveSum");
    }
}

template <typename T>
static size_t temporary_bytes(uint64_t count, bool maximum = false) {
    size_t bytes = 0;
    scan<T>(maximum, nullptr, bytes, nullptr, nullptr, count);
    return bytes;
}

// Input values: 0 or 1, so that floating-point sums are exact up to 2^24.
template <typename T>
static std::vector<T> values(uint64_t count) {
    std::vector<T> all(count);
    for (uint64_t i = 0; i < count; ++i) all[i] = (T)((uint32_t)i * 2654435761u >> 31);
    return all;
}

template <typename T>
static void verify(const std::vector<T>& input, const std::vector<T>& output, bool maximum = false) {
    // Larger floating-point sums depend on the order of the additions.
    const uint64_t exact = std::min<uint64_t>(input.size(), 1 << 22);
    T expected = maximum ? std::numeric_limits<T>::lowest() : T(0);
    for (uint64_t i = 0; i < exact; ++i) {
        if (output[i] != expected) throw std::runtime_error("element " + std::to_string(i) + " of the result is wrong");
        expected = maximum ? std::max(expected, input[i]) : expected + input[i];
    }
}

template <typename T>
static void on_device(const Options& options, const About& about, bool maximum) {
    const uint64_t count = about.count;
    const std::vector<T> host = values<T>(count);
    DeviceMemory input(count * sizeof(T)), output(count * sizeof(T));
    size_t bytes = temporary_bytes<T>(count, maximum);
    DeviceMemory temporary(bytes);
    check(cudaMemcpy(input.address, host.data(), count * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
    auto once = [&] { scan<T>(maximum, temporary.address, bytes, (const T*)input.address, (T*)output.address, count); };
    once();
    std::vector<T> result(count);
    check(cudaMemcpy(result.data(), output.address, count * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    verify(host, result, maximum);
    // Enough repetitions to hide the launch overhead.
    const int repeats = (int)std::max<uint64_t>(1, std::min<uint64_t>(20, (1ull << 26) / std::max<uint64_t>(count, 1)));
    cudaEvent_t start, end;
    check(cudaEventCreate(&start), "cudaEventCreate");
    check(cudaEventCreate(&end), "cudaEventCreate");
    std::vector<double> times;
    for (int run = 0; run < options.runs; ++run) {
        check(cudaEventRecord(start), "cudaEventRecord");
        for (int i = 0; i < repeats; ++i) once();
        check(cudaEventRecord(end), "cudaEventRecord");
        check(cudaEventSynchronize(end), "cudaEventSynchronize");
        float ms = 0;
        check(cudaEventElapsedTime(&ms, start, end), "cudaEventElapsedTime");
        times.push_back(ms / repeats);
    }
    cudaEventDestroy(start);
    cudaEventDestroy(end);
    emit(about, times);
}

static void host_to_host(const Options& options, About about, bool pinned) {
    const uint64_t count = about.count;
    const size_t bytes = count * sizeof(uint32_t);
    std::vector<uint32_t> input = values<uint32_t>(count), output(count);
    if (pinned) {
        check(cudaHostRegister(input.data(), bytes, cudaHostRegisterDefault), "cudaHostRegister");
        check(cudaHostRegister(output.data(), bytes, cudaHostRegisterDefault), "cudaHostRegister");
    }
    DeviceMemory from(bytes), to(bytes);
    size_t temporary = temporary_bytes<uint32_t>(count);
    DeviceMemory room(temporary);
    std::vector<double> times;
    for (int run = 0; run <= options.runs; ++run) {
        const auto start = std::chrono::steady_clock::now();
        check(cudaMemcpyAsync(from.address, input.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpyAsync");
        check(cub::DeviceScan::ExclusiveSum(room.address, temporary, (const uint32_t*)from.address, (uint32_t*)to.address, (int64_t)count),
              "ExclusiveSum");
        check(cudaMemcpyAsync(output.data(), to.address, bytes, cudaMemcpyDeviceToHost), "cudaMemcpyAsync");
        check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
        if (run > 0) times.push_back(time.count());
    }
    if (pinned) {
        cudaHostUnregister(input.data());
        cudaHostUnregister(output.data());
    }
    verify(input, output);
    emit(about, times);
}

template <typename T>
static void measure_type(const Options& options, const std::string& type) {
    for (const std::string& name : options.operators) {
        const bool maximum = name == "max";
        for (uint64_t count : options.sizes) {
            const uint64_t bytes = 2 * count * sizeof(T);
            const About about{maximum ? "scan (max)" : "scan", maximum ? "ExclusiveScan" : "ExclusiveSum", type, count, bytes};
            try {
                on_device<T>(options, about, maximum);
            } catch (const std::exception& error) {
                absent(about, error.what());
                cudaGetLastError();
            }
        }
    }
}

int main(int argc, char** argv) {
    Options options;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string name = argv[i], value = argv[i + 1];
        if (name == "--sizes") options.sizes = numbers(value);
        if (name == "--host-sizes") options.host_sizes = numbers(value);
        if (name == "--types") options.types = split(value);
        if (name == "--operators") options.operators = split(value);
        if (name == "--runs") options.runs = std::max(1, std::atoi(value.c_str()));
    }
    int devices = 0;
    const cudaError_t status = cudaGetDeviceCount(&devices);
    if (status != cudaSuccess || devices == 0) {
        absent(About{"scan", "", "", 0, 0}, std::string("no CUDA device: ") + cudaGetErrorString(status));
        return 0;
    }
    for (const std::string& type : options.types) {
        if (type == "u32") measure_type<uint32_t>(options, type);
        else if (type == "i32") measure_type<int32_t>(options, type);
        else if (type == "u64") measure_type<uint64_t>(options, type);
        else if (type == "i64") measure_type<int64_t>(options, type);
        else if (type == "f32") measure_type<float>(options, type);
        else if (type == "f64") measure_type<double>(options, type);
        else absent(About{"scan", "ExclusiveSum", type, 0, 0}, "not timed for " + type);
    }
    for (uint64_t count : options.host_sizes) {
        for (bool pinned : {false, true}) {
            const About about{"host to host", pinned ? "pinned" : "pageable", "u32", count, 0};
            try {
                host_to_host(options, about, pinned);
            } catch (const std::exception& error) {
                absent(about, error.what());
                cudaGetLastError();
            }
        }
    }
    return 0;
}
