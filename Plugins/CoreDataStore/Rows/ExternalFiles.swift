internal import Foundation
internal import SQLiteStore
internal import SwitchyardCore

/// The files beside a store that hold its large values: `.NAME_SUPPORT/_EXTERNAL_DATA`.
struct ExternalFiles: Sendable {
    /// The largest value that SQLite itself could hold.
    private static let mostBytes = 1_000_000_000

    private let directory: String

    init(ofStoreAt path: String) {
        let url = URL(filePath: path)
        let name = url.deletingPathExtension().lastPathComponent
        directory = url.deletingLastPathComponent().appending(path: ".\(name)_SUPPORT/_EXTERNAL_DATA").path
    }

    /// The value of a column for external data: the byte 1 and the data, or the byte 2 and the name of a file.
    func value(_ bytes: UnsafeRawBufferPointer) -> ForeignValue {
        switch bytes.first {
        case nil: .blob(Data())
        case 1: .blob(Data(bytes.dropFirst()))
        case 2: file(String(decoding: bytes.dropFirst().prefix { $0 != 0 }, as: UTF8.self))
        default: .unreadable("it has no marker of external data")
        }
    }

    private static let unreadable = ForeignValue.unreadable("its file in _EXTERNAL_DATA cannot be read")

    private func file(_ name: String) -> ForeignValue {
        // A name is input: nothing but a UUID leads to a file in this directory.
        guard UUID(uuidString: name) != nil else { return .unreadable("the name of its file is damaged") }
        let path = "\(directory)/\(name)"
        guard let status = try? StoreFile.status(path) else {
            return .unreadable("its file in _EXTERNAL_DATA is missing")
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return Self.unreadable }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.mostBytes,
            let data = try? handle.read(upToCount: Self.mostBytes) ?? Data(), data.count == status.st_size
        else { return Self.unreadable }
        return .blob(data)
    }
}
