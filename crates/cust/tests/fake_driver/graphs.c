/* Linker and graphs of the stand-in, compiled as one file with libcuda.c. The linker concatenates its inputs behind a
 * cubin header. A graph runs its nodes in the order in which they were added. */
enum { LINKS = 8, GRAPHS = 16, NODES = 8, PIECES = 4096 };
struct link { struct context *context; int alive, completed; char *error; size_t room, size; char image[64 + PIECES]; };
static struct link links[LINKS];
int fake_links(void) { int n = 0; for (int i = 0; i < LINKS; i++) n += links[i].alive; return n; }
static int is_link(struct link *l) { return l && l->alive && !l->completed && l->context == current; }
int cuLinkCreate_v2(unsigned n, int *keys, void **values, void **out) {
    NEED_CONTEXT;
    for (int i = 0; i < LINKS; i++)
        if (!links[i].alive) {
            struct link *l = &links[i];
            memset(l, 0, sizeof *l); l->context = current; l->alive = 1; l->size = 64;
            for (unsigned k = 0; k < n; k++) {
                if (keys[k] == 5) l->error = values[k];
                if (keys[k] == 6) l->room = (size_t)values[k];
                if (keys[k] == 0 && (size_t)values[k] != 24) { l->alive = 0; return INVALID_VALUE; }
            }
            *out = l; return OK;
        }
    return OUT_OF_MEMORY;
}
int cuLinkAddData_v2(struct link *l, int type, void *data, size_t n, const char *name, unsigned options, int *keys, void **values) {
    NEED_CONTEXT; (void)keys; (void)values;
    if (!is_link(l) || !name || options || type < 0 || type > 2) return INVALID_HANDLE;
    /* PTX is NUL-terminated, so it can be searched */
    if (type == 1 && (!n || strlen(data) + 1 != n)) return INVALID_VALUE;
    if (type == 1 && strstr(data, "nonsense")) { snprintf(l->error, l->room, "line 1; error : nonsense\n"); return INVALID_PTX; }
    if (l->size + n > sizeof l->image) return OUT_OF_MEMORY;
    memcpy(l->image + l->size, data, n); l->size += n; return OK;
}
int cuLinkComplete(struct link *l, void **out, size_t *n) {
    NEED_CONTEXT;
    if (!is_link(l)) return INVALID_HANDLE;
    l->completed = 1;
    if (l->size == 64) { snprintf(l->error, l->room, "error : nothing to link\n"); return 209; }
    memcpy(l->image, "\177ELF", 4); *out = l->image; *n = l->size; return OK;
}
int cuLinkDestroy(struct link *l) { NEED_CONTEXT; if (!l || !l->alive || l->context != current) return INVALID_HANDLE; l->alive = 0; return OK; }

struct params { void *function; unsigned grid[3], block[3], shared; void **arguments, **extra; };
struct node { void *function; unsigned grid[3], block[3], shared; uint64_t arguments[4]; };
struct graph { int alive, count, edges; struct node nodes[NODES]; int from[NODES * NODES], to[NODES * NODES]; };
/* graphs with odd numbers are executable */
static struct graph graphs[GRAPHS];
int fake_graphs(void) { int n = 0; for (int i = 0; i < GRAPHS; i++) n += graphs[i].alive; return n; }
static struct graph *new_graph(int ready) {
    for (int i = ready; i < GRAPHS; i += 2)
        if (!graphs[i].alive) { memset(&graphs[i], 0, sizeof graphs[i]); graphs[i].alive = 1; return &graphs[i]; }
    return 0;
}
static int is_graph(struct graph *g, int ready) { return g >= graphs && g < graphs + GRAPHS && g->alive && (g - graphs) % 2 == ready; }
int cuGraphCreate(void **g, unsigned flags) { NEED_CONTEXT; if (flags) return INVALID_VALUE; return (*g = new_graph(0)) ? OK : OUT_OF_MEMORY; }
int cuGraphDestroy(struct graph *g) { NEED_CONTEXT; if (!is_graph(g, 0)) return INVALID_VALUE; g->alive = 0; return OK; }
int cuGraphAddKernelNode(void **out, struct graph *g, void **before, size_t n, const struct params *p) {
    NEED_CONTEXT;
    if (!is_graph(g, 0) || !is_function(p->function) || p->extra || g->count == NODES) return INVALID_VALUE;
    if (p->block[0] > 1024) return INVALID_VALUE;
    struct node *node = &g->nodes[g->count];
    node->function = p->function; node->shared = p->shared;
    memcpy(node->grid, p->grid, 12); memcpy(node->block, p->block, 12);
    for (int i = 0; i < 4; i++) memcpy(&node->arguments[i], p->arguments[i], 8);
    for (size_t i = 0; i < n; i++) {
        struct node *b = before[i];
        if (b < g->nodes || b >= node) return INVALID_VALUE;
        g->from[g->edges] = b - g->nodes; g->to[g->edges++] = g->count;
    }
    g->count++; *out = node; return OK;
}
int cuGraphGetNodes(struct graph *g, void **nodes, size_t *n) {
    if (!is_graph(g, 0)) return INVALID_VALUE;
    for (size_t i = 0; nodes && i < *n && i < (size_t)g->count; i++) nodes[i] = &g->nodes[i];
    *n = g->count; return OK;
}
int cuGraphGetEdges(struct graph *g, void **from, void **to, size_t *n) {
    if (!is_graph(g, 0)) return INVALID_VALUE;
    for (size_t i = 0; from && i < *n && i < (size_t)g->edges; i++) { from[i] = &g->nodes[g->from[i]]; to[i] = &g->nodes[g->to[i]]; }
    *n = g->edges; return OK;
}
int cuGraphNodeGetType(void *node, int *type) { if (!node) return INVALID_VALUE; *type = 0; return OK; }
int cuGraphDebugDotPrint(struct graph *g, const char *path, unsigned flags) {
    if (!is_graph(g, 0) || flags != 1) return INVALID_VALUE;
    FILE *file = fopen(path, "w");
    if (!file) return 304;
    fprintf(file, "digraph dot { %d nodes }\n", g->count); fclose(file); return OK;
}
int cuGraphInstantiateWithFlags(void **out, struct graph *g, unsigned long long flags) {
    NEED_CONTEXT;
    struct graph *ready;
    if (!is_graph(g, 0) || flags) return INVALID_VALUE;
    if (!(ready = new_graph(1))) return OUT_OF_MEMORY;
    *ready = *g; *out = ready; return OK;
}
int cuGraphLaunch(struct graph *g, void *stream) {
    NEED_CONTEXT;
    if (!is_graph(g, 1)) return INVALID_VALUE;
    for (int i = 0; i < g->count; i++) {
        struct node *n = &g->nodes[i];
        void *arguments[4] = {&n->arguments[0], &n->arguments[1], &n->arguments[2], &n->arguments[3]};
        int status = cuLaunchKernel(n->function, n->grid[0], n->grid[1], n->grid[2], n->block[0], n->block[1], n->block[2], n->shared, stream, arguments, 0);
        if (status) return status;
    }
    return OK;
}
int cuGraphExecDestroy(struct graph *g) { NEED_CONTEXT; if (!is_graph(g, 1)) return INVALID_VALUE; g->alive = 0; return OK; }
