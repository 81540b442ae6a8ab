internal import Foundation

/// Directories that only their owner can enter.
package enum PrivateDirectory {
    /// Makes a directory and those around it that are missing.
    ///
    /// One that is there stays as it is.
    ///
    /// Foundation's function makes a directory open to others first and closes it afterwards, which another
    /// process can see and use.
    ///
    /// - Throws: `full`, `readOnly` or `inputOutput` if it cannot be made.
    package static func create(_ path: String) throws {
        guard mkdir(path, 0o700) != 0 else { return }
        var code = errno
        // Among bytes: to Swift, a slash with an accent behind it is another character.
        if code == ENOENT, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex {
            try create(String(path[..<slash]))
            guard mkdir(path, 0o700) != 0 else { return }
            code = errno
        }
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
        throw StoreError(
            .ofSystemError(code),
            "The directory \(path) cannot be made: \(String(cString: strerror(code))). See that its parent is a directory "
                + "that you can write to.")
    }
}

extension StoreError.Code {
    /// The kind of failure behind an error number of the system.
    package static func ofSystemError(_ number: CInt) -> Self {
        switch number {
        case ENOSPC, EDQUOT, EFBIG: .full
        case EROFS: .readOnly
        default: .inputOutput
        }
    }
}
