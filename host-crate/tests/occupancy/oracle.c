/* Answers questions about occupancy with NVIDIA's header. Reads batches of 32-bit numbers, writes answers.
 *
 * A batch: kind (0 active blocks, 1 best block), count, then the device: major, minor, threads per block, threads per
 * multiprocessor, registers per block, registers per multiprocessor, shared bytes per block, with opting in, per multiprocessor,
 * reserved. Then for each case: threads, registers, static bytes, dynamic bytes, bytes per thread, carveout, cache, opt in,
 * barriers. For each case nine numbers come back. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "cuda_occupancy.h"

enum { HEAD = 12, CASE = 9, ANSWER = 9 };

static size_t fixed_bytes, bytes_per_thread;

static size_t shared_of(int threads)
{
    return fixed_bytes + bytes_per_thread * (size_t)threads;
}

int main(void)
{
    int32_t head[HEAD];
    while (fread(head, sizeof head, 1, stdin) == 1) {
        const size_t count = (size_t)head[1];
        int32_t *cases = malloc(count * CASE * sizeof *cases);
        int32_t *answers = calloc(count * ANSWER, sizeof *answers);
        cudaOccDeviceProp device = {0};
        if (!cases || !answers || fread(cases, CASE * sizeof *cases, count, stdin) != count)
            return 1;
        device.computeMajor = head[2];
        device.computeMinor = head[3];
        device.maxThreadsPerBlock = head[4];
        device.maxThreadsPerMultiprocessor = head[5];
        device.regsPerBlock = head[6];
        device.regsPerMultiprocessor = head[7];
        device.warpSize = 32;
        device.sharedMemPerBlock = (size_t)head[8];
        device.sharedMemPerBlockOptin = (size_t)head[9];
        device.sharedMemPerMultiprocessor = (size_t)head[10];
        device.reservedSharedMemPerBlock = (size_t)head[11];
        device.numSms = 1;
        for (size_t i = 0; i < count; i++) {
            const int32_t *c = cases + i * CASE;
            int32_t *a = answers + i * ANSWER;
            cudaOccFuncAttributes kernel = {0};
            cudaOccDeviceState state = {0};
            kernel.maxThreadsPerBlock = INT_MAX;
            kernel.numRegs = c[1];
            kernel.sharedSizeBytes = (size_t)c[2];
            kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
            kernel.shmemLimitConfig = c[7] ? FUNC_SHMEM_LIMIT_OPTIN : FUNC_SHMEM_LIMIT_DEFAULT;
            kernel.numBlockBarriers = c[8];
            state.carveoutConfig = c[5];
            state.cacheConfig = (cudaOccCacheConfig)c[6];
            if (head[0] == 0) {
                cudaOccResult result = {0};
                kernel.maxDynamicSharedSizeBytes = (size_t)c[3];
                a[0] = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, c[0], (size_t)c[3]);
                a[1] = result.activeBlocksPerMultiprocessor;
                a[2] = result.blockLimitWarps;
                a[3] = result.blockLimitBlocks;
                a[4] = result.blockLimitRegs;
                a[5] = result.blockLimitSharedMem;
                a[6] = result.blockLimitBarriers;
                a[7] = result.allocatedRegistersPerBlock;
                a[8] = (int32_t)result.allocatedSharedMemPerBlock;
            } else {
                int grid = 0, threads = 0;
                kernel.maxThreadsPerBlock = c[0];
                kernel.maxDynamicSharedSizeBytes = device.sharedMemPerBlockOptin;
                fixed_bytes = (size_t)c[3];
                bytes_per_thread = (size_t)c[4];
                a[0] = cudaOccMaxPotentialOccupancyBlockSize(&grid, &threads, &device, &kernel, &state, shared_of, 0);
                a[1] = threads;
                a[2] = grid;
            }
        }
        if (fwrite(answers, ANSWER * sizeof *answers, count, stdout) != count || fflush(stdout))
            return 1;
        free(cases);
        free(answers);
    }
    return 0;
}
