/* Counts the calls of the functions of the stand-in driver, which is compiled together with this file
 * and -finstrument-functions. */
struct dl_info { const char *file; void *base; const char *name; void *address; };
int dladdr(const void *address, struct dl_info *info);

enum { MAX_FUNCTIONS = 1024 };
static struct { void *function; int calls; } counts[MAX_FUNCTIONS];
static int functions;

/* Hidden, since the C library has functions of these names, which do nothing. */
__attribute__((no_instrument_function, visibility("hidden"))) void __cyg_profile_func_enter(void *function, void *caller) {
    (void)caller;
    int i = 0;
    while (i < functions && counts[i].function != function) i++;
    if (i == MAX_FUNCTIONS) return;
    if (i == functions) { counts[i].function = function; counts[i].calls = 0; functions++; }
    counts[i].calls++;
}
__attribute__((no_instrument_function, visibility("hidden"))) void __cyg_profile_func_exit(void *function, void *caller) {
    (void)function; (void)caller;
}
/* Returns the name of a called function and sets the number of its calls; an empty name for static functions, and 0
 * after the last one. */
__attribute__((no_instrument_function)) const char *fake_called(int i, int *calls) {
    if (i >= functions) return 0;
    struct dl_info info;
    *calls = counts[i].calls;
    int is_exported = dladdr(counts[i].function, &info) && info.name && info.address == counts[i].function;
    return is_exported ? info.name : "";
}
__attribute__((no_instrument_function)) void fake_forget_calls(void) { functions = 0; }
