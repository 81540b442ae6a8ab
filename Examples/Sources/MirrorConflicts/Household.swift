import Foundation
import GRDB
import SQLiteStore
import Switchyard
import SwitchyardCore
import SwitchyardMirror
import SwitchyardTransfer

/// Two phones and their server, each a file of a directory that a case has to itself.
final class Household {
    let anna: Phone
    let ben: Phone
    private let directory: URL
    /// What did not come out as it was stated.
    private(set) var faults: [String] = []

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "kitchen-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        (anna, ben) = (try Phone("anna", in: directory), try Phone("ben", in: directory))
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// Another phone, which has no store yet.
    func phone(_ name: String) throws -> Phone { try Phone(name, in: directory) }

    /// Writes on one phone, and exchanges until both have it.
    func begin(_ body: @escaping @Sendable (WriteTransaction) throws -> Void) async throws {
        try await anna.write(nil, body)
        try await settle()
    }

    /// Exchanges until the server and both phones agree; anna's writes reach the server first.
    func settle() async throws { try await settle(anna, ben) }

    func settle(_ phones: Phone...) async throws {
        for phone in phones + phones { try await phone.exchange() }
    }

    // MARK: The server

    /// Works on the server's store, as its owner does.
    func server<Value>(_ body: (any Store) async throws -> Value) async throws -> Value {
        try await anna.server.withOpenStore(body)
    }

    /// Runs SQL on the server, as its owner does.
    func serverSQL(_ statement: String) throws { try anna.server.sql(statement) }

    /// Remembers what the server has.
    func backUpServer() throws { try anna.server.copy(to: "backup") }

    /// Puts back what was remembered.
    func restoreServer() throws { try anna.server.restore(from: "backup") }

    // MARK: Results

    /// Compares what the server and the phones show with what is stated, and prints it.
    func expect(
        _ stated: String, on phones: [Phone]? = nil,
        _ shown: @escaping @Sendable (ReadTransaction) throws -> String
    ) async throws {
        let phones = phones ?? [anna, ben]
        for (name, file) in [("server", anna.server)] + phones.map({ ($0.name, $0.file) }) {
            let found = try await file.withOpenStore { try await $0.read(shown) }
            if found != stated { faults.append("\(name) shows \(found), and not \(stated)") }
        }
        for phone in phones {
            let isEqual = try await phone.file.withOpenStore { local in
                try await server { try await local.verify(against: $0).isEqual }
            }
            if !isEqual { faults.append("\(phone.name) and the server hold different rows") }
        }
        say("result", stated)
    }

    /// Compares the log of conflicts with what is stated, and prints it.
    ///
    /// Every phone has a copy. The phone whose edit lost has the entry at once, and the other with the next change at the latest.
    func expectLog(_ stated: String..., of phone: Phone? = nil) async throws {
        for phone in phone.map({ [$0] }) ?? [anna, ben] {
            let found = try await phone.file.withOpenStore { store in
                try await store.mirrorConflicts().map { Self.text(of: $0) }
            }
            if found != stated { faults.append("\(phone.name)'s log has \(found), and not \(stated)") }
        }
        for line in stated.isEmpty ? ["nothing"] : stated { say("log", line) }
    }

    /// Compares the writes of a phone that the server has rejected with what is stated, and prints it.
    func expectRejected(_ stated: String..., of phone: Phone) async throws {
        let found = try await phone.file.withOpenStore { store in
            try await store.rejectedWrites().map { write in
                let changes = write.changes.map { "\($0.kind.rawValue) \($0.entity)" }
                return "\(changes.joined(separator: ", ")), by \(write.reason.rawValue)"
            }
        }
        if found != stated { faults.append("\(phone.name) keeps \(found), and not \(stated)") }
        for line in stated { say(phone.name, "keeps the rejected write: \(line)") }
    }

    /// Compares a number or a text with what is stated, and prints it.
    func expect<Value: Equatable>(_ found: Value, is stated: Value, _ sentence: String) {
        if found != stated { faults.append("\(sentence): \(found), and not \(stated)") }
        say("result", sentence)
    }

    private static func text(of conflict: MirrorConflict) -> String {
        let values = conflict.values.map { value in
            "\(value.attribute) lost \(text(value.losing))"
                + (value.winning.map { ", kept \(text($0))" } ?? "")
        }
        return "\(conflict.reason.rawValue) \(conflict.entity): \(values.joined(separator: "; "))"
    }

