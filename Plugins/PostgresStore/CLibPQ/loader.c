#include "CLibPQ.h"

#include <dlfcn.h>
#include <pthread.h>

#ifndef CLIBPQ_OWN_TYPES
// Checks the declarations against those of libpq's own header.
#define FUNCTION(result, name, parameters, arguments)                                                        \
    _Static_assert(__builtin_types_compatible_p(__typeof__(pq_##name), __typeof__(PQ##name)), #name);
#include "functions.h"
#undef FUNCTION
#endif

#define FUNCTION(result, name, parameters, arguments) result(*name) parameters;
typedef struct {
#include "functions.h"
} Functions;
#undef FUNCTION

static Functions loaded;
// Once clibpq_load has succeeded, its writes are visible to the caller, because it held the lock.
static bool isLoaded = false;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define FUNCTION(result, name, parameters, arguments)                                                        \
    result pq_##name parameters { return loaded.name arguments; }
#include "functions.h"
#undef FUNCTION

static bool find(Functions *found, void *handle, const char **missing) {
#define FUNCTION(result, name, parameters, arguments)                                                        \
    if ((found->name = (__typeof__(found->name))dlsym(handle, "PQ" #name)) == NULL) {                        \
        *missing = "PQ" #name;                                                                               \
        return false;                                                                                        \
    }
#include "functions.h"
#undef FUNCTION
    return true;
}

bool clibpq_load(const char *library, const char **missing, const char **reason) {
    *missing = NULL;
    *reason = NULL;
    // Never closed: the libraries that libpq loads in turn do not expect to be.
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        *reason = dlerror();
        return false;
    }
    Functions found;
    if (!find(&found, handle, missing)) return false;
    pthread_mutex_lock(&lock);
    if (!isLoaded) loaded = found;
    isLoaded = true;
    pthread_mutex_unlock(&lock);
    return true;
}
