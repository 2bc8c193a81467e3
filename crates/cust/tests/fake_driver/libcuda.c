/* Stand-in for libcuda.so.1, for tests on machines without a GPU. It has two devices of 64 MiB; device memory is host
 * memory; streams execute work immediately. It checks conditions on which the real driver would crash or corrupt memory:
 * every handle and address must belong to the current context. cuOccupancyAvailableDynamicSMemPerBlock is omitted on
 * purpose, to test the handling of older drivers.
 * Functions named fake_* expose the internal state to the tests.
 * With ANY_KERNEL, every module has every kernel and every constant, and kernels do nothing; device memory is zeroed. This
 * mode tests the handling of failing calls. */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t ptr_t;
enum { OK = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, INVALID_DEVICE = 101, INVALID_CONTEXT = 201,
       INVALID_PTX = 218, INVALID_HANDLE = 400, NOT_FOUND = 500, NOT_READY = 600, NOT_SUPPORTED = 801 };
enum { DEVICES = 2, MAX = 2048 };
static const size_t TOTAL = (size_t)64 << 20;

struct context { int device; int owners; };
struct handle { struct context *context; int kind; int recorded; int alive; };
/* MANAGED and PINNED blocks belong to every context. */
enum { PLAIN, ORDERED, MANAGED, PINNED };
struct block { ptr_t address; size_t bytes; struct context *context; int kind; };
struct launch { unsigned grid[3], block[3], shared; void *stream; };

static struct context contexts[DEVICES] = {{0, 0}, {1, 0}};
/* explicitly created contexts; a live one has an owner */
enum { OWN = 16, DEEP = 32 };
static struct context own[OWN];
static __thread struct context *stack[DEEP];
static __thread int depth;
#define current (depth ? stack[depth - 1] : 0)
static int initialized, pools = 1, pending, concurrent = 1, advices;
static struct handle handles[MAX];
static struct block blocks[MAX];
static struct launch last;
static size_t used[DEVICES];
#ifdef ANY_KERNEL
enum { ANY = 1, UNWRITTEN = 0 };
static int global_value[16384];
#else
enum { ANY = 0, UNWRITTEN = 0xA5 };
static int global_value[4];
#endif
static uint64_t heap[3];
static uint64_t threshold;
static int attribute_8;
static char peer_copies, async_allocs, async_frees;
static int live_pools;

#define NEED_CONTEXT do { if (!initialized) return NOT_INITIALIZED; if (!current || !current->owners) return INVALID_CONTEXT; } while (0)
enum { STREAM = 1, EVENT, MODULE, FUNCTION };

static void *make(int kind) {
    for (int i = 0; i < MAX; i++)
        if (!handles[i].alive) { handles[i] = (struct handle){current, kind, 0, 1}; return &handles[i]; }
    return 0;
}
static int is(void *h, int kind) {
    struct handle *x = h;
    return x && x >= handles && x < handles + MAX && x->alive && x->kind == kind && x->context == current;
}
/* 0 to 2 are the default streams */
static int is_stream(void *h) { return (ptr_t)h <= 2 || is(h, STREAM); }
static int destroy(void *h, int kind) { if (!is(h, kind)) return INVALID_HANDLE; ((struct handle *)h)->alive = 0; return OK; }
static struct block *find(ptr_t a, size_t n, struct context *c) {
    for (int i = 0; i < MAX; i++)
        if (blocks[i].address && a >= blocks[i].address && a + n <= blocks[i].address + blocks[i].bytes && (blocks[i].context == c || blocks[i].kind >= MANAGED)) return &blocks[i];
    return 0;
}
static int count(int pinned) { int n = 0; for (int i = 0; i < MAX; i++) n += blocks[i].address && (blocks[i].kind == PINNED) == pinned; return n; }
static int is_global(ptr_t a, size_t n) { return (a >= (ptr_t)global_value && a + n <= (ptr_t)global_value + sizeof global_value) || (a >= (ptr_t)heap && a + n <= (ptr_t)heap + sizeof heap); }
static int is_range(ptr_t a, size_t n) { return find(a, n, current) || is_global(a, n); }

