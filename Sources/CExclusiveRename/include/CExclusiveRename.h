// The system call that gives a file another name, but never one that is taken: Swift's Glibc does not show it.

#pragma once

#include <stdio.h>

#if defined(__linux__)
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

// Returns 0, or -1 with the reason in errno: EEXIST where the name is taken; EINVAL, ENOSYS or ENOTSUP where the file
// system or the kernel cannot do it.
static inline int exclusive_rename(const char *from, const char *to) {
#if defined(__linux__)
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1u /* RENAME_NOREPLACE */);
#else
    return renamex_np(from, to, RENAME_EXCL);
#endif
}
