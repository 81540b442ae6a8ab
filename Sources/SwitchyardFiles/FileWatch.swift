internal import Dispatch
internal import Foundation

/// Watches files of one directory without polling.
///
/// A file that is replaced or made later is watched under its name.
///
/// It is unchecked Sendable because `source` is a constant, which is only cancelled once it is activated, and a source
/// may be cancelled on any thread.
package final class FileWatch: @unchecked Sendable {
    private let source: any DispatchSourceProtocol

    /// Calls a body after one of the files was written, created, replaced or removed, until the watch is
    /// released.
    ///
    /// On Apple's systems the watch opens files. Closing any descriptor of a database file would drop all locks that SQLite
    /// has taken on it in this process (sqlite.org/howtocorrupt.html, section 2.2), so such a file is named in `unopened`.
    ///
    /// - Parameters:
    ///   - names: The names of the files.
    ///   - unopened: The names of files that are never opened. If the system reports writes to open files
    ///     only, their creation, replacement and removal is reported, but not a write.
    ///   - directory: The path of the directory.
    ///   - body: Is called on a thread of its own, once for several changes in a row.
    /// - Throws: `inputOutput` if the directory cannot be watched.
    package init(
        _ names: Set<String>, unopened: Set<String> = [], in directory: String,
        _ body: @escaping @Sendable () -> Void
    ) throws {
        #if canImport(Darwin)
            source = try WatchedFiles(names, in: directory, body).watchDirectory()
        #else
            source = try Self.source(of: names.union(unopened), in: directory, body)
        #endif
    }

    #if !canImport(Darwin)
        private static func source(
            of names: Set<String>, in directory: String, _ body: @escaping @Sendable () -> Void
        ) throws -> any DispatchSourceProtocol {
            let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
            guard descriptor >= 0 else { throw failure(directory) }
            let events = UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
            guard inotify_add_watch(descriptor, directory, events) >= 0 else {
                defer { close(descriptor) }
                throw failure(directory)
            }
            let source = DispatchSource.makeReadSource(
                fileDescriptor: descriptor, queue: DispatchQueue(label: "switchyard.watch"))
            source.setEventHandler {
                if hasEvent(of: names, descriptor) { body() }
            }
            source.setCancelHandler { close(descriptor) }
            source.activate()
            return source
        }

        /// Reads all pending events; returns whether one concerns a file with one of the names.
        private static func hasEvent(of names: Set<String>, _ descriptor: Int32) -> Bool {
            let header = MemoryLayout<inotify_event>.size
            var isFound = false
            withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
                while true {
                    let count = read(descriptor, buffer.baseAddress, buffer.count)
                    guard count > 0 else { return }
                    var start = 0
                    while start + header <= count {
                        let event = buffer.loadUnaligned(fromByteOffset: start, as: inotify_event.self)
                        let name = buffer[start + header..<start + header + Int(event.len)].prefix { $0 != 0 }
                        // An overflow has no name, and may have been of any file.
                        if name.isEmpty || names.contains(String(decoding: name, as: UTF8.self)) {
                            isFound = true
                        }
                        start += header + Int(event.len)
                    }
                }
            }
            return isFound
        }
    #endif

    deinit { source.cancel() }

    fileprivate static func failure(_ directory: String) -> StoreError {
        StoreError(
            .inputOutput,
            "The changes of files in \(directory) cannot be followed: \(String(cString: strerror(errno))). Read the store "
                + "again from time to time instead.")
    }
}

#if canImport(Darwin)
    /// The open files of a watch, on whose descriptors the system reports changes, and the directory.
    ///
    /// It is unchecked Sendable because all but its constants are only used on `queue`.
    private final class WatchedFiles: @unchecked Sendable {
        private let names: Set<String>
        private let directory: String
        private let body: @Sendable () -> Void
        private let queue = DispatchQueue(label: "switchyard.watch")
        private var sources: [String: any DispatchSourceFileSystemObject] = [:]

        init(_ names: Set<String>, in directory: String, _ body: @escaping @Sendable () -> Void) {
            self.names = names
            self.directory = directory
            self.body = body
        }

        /// Watches the directory, for created, replaced and removed files, and the existing files.
        func watchDirectory() throws -> any DispatchSourceProtocol {
            guard let source = source(directory, [.write]) else { throw FileWatch.failure(directory) }
            source.setEventHandler { [self] in
                watchFiles()
                body()
            }
            let closing = source.handle
            source.setCancelHandler { [self] in
                close(Int32(closing))
                for file in sources.values { file.cancel() }
                sources = [:]
            }
            queue.sync { watchFiles() }
            source.activate()
            return source
        }

        private func watchFiles() {
            for name in names where sources[name] == nil {
                let events: DispatchSource.FileSystemEvent = [.write, .extend, .delete, .rename]
                guard let file = source("\(directory)/\(name)", events) else { continue }
                let descriptor = Int32(file.handle)
                file.setCancelHandler { close(descriptor) }
                file.setEventHandler { [self, unowned file] in
                    if !file.data.isDisjoint(with: [.delete, .rename]) {
                        file.cancel()
                        sources[name] = nil
                    }
                    body()
                }
                sources[name] = file
                file.activate()
            }
        }

        private func source(
            _ path: String, _ events: DispatchSource.FileSystemEvent
        ) -> (any DispatchSourceFileSystemObject)? {
            let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            return DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: descriptor, eventMask: events, queue: queue)
        }
    }
#endif
