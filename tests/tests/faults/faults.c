/* A libcuda.so.1 that fails on demand. Every function goes on to another driver, the one that FERROVOX_FAULTS_DRIVER names or else
 * BASE: the stand-in of the tests, or a real one. Calls are numbered; one of them, and if so asked all later ones of its device, give
 * a status instead. What is given back is given back all the same, as a driver's functions do that return the errors of earlier work.
 * It counts what exists. Functions named faults_* are for the tests. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef intptr_t word;
typedef int (*function)(word, word, word, word, word, word, word, word, word, word, word);
enum { MEMORY, PINNED, STREAMS, EVENTS, MODULES, CONTEXTS, KINDS };
/* what makes a context current asks nothing of the device: it fails by itself, not because the device is gone */
enum { CALL, MAKE, GIVE_BACK, ENTER };
enum { NOT_SUPPORTED = 801, DEVICES = 16 };

static pthread_mutex_t state = PTHREAD_MUTEX_INITIALIZER;
/* the stand-in knows no threads */
static pthread_mutex_t turn = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static void *base;
static int take_turns;
static long calls, first, live[KINDS];
static int status, lasting, hit_device;
static const char *hit;
static word contexts[DEVICES];
/* the device whose context is current */
static __thread int here = -1;

__attribute__((constructor)) static void open_base(void) {
    const char *other = getenv("FERROVOX_FAULTS_DRIVER");
    take_turns = !other;
    base = dlopen(other ? other : BASE, RTLD_NOW | RTLD_LOCAL);
    if (!base) { fprintf(stderr, "%s\n", dlerror()); abort(); }
}

void faults_arm(long at, int with, int goes_on) {
    pthread_mutex_lock(&state);
    calls = 0; first = at; status = with; lasting = goes_on; hit = 0; hit_device = -1;
    pthread_mutex_unlock(&state);
}
long faults_calls(void) { return calls; }
const char *faults_hit(void) { return hit; }
int faults_device(void) { return hit_device; }
void faults_live(long *out) { memcpy(out, live, sizeof live); }

/* Whether the call fails, and with what. */
static int fault(const char *name, int act, int device) {
    pthread_mutex_lock(&state);
    int found = 0;
    if (++calls == first) { found = status; hit = name; hit_device = device; }
    else if (lasting && hit && act != ENTER && device >= 0 && device == hit_device) found = status;
    pthread_mutex_unlock(&state);
    return found;
}

static void add(int kind, int by) { pthread_mutex_lock(&state); live[kind] += by; pthread_mutex_unlock(&state); }

static int forward(const char *name, void **found, int act, int kind, int device, word a, word b, word c, word d, word e, word f, word g,
                   word h, word i, word j, word k) {
    int failed = fault(name, act, device);
    if (failed && act != GIVE_BACK) return failed;
    if (!*found && !(*found = dlsym(base, name))) return NOT_SUPPORTED;
    if (take_turns) pthread_mutex_lock(&turn);
    int answer = ((function)*found)(a, b, c, d, e, f, g, h, i, j, k);
    if (take_turns) pthread_mutex_unlock(&turn);
    if (!answer && (act == MAKE || act == GIVE_BACK)) add(kind, act == MAKE ? 1 : -1);
    return answer ? answer : failed;
}

