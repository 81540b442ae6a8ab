// libpq, loaded when it is first needed: a program that uses another backend starts without it and without the
// twenty libraries on which it depends.
//
// pq_exec is libpq's PQexec, and so on. Each may be called once clibpq_load has succeeded.

#pragma once

#ifndef __clang__
#define _Nonnull
#define _Nullable
#endif

#include <stdbool.h>
#include <stddef.h>

#if defined(CLIBPQ_OWN_TYPES)
#include "../types.h"
#elif __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#elif __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#define CLIBPQ_OWN_TYPES
#include "../types.h"
#endif

#define FUNCTION(result, name, parameters, arguments) result pq_##name parameters;
#include "functions.h"
#undef FUNCTION

// Loads the library of this name and finds the functions in it, unless that has been done. If it fails, the name of
// the function that the library lacks is left in `missing`; or NULL where no such library can be loaded, and why not
// in `reason`, good until the thread's next call.
bool clibpq_load(
    const char *_Nonnull library, const char *_Nullable *_Nonnull missing, const char *_Nullable *_Nonnull reason);