int fake_live(int kind) { int n = 0; for (int i = 0; i < MAX; i++) n += handles[i].alive && handles[i].kind == kind; return n; }
int fake_pools(void) { return live_pools; }
int fake_blocks(void) { return count(0); }
int fake_pinned(void) { return count(1); }
int fake_is_managed(ptr_t a) { struct block *b = find(a, 1, 0); return b && b->kind == MANAGED; }
int fake_own(void) { int n = 0; for (int i = 0; i < OWN; i++) n += own[i].owners; return n; }
int fake_owners(int device) { return contexts[device].owners; }
int fake_block_device(ptr_t a) { for (int d = 0; d < DEVICES; d++) if (find(a, 1, &contexts[d])) return d; return -1; }
void fake_set_pools(int on) { pools = on; }
void fake_set_concurrent(int on) { concurrent = on; }
void fake_set_pending(int on) { pending = on; }
void fake_last_launch(unsigned *out) { memcpy(out, last.grid, 12); memcpy(out + 3, last.block, 12); out[6] = last.shared; }
int fake_count(char what) { return what == 'p' ? peer_copies : what == 'a' ? async_allocs : what == 'm' ? advices : async_frees; }

int cuInit(unsigned flags) { if (flags) return INVALID_VALUE; initialized = 1; return OK; }
int cuDriverGetVersion(int *v) { *v = 10020; return OK; }
int cuDeviceGetCount(int *n) { if (!initialized) return NOT_INITIALIZED; *n = DEVICES; return OK; }
int cuDeviceGet(int *d, int i) { if (!initialized) return NOT_INITIALIZED; if (i < 0 || i >= DEVICES) return INVALID_DEVICE; *d = i; return OK; }
int cuDeviceGetName(char *s, int n, int d) { snprintf(s, n, "Fake GPU %d", d); return OK; }
int cuDeviceGetUuid(unsigned char *u, int d) { for (int i = 0; i < 16; i++) u[i] = i + d; return OK; }
int cuDeviceTotalMem_v2(size_t *n, int d) { (void)d; *n = TOTAL; return OK; }
int cuDeviceGetAttribute(int *v, int a, int d) {
    (void)d;
    switch (a) {
    case 10: *v = 32; return OK;
    case 75: *v = 9; return OK;
    case 76: *v = 0; return OK;
    case 89: *v = d == 0 || concurrent; return OK;
    case 115: *v = pools; return OK;
    }
    static const int known[][2] = {{1, 1024}, {8, 49152}, {12, 65536}, {16, 4}, {39, 2048}, {81, 233472}, {82, 65536}, {97, 232448}, {106, 32}, {111, 1024}};
    for (size_t i = 0; ANY && i < sizeof known / sizeof *known; i++)
        if (known[i][0] == a) { *v = known[i][1]; return OK; }
    return INVALID_VALUE;
}
int cuDevicePrimaryCtxRetain(void **c, int d) { if (!initialized) return NOT_INITIALIZED; contexts[d].owners++; *c = &contexts[d]; return OK; }
int cuDevicePrimaryCtxRelease_v2(int d) { if (!contexts[d].owners) return INVALID_CONTEXT; contexts[d].owners--; return OK; }
int cuDevicePrimaryCtxSetFlags_v2(int d, unsigned f) { (void)d; (void)f; return OK; }
int cuCtxGetCurrent(void **c) { if (!initialized) return NOT_INITIALIZED; *c = current; return OK; }
int cuCtxPushCurrent_v2(void *c) { if (!c || !((struct context *)c)->owners || depth == DEEP) return INVALID_CONTEXT; stack[depth++] = c; return OK; }
int cuCtxPopCurrent_v2(void **c) { if (!depth) return INVALID_CONTEXT; *c = stack[--depth]; return OK; }
int cuCtxSetCurrent(void *c) {
    if (!c) { depth -= depth > 0; return OK; }
    if (!((struct context *)c)->owners) return INVALID_CONTEXT;
    depth -= depth > 0;
    return cuCtxPushCurrent_v2(c);
}
int cuCtxCreate_v2(void **c, unsigned flags, int d) {
    if (!initialized) return NOT_INITIALIZED;
    if (flags > 0x1f) return INVALID_VALUE;
    for (int i = 0; i < OWN; i++)
        if (!own[i].owners) { own[i] = (struct context){d, 1}; *c = &own[i]; return cuCtxPushCurrent_v2(*c); }
    return OUT_OF_MEMORY;
}
int cuCtxDestroy_v2(void *c) {
    struct context *x = c;
    if (x < own || x >= own + OWN || !x->owners) return INVALID_CONTEXT;
    /* destroying a context before the objects created in it is an error */
    for (int i = 0; i < MAX; i++) if ((blocks[i].address && blocks[i].context == x) || (handles[i].alive && handles[i].context == x)) return INVALID_VALUE;
    x->owners = 0; depth -= current == x;
    return OK;
}
int cuCtxGetApiVersion(void *c, unsigned *v) { if (!c && !current) return INVALID_CONTEXT; *v = 3020; return OK; }
int cuCtxGetDevice(int *d) { NEED_CONTEXT; *d = current->device; return OK; }
int cuCtxSynchronize(void) { NEED_CONTEXT; return OK; }
int cuDeviceCanAccessPeer(int *y, int d, int p) { *y = d != p; return OK; }
int cuCtxEnablePeerAccess(void *c, unsigned f) { (void)f; NEED_CONTEXT; static int on; if (c == current) return INVALID_CONTEXT; return on++ ? 704 : OK; }

