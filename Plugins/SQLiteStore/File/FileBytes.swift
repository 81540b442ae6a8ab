internal import Foundation
internal import GRDBSQLite
internal import SwitchyardCore

/// The bytes of a database file, read through a connection's own handle.
///
/// Closing any other descriptor of the file would drop all locks of this process on it. The WAL is not read.
package struct FileBytes {
    private static let bytesPerPart = 1 << 20

    private let connection: OpaquePointer?
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let path: String

    private var methods: sqlite3_io_methods { file.pointee.pMethods.pointee }

    /// - Parameters:
    ///   - connection: A connection to the file that is otherwise idle.
    ///   - path: The file, for messages.
    /// - Throws: `inputOutput`.
    package init(of connection: OpaquePointer?, at path: String) throws {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard code == SQLITE_OK, let file else { throw StoreError(sqlite: code, on: connection, at: path) }
        (self.connection, self.file, self.path) = (connection, file, path)
    }

    /// The length of the file.
    package var count: Int {
        get throws {
            var size: sqlite3_int64 = 0
            try require(methods.xFileSize(file, &size))
            return Int(size)
        }
    }

    /// Reads the whole file in parts of up to 1 MiB.
    ///
    /// - Throws: `inputOutput`, and what `body` throws.
    package func readParts(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let size = try count
        try withUnsafeTemporaryAllocation(byteCount: Self.bytesPerPart, alignment: 8) { buffer in
            var offset = 0
            while offset < size {
                let part = UnsafeMutableRawBufferPointer(
                    rebasing: buffer[..<min(buffer.count, size - offset)])
                try read(into: part, at: offset)
                try body(UnsafeRawBufferPointer(part))
                offset += part.count
            }
        }
    }

    /// Compares the bytes with those of another file.
    ///
    /// - Parameters:
    ///   - other: The other file.
    ///   - check: Is called repeatedly; an error that it throws ends the comparison.
    /// - Returns: Whether they are the same.
    /// - Throws: `inputOutput`, and what `check` throws.
    package func areEqual(to other: FileBytes, checking check: () throws -> Void) throws -> Bool {
        guard try count == other.count else { return false }
        return try withUnsafeTemporaryAllocation(byteCount: Self.bytesPerPart, alignment: 8) { buffer in
            var (offset, areEqual) = (0, true)
            try readParts { part in
                try check()
                let others = UnsafeMutableRawBufferPointer(rebasing: buffer[..<part.count])
                try other.read(into: others, at: offset)
                offset += part.count
                areEqual = areEqual && isEqual(part, others)
            }
            return areEqual
        }
    }

    private func isEqual(_ one: UnsafeRawBufferPointer, _ other: UnsafeMutableRawBufferPointer) -> Bool {
        guard let one = one.baseAddress, let start = other.baseAddress else { return other.isEmpty }
        return memcmp(one, start, other.count) == 0
    }

    private func read(into part: UnsafeMutableRawBufferPointer, at offset: Int) throws {
        try require(methods.xRead(file, part.baseAddress, CInt(part.count), Int64(offset)))
    }

    private func require(_ code: CInt) throws {
        guard code == SQLITE_OK else { throw StoreError(sqlite: code, on: connection, at: path) }
    }
}
