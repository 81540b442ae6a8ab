internal import Foundation

/// Directories that only their owner can enter.
package enum PrivateDirectory {
    /// Creates a directory and its missing parents; existing directories are left unchanged.
    ///
    /// Foundation's function creates a directory that is open to others and restricts it afterwards; another
    /// process could use the interval.
    ///
    /// - Throws: `full`, `readOnly` or `inputOutput` if it cannot be created.
    package static func create(_ path: String) throws {
        guard mkdir(path, 0o700) != 0 else { return }
        var code = errno
        // Searched in UTF-8: a slash followed by a combining accent is another Character.
        if code == ENOENT, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex {
            try create(String(path[..<slash]))
            guard mkdir(path, 0o700) != 0 else { return }
            code = errno
        }
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
        throw StoreError(
            .ofSystemError(code),
            "The directory \(path) cannot be created: \(String(cString: strerror(code))). Make sure that its parent is "
                + "a directory that you can write to.")
    }
}

extension StoreError.Code {
    /// The error code for an `errno` value.
    package static func ofSystemError(_ number: CInt) -> Self {
        switch number {
        case ENOSPC, EDQUOT, EFBIG: .full
        case EROFS: .readOnly
        default: .inputOutput
        }
    }
}