int cuModuleLoadDataEx(void **m, const void *image, unsigned n, int *keys, void **values) {
    NEED_CONTEXT;
    char *error = 0; size_t room = 0;
    for (unsigned i = 0; i < n; i++) {
        if (keys[i] == 5) error = values[i];
        if (keys[i] == 6) room = (size_t)values[i];
        if (keys[i] == 0 && (size_t)values[i] != 24) return INVALID_VALUE;
    }
    if (strstr(image, "nonsense")) { snprintf(error, room, "ptxas application ptx input, line 3; error : nonsense\n"); return INVALID_PTX; }
    return (*m = make(MODULE)) ? OK : OUT_OF_MEMORY;
}
int cuModuleUnload(void *m) { NEED_CONTEXT; return destroy(m, MODULE); }
int cuModuleGetFunction(void **f, void *m, const char *name) {
    NEED_CONTEXT;
    if (!is(m, MODULE)) return INVALID_HANDLE;
    if (!ANY && strcmp(name, "vecadd")) return NOT_FOUND;
    static struct handle functions[DEVICES];
    functions[current->device] = (struct handle){current, FUNCTION, 0, 1};
    *f = &functions[current->device];
    return OK;
}
int cuModuleGetGlobal_v2(ptr_t *p, size_t *n, void *m, const char *name) {
    if (!is(m, MODULE)) return INVALID_HANDLE;
    if (!ANY && !strcmp(name, "__ferrovox_heap")) { *p = (ptr_t)heap; *n = sizeof heap; return OK; }
    if (!ANY && strcmp(name, "TABLE")) return NOT_FOUND;
    *p = (ptr_t)global_value; *n = sizeof global_value; return OK;
}
static int is_function(void *f) { struct handle *x = f; return x && x->kind == FUNCTION && x->context == current; }
int cuFuncGetAttribute(int *v, int a, void *f) { if (!is_function(f)) return INVALID_HANDLE; *v = a == 8 ? attribute_8 : a == 4 ? 18 : ANY && a == 0 ? 1024 : 0; return OK; }
int cuFuncSetAttribute(void *f, int a, int v) { if (!is_function(f)) return INVALID_HANDLE; if (a != 8 || v > 232448) return INVALID_VALUE; attribute_8 = v; return OK; }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, void *f, int threads, size_t shared) {
    if (!is_function(f)) return INVALID_HANDLE;
    if (threads <= 0) return INVALID_VALUE;
    *n = 2048 / threads; if (shared) { int s = (int)(233472 / shared); if (s < *n) *n = s; }
    return OK;
}
int cuOccupancyMaxPotentialBlockSize(int *g, int *b, void *f, void *callback, size_t shared, int limit) {
    (void)shared; if (!is_function(f) || callback) return INVALID_HANDLE;
    *g = 264; *b = limit ? limit : 1024; return OK;
}
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream, void **args, void **extra) {
    NEED_CONTEXT;
    if (!is_function(f) || !is_stream(stream) || extra) return INVALID_HANDLE;
    if ((uint64_t)bx * by * bz > 1024) return INVALID_VALUE;
    last = (struct launch){{gx, gy, gz}, {bx, by, bz}, shared, stream};
    if (ANY) return OK;
    /* vecadd(a, b, c, n): the kernel's computation. */
    ptr_t a = *(ptr_t *)args[0], b = *(ptr_t *)args[1], c = *(ptr_t *)args[2]; uint64_t n = *(uint64_t *)args[3];
    if (!is_range(a, n * 4) || !is_range(b, n * 4) || !is_range(c, n * 4)) return 700;
    for (uint64_t i = 0; i < n; i++) ((float *)c)[i] = ((float *)a)[i] + ((float *)b)[i];
    return OK;
}
int cuLaunchHostFunc(void *stream, void (*f)(void *), void *data) { NEED_CONTEXT; if (!is_stream(stream)) return INVALID_HANDLE; f(data); return OK; }

