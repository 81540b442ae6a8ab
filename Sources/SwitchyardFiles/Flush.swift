internal import Foundation

/// Flushes a file to disk, so that it survives a loss of power.
///
/// On Apple's systems `fsync` leaves the bytes in the drive's cache (fsync(2)); a file system that cannot flush that does the
/// same here as there.
///
/// - Parameter descriptor: The open file.
/// - Returns: False if it fails; the reason is in `errno`.
package func flushToDisk(_ descriptor: Int32) -> Bool {
    #if canImport(Darwin)
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
    #endif
    return fsync(descriptor) == 0
}

/// Flushes the names of the files in a directory to disk.
///
/// Not every file system can do that; the files are intact either way.
///
/// - Parameter path: The directory.
package func flushDirectory(_ path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = flushToDisk(descriptor)
    close(descriptor)
}
