#include <zlib.h>

// deflateInit2 is a macro, which Swift does not import. 16 more for the window's bits asks for the form of gzip.
static inline int switchyard_gzip_init(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}