static int allocate(ptr_t *p, size_t n, int kind) {
    if (!n) return INVALID_VALUE;
    if (n > TOTAL - (kind == PINNED ? 0 : used[current->device])) return OUT_OF_MEMORY;
    for (int i = 0; i < MAX; i++)
        if (!blocks[i].address) {
            void *memory = aligned_alloc(4096, (n + 4095) / 4096 * 4096); memset(memory, UNWRITTEN, n);
            blocks[i] = (struct block){(ptr_t)memory, n, current, kind};
            if (kind != PINNED) used[current->device] += n;
            *p = (ptr_t)memory; return OK;
        }
    return OUT_OF_MEMORY;
}
static int release(ptr_t p, int pinned) {
    struct block *b = find(p, 1, current);
    if (!b || b->address != p || (b->kind == PINNED) != pinned) return INVALID_VALUE;
    if (!pinned) used[b->context->device] -= b->bytes;
    free((void *)p); b->address = 0; return OK;
}
int cuMemAlloc_v2(ptr_t *p, size_t n) { NEED_CONTEXT; return allocate(p, n, PLAIN); }
static int failing_frees;
void fake_set_failing_frees(int on) { failing_frees = on; }
int cuMemFree_v2(ptr_t p) { NEED_CONTEXT; return failing_frees ? INVALID_VALUE : release(p, 0); }
int cuMemAllocAsync(ptr_t *p, size_t n, void *s) { NEED_CONTEXT; if (!pools) return NOT_SUPPORTED; if (!is_stream(s)) return INVALID_HANDLE; async_allocs++; return allocate(p, n, ORDERED); }
int cuMemFreeAsync(ptr_t p, void *s) { NEED_CONTEXT; struct block *b = find(p, 1, current); if (!is_stream(s) || !b || b->kind != ORDERED) return INVALID_HANDLE; async_frees++; return release(p, 0); }
int cuMemGetInfo_v2(size_t *f, size_t *t) { NEED_CONTEXT; *t = TOTAL; *f = TOTAL - used[current->device]; return OK; }
int cuMemHostAlloc(void **p, size_t n, unsigned flags) { NEED_CONTEXT; return flags & ~3u ? INVALID_VALUE : allocate((ptr_t *)p, n, PINNED); }
int cuMemFreeHost(void *p) { NEED_CONTEXT; return release((ptr_t)p, 1); }
int cuMemAllocManaged(ptr_t *p, size_t n, unsigned flags) { NEED_CONTEXT; if (flags != 1) return INVALID_VALUE; return allocate(p, n, MANAGED); }
int cuMemAllocPitch_v2(ptr_t *p, size_t *pitch, size_t width, size_t height, unsigned element) {
    NEED_CONTEXT;
    if (element != 4 && element != 8 && element != 16) return INVALID_VALUE;
    *pitch = (width + 511) / 512 * 512; return allocate(p, *pitch * height, PLAIN);
}
int cuPointerGetAttribute(void *out, int a, ptr_t p) { NEED_CONTEXT; struct block *b = find(p, 1, current); if (!b || (a != 8 && a != 9)) return INVALID_VALUE; if (a == 9) *(int *)out = current->device; else *(char *)out = b->kind == MANAGED; return OK; }
static int advisable(ptr_t p, size_t n, int d) {
    struct block *b = find(p, n, current);
    if (d < -1 || d >= DEVICES) return INVALID_DEVICE;
    if (!b || b->kind != MANAGED) return INVALID_VALUE;
    advices++; return OK;
}
int cuMemPrefetchAsync(ptr_t p, size_t n, int d, void *s) { NEED_CONTEXT; return is_stream(s) ? advisable(p, n, d) : INVALID_HANDLE; }
int cuMemAdvise(ptr_t p, size_t n, int a, int d) { NEED_CONTEXT; return a < 1 || a > 4 ? INVALID_VALUE : advisable(p, n, d); }
int cuDeviceGetDefaultMemPool(void **pool, int d) { static int ids[DEVICES]; if (!pools) return NOT_SUPPORTED; *pool = &ids[d]; return OK; }
int cuMemPoolCreate(void **pool, const int *props) { int n; cuDeviceGetCount(&n); if (!pools) return NOT_SUPPORTED; if (props[0] != 1 || props[2] != 1 || props[3] < 0 || props[3] >= n) return INVALID_VALUE; *pool = calloc(1, 1); live_pools++; return OK; }
int cuMemPoolDestroy(void *pool) { free(pool); live_pools--; return OK; }
int cuMemPoolTrimTo(void *pool, size_t keep) { (void)keep; return pool ? OK : INVALID_VALUE; }
int cuMemAllocFromPoolAsync(ptr_t *p, size_t n, void *pool, void *s) { return pool ? cuMemAllocAsync(p, n, s) : INVALID_VALUE; }
int cuMemPoolSetAttribute(void *pool, int a, void *v) { (void)pool; if (a != 4) return INVALID_VALUE; threshold = *(uint64_t *)v; return OK; }
int cuMemPoolGetAttribute(void *pool, int a, void *v) { (void)pool; if (a != 4) return INVALID_VALUE; *(uint64_t *)v = threshold; return OK; }