    private static func text(_ value: StoredValue) -> String {
        switch value {
        case .null: "nil"
        case .int(let number): "\(number)"
        case .text(let text), .json(let text): text
        case .uuid: "an id"
        default: "\(value)"
        }
    }
}

/// A phone: its store is opened alone when the app writes offline, and as a mirror when it exchanges.
struct Phone: Sendable {
    let name: String
    let file: StoreFile
    let server: StoreFile

    init(_ name: String, in directory: URL) throws {
        self.name = name
        file = try StoreFile(directory.appending(path: "\(name).sqlite"))
        server = try StoreFile(directory.appending(path: "server.sqlite"))
    }

    /// Writes offline.
    func write<Value: Sendable>(
        _ what: String?, _ body: @escaping @Sendable (WriteTransaction) throws -> Value
    ) async throws {
        if let what { say(name, what) }
        try await file.withOpenStore { store in _ = try await store.write(body) }
    }

    /// Takes back the phone's last write, offline.
    ///
    /// - Returns: Whether that was possible.
    func undo() async throws -> Bool {
        try await file.withOpenStore { [name] store in
            do {
                return try await store.undoLast(device: name) != nil
            } catch let error as StoreError where error.code == .undoConflict {
                return false
            }
        }
    }

    /// Exchanges until nothing is left to do.
    func exchange() async throws {
        let mirror = try await MirroredStore.open(
            try await file.open(),
            mirroring: .direct(server.place, functions: Self.functions), device: name)
        do {
            try await mirror.exchange()
        } catch {
            try await mirror.close()
            throw error
        }
        try await mirror.close()
    }

    /// Makes the rejected writes again.
    func retryRejected() async throws {
        say(name, "makes the rejected write again")
        try await file.withOpenStore { store in
            for rejected in try await store.rejectedWrites() { try await store.retry(rejected) }
        }
    }

    /// Sets the clock by which all of the phone's writes were made.
    func setClock(yearsAhead years: Int) throws {
        try file.sql("UPDATE switchyard_history SET time = time + \(years) * 31557600000000")
    }

    /// The function that the model names: the longer of two texts.
    private static let functions = MergeFunctions([
        "longer": { _, current, edit in
            guard case (.text(let ours), .text(let theirs)) = (current, edit) else { return nil }
            return ours.count < theirs.count ? edit : current
        }
    ])
}

/// The file of a store.
struct StoreFile: Sendable {
    private let url: URL
    private let registry: PluginRegistry
    let place: StorePlace

    init(_ url: URL) throws {
        self.url = url
        registry = try PluginRegistry([SQLitePlugin.self])
        place = StorePlace(url: "sqlite:" + url.path, registry: registry, schema: try Kitchen.schema)
    }

    func open() async throws -> any Store {
        let name = url.deletingPathExtension().lastPathComponent
        return try await registry.open(
            url: "sqlite:" + url.path, schema: Kitchen.self,
            options: OpenOptions(keepsHistory: true, device: name))
    }

    func withOpenStore<Value>(_ body: (any Store) async throws -> Value) async throws -> Value {
        let store = try await open()
        do {
            let value = try await body(store)
            try await store.close()
            return value
        } catch {
            try await store.close()
            throw error
        }
    }

    func sql(_ statement: String) throws {
        let queue = try DatabaseQueue(path: url.path)
        try queue.write { try $0.execute(sql: statement) }
        try queue.close()
    }

    /// Copies the file, which nothing has open, to one with another name.
    func copy(to name: String) throws {
        try FileManager.default.copyItem(at: url, to: sibling(name))
    }

    /// Puts a copy in place of the file, which nothing has open.
    func restore(from name: String) throws {
        try remove()
        try FileManager.default.copyItem(at: sibling(name), to: url)
    }

    /// Removes the file, which nothing has open.
    func remove() throws {
        for suffix in ["", "-wal", "-shm"] {
            let path = url.path + suffix
            if FileManager.default.fileExists(atPath: path) {
                try FileManager.default.removeItem(atPath: path)
            }
        }
    }

    private func sibling(_ name: String) -> URL {
        url.deletingLastPathComponent().appending(path: "\(name).sqlite")
    }
}

/// Prints a line of a case.
func say(_ who: String, _ what: String) {
    print("  \(who)\(String(repeating: " ", count: max(1, 8 - who.count)))\(what)")
}
