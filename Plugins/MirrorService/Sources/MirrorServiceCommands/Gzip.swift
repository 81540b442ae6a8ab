internal import CZlib

/// Bodies as gzip.
enum Gzip {
    /// Bodies below this size, in bytes, stay as they are.
    static let least = 1_024
    /// The quickest: a page of rows shrinks little more at the others, which take several times as long.
    private static let level = Z_BEST_SPEED

    /// Returns the bytes as gzip; nil if zlib has no memory for it.
    static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        guard switchyard_gzip_init(&stream, level) == Z_OK, let count = UInt32(exactly: bytes.count) else {
            return nil
        }
        defer { deflateEnd(&stream) }
        let bound = Int(deflateBound(&stream, UInt(bytes.count)))
        guard let room = UInt32(exactly: bound) else { return nil }
        var input = bytes
        return input.withUnsafeMutableBufferPointer { input in
            var isWhole = false
            let output = [UInt8](unsafeUninitializedCapacity: bound) { output, written in
                (stream.next_in, stream.avail_in) = (input.baseAddress, count)
                (stream.next_out, stream.avail_out) = (output.baseAddress, room)
                isWhole = deflate(&stream, Z_FINISH) == Z_STREAM_END
                written = bound - Int(stream.avail_out)
            }
            return isWhole ? output : nil
        }
    }

    /// Whether the header `Accept-Encoding` asks for gzip.
    static func isAccepted(_ header: String?) -> Bool {
        (header ?? "").split(separator: ",").contains { coding in
            let parts = coding.split(separator: ";").map { $0.filter { $0 != " " }.lowercased() }
            guard parts.first == "gzip" else { return false }
            return !parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) ?? 0 <= 0 }
        }
    }
}