/* Copies one byte at a time and lets other threads run in between, like the engines of a device. */
static int slow_copies;
void fake_set_slow_copies(int on) { slow_copies = on; }
static void copy_bytes(void *to, const void *from, size_t n) {
    if (!slow_copies) { memmove(to, from, n); return; }
    for (size_t i = 0; i < n; i++) { ((volatile char *)to)[i] = ((volatile const char *)from)[i]; if (i % 7 == 0) sched_yield(); }
}
#define COPY(to, from, n) do { copy_bytes((void *)(to), (const void *)(from), n); return OK; } while (0)
#define NEED_STREAM(s) do { if (!is_stream(s)) return INVALID_HANDLE; } while (0)
int cuMemcpyHtoD_v2(ptr_t d, const void *s, size_t n) { NEED_CONTEXT; if (!is_range(d, n)) return INVALID_VALUE; COPY(d, s, n); }
int cuMemcpyDtoH_v2(void *d, ptr_t s, size_t n) { NEED_CONTEXT; if (!is_range(s, n)) return INVALID_VALUE; COPY(d, s, n); }
int cuMemcpyDtoD_v2(ptr_t d, ptr_t s, size_t n) { NEED_CONTEXT; if (!is_range(d, n) || !is_range(s, n)) return INVALID_VALUE; COPY(d, s, n); }
int cuMemcpyHtoDAsync_v2(ptr_t d, const void *s, size_t n, void *st) { NEED_CONTEXT; NEED_STREAM(st); return cuMemcpyHtoD_v2(d, s, n); }
int cuMemcpyDtoHAsync_v2(void *d, ptr_t s, size_t n, void *st) { NEED_CONTEXT; NEED_STREAM(st); return cuMemcpyDtoH_v2(d, s, n); }
int cuMemcpyDtoDAsync_v2(ptr_t d, ptr_t s, size_t n, void *st) { NEED_CONTEXT; NEED_STREAM(st); return cuMemcpyDtoD_v2(d, s, n); }
int cuMemcpyPeer(ptr_t d, void *dc, ptr_t s, void *sc, size_t n) { NEED_CONTEXT; if (!find(d, n, dc) || !find(s, n, sc)) return INVALID_VALUE; peer_copies++; COPY(d, s, n); }
int cuMemcpyPeerAsync(ptr_t d, void *dc, ptr_t s, void *sc, size_t n, void *st) { NEED_CONTEXT; NEED_STREAM(st); return cuMemcpyPeer(d, dc, s, sc, n); }
struct end { size_t x, y; int type; char *host; ptr_t device; void *array; size_t pitch; };
struct rows { struct end from, to; size_t width, height; };
static char *rows_at(const struct end *e, const struct rows *r) {
    if (e->x || e->y || e->array || e->pitch < r->width || !r->height) return 0;
    if (e->type == 1) return e->host;
    return e->type == 2 && is_range(e->device, e->pitch * (r->height - 1) + r->width) ? (char *)e->device : 0;
}
int cuMemcpy2D_v2(const struct rows *r) {
    NEED_CONTEXT;
    char *from = rows_at(&r->from, r), *to = rows_at(&r->to, r);
    if (!from || !to) return INVALID_VALUE;
    for (size_t i = 0; i < r->height; i++) memmove(to + i * r->to.pitch, from + i * r->from.pitch, r->width);
    return OK;
}
int cuMemcpy2DAsync_v2(const struct rows *r, void *st) { NEED_CONTEXT; NEED_STREAM(st); return cuMemcpy2D_v2(r); }
int cuMemsetD8_v2(ptr_t d, unsigned char v, size_t n) { NEED_CONTEXT; if (!is_range(d, n)) return INVALID_VALUE; memset((void *)d, v, n); return OK; }
int cuMemsetD16_v2(ptr_t d, unsigned short v, size_t n) { NEED_CONTEXT; if (!is_range(d, n * 2)) return INVALID_VALUE; for (size_t i = 0; i < n; i++) ((uint16_t *)d)[i] = v; return OK; }
int cuMemsetD32_v2(ptr_t d, unsigned v, size_t n) { NEED_CONTEXT; if (!is_range(d, n * 4)) return INVALID_VALUE; for (size_t i = 0; i < n; i++) ((uint32_t *)d)[i] = v; return OK; }
int cuMemsetD8Async(ptr_t d, unsigned char v, size_t n, void *s) { NEED_CONTEXT; NEED_STREAM(s); return cuMemsetD8_v2(d, v, n); }
int cuMemsetD32Async(ptr_t d, unsigned v, size_t n, void *s) { NEED_CONTEXT; NEED_STREAM(s); return cuMemsetD32_v2(d, v, n); }