#define ALL word a, word b, word c, word d, word e, word f, word g, word h, word i, word j, word k
#define DEFINE(name, act, kind, device) \
    int name(ALL) { static void *found; return forward(#name, &found, act, kind, device, a, b, c, d, e, f, g, h, i, j, k); }
#define F(name) DEFINE(name, CALL, 0, here)
/* of no device */
#define NONE(name) DEFINE(name, CALL, 0, -1)
#define OF(name, argument) DEFINE(name, CALL, 0, (int)argument)

int cuCtxSetCurrent(ALL) {
    static void *found;
    int device = -1;
    for (int n = 0; a && n < DEVICES; n++) if (contexts[n] == a) device = n;
    int answer = forward("cuCtxSetCurrent", &found, ENTER, 0, device, a, b, c, d, e, f, g, h, i, j, k);
    if (!answer) here = device;
    return answer;
}
int cuDevicePrimaryCtxRetain(ALL) {
    static void *found;
    int answer = forward("cuDevicePrimaryCtxRetain", &found, MAKE, CONTEXTS, (int)b, a, b, c, d, e, f, g, h, i, j, k);
    if (!answer && (int)b < DEVICES) contexts[(int)b] = *(word *)a;
    return answer;
}
DEFINE(cuDevicePrimaryCtxRelease_v2, GIVE_BACK, CONTEXTS, (int)a)
DEFINE(cuMemAlloc_v2, MAKE, MEMORY, here) DEFINE(cuMemAllocAsync, MAKE, MEMORY, here)
DEFINE(cuMemAllocFromPoolAsync, MAKE, MEMORY, here)
DEFINE(cuMemFree_v2, GIVE_BACK, MEMORY, here) DEFINE(cuMemFreeAsync, GIVE_BACK, MEMORY, here)
DEFINE(cuMemHostAlloc, MAKE, PINNED, here) DEFINE(cuMemFreeHost, GIVE_BACK, PINNED, here)
DEFINE(cuStreamCreateWithPriority, MAKE, STREAMS, here) DEFINE(cuStreamDestroy_v2, GIVE_BACK, STREAMS, here)
DEFINE(cuEventCreate, MAKE, EVENTS, here) DEFINE(cuEventDestroy_v2, GIVE_BACK, EVENTS, here)
DEFINE(cuModuleLoadDataEx, MAKE, MODULES, here) DEFINE(cuModuleUnload, GIVE_BACK, MODULES, here)

OF(cuDeviceGet, b) OF(cuDeviceGetName, c) OF(cuDeviceGetUuid, b) OF(cuDeviceGetAttribute, c) OF(cuDeviceTotalMem_v2, b)
OF(cuDevicePrimaryCtxReset_v2, a) OF(cuDevicePrimaryCtxSetFlags_v2, a) OF(cuDeviceCanAccessPeer, b) OF(cuDeviceGetDefaultMemPool, b)

NONE(cuInit) NONE(cuDriverGetVersion) NONE(cuDeviceGetCount) NONE(cuCtxGetCurrent)
NONE(cuMemPoolCreate) NONE(cuMemPoolDestroy)
F(cuCtxSynchronize) F(cuCtxGetDevice) F(cuCtxGetFlags) F(cuCtxGetApiVersion) F(cuCtxGetLimit) F(cuCtxSetLimit)
F(cuCtxGetCacheConfig) F(cuCtxSetCacheConfig) F(cuCtxGetSharedMemConfig) F(cuCtxSetSharedMemConfig) F(cuCtxGetStreamPriorityRange)
F(cuCtxEnablePeerAccess)
F(cuModuleGetFunction) F(cuModuleGetGlobal_v2) F(cuFuncGetAttribute) F(cuFuncSetAttribute) F(cuFuncSetCacheConfig)
F(cuFuncSetSharedMemConfig) F(cuOccupancyMaxActiveBlocksPerMultiprocessor) F(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
F(cuOccupancyMaxPotentialBlockSize) F(cuOccupancyAvailableDynamicSMemPerBlock)
F(cuLaunchKernel) F(cuLaunchCooperativeKernel) F(cuLaunchHostFunc)
F(cuMemGetInfo_v2) F(cuMemPoolSetAttribute) F(cuMemPoolGetAttribute) F(cuMemPoolTrimTo) F(cuPointerGetAttribute)
F(cuMemcpyHtoD_v2) F(cuMemcpyDtoH_v2) F(cuMemcpyDtoD_v2) F(cuMemcpyHtoDAsync_v2) F(cuMemcpyDtoHAsync_v2) F(cuMemcpyDtoDAsync_v2)
F(cuMemcpyPeer) F(cuMemcpyPeerAsync)
F(cuMemsetD8_v2) F(cuMemsetD16_v2) F(cuMemsetD32_v2) F(cuMemsetD8Async) F(cuMemsetD16Async) F(cuMemsetD32Async)
F(cuStreamSynchronize) F(cuStreamQuery) F(cuStreamWaitEvent) F(cuStreamGetFlags) F(cuStreamGetPriority)
F(cuEventRecord) F(cuEventQuery) F(cuEventSynchronize) F(cuEventElapsedTime)