int cuStreamCreateWithPriority(void **s, unsigned flags, int priority) { (void)priority; NEED_CONTEXT; if (!(*s = make(STREAM))) return OUT_OF_MEMORY; ((struct handle *)*s)->recorded = flags; return OK; }
int cuStreamDestroy_v2(void *s) { NEED_CONTEXT; return destroy(s, STREAM); }
int cuStreamSynchronize(void *s) { NEED_CONTEXT; NEED_STREAM(s); return OK; }
int cuStreamQuery(void *s) { NEED_CONTEXT; NEED_STREAM(s); return pending ? NOT_READY : OK; }
int cuStreamGetFlags(void *s, unsigned *f) { NEED_CONTEXT; NEED_STREAM(s); *f = ((struct handle *)s)->recorded; return OK; }
int cuStreamWaitEvent(void *s, void *e, unsigned f) { (void)f; NEED_CONTEXT; NEED_STREAM(s); struct handle *x = e; return x->kind == EVENT && x->alive ? OK : INVALID_HANDLE; }
int cuEventCreate(void **e, unsigned f) { (void)f; NEED_CONTEXT; return (*e = make(EVENT)) ? OK : OUT_OF_MEMORY; }
int cuEventDestroy_v2(void *e) { NEED_CONTEXT; return destroy(e, EVENT); }
int cuEventRecord(void *e, void *s) { NEED_CONTEXT; NEED_STREAM(s); if (!is(e, EVENT)) return INVALID_HANDLE; ((struct handle *)e)->recorded = 1; return OK; }
int cuEventQuery(void *e) { NEED_CONTEXT; if (!is(e, EVENT)) return INVALID_HANDLE; return pending ? NOT_READY : OK; }
int cuEventSynchronize(void *e) { NEED_CONTEXT; return is(e, EVENT) ? OK : INVALID_HANDLE; }
int cuEventElapsedTime(float *ms, void *a, void *b) { NEED_CONTEXT; if (!is(a, EVENT) || !is(b, EVENT) || !((struct handle *)a)->recorded || !((struct handle *)b)->recorded) return INVALID_HANDLE; *ms = 1.5f; return OK; }
