import Foundation
import JSONDirectoryStore
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import Testing

/// Stores in temporary directories, for the suite and the other tests.
struct JSONDirectoryHarness: ConformanceHarness {
    let name = JSONDirectoryPlugin.scheme
    let limitations = JSONDirectoryPlugin.limitations

    func makeStore(_ schema: Schema, busyTimeout: Duration) async throws -> any Store {
        let path = FileManager.default.temporaryDirectory.appending(path: "switchyard-\(UUID().uuidString)")
            .path
        return try await JSONDirectoryPlugin.open(
            try settings(path, busyTimeout), schema: schema, options: OpenOptions())
    }

    private func settings(_ path: String, _ busyTimeout: Duration) throws -> StoreSettings {
        try StoreSettings(
            ["path": path, "busyTimeout": "\(busyTimeout / .seconds(1))"], for: JSONDirectoryPlugin.self)
    }

    func reopen(
        _ store: any Store, schema: Schema, options: OpenOptions, busyTimeout: Duration
    ) async throws -> any Store {
        try await JSONDirectoryPlugin.open(
            try settings(store.info.location, busyTimeout), schema: schema, options: options)
    }

    func dispose(_ store: any Store) async {
        try? await store.close()
        try? FileManager.default.removeItem(atPath: store.info.location)
    }

    func open(
        _ path: String, _ schema: Schema, _ options: OpenOptions = OpenOptions()
    ) async throws -> any Store {
        try await PluginRegistry([JSONDirectoryPlugin.self]).open(
            url: "\(JSONDirectoryPlugin.scheme):\(path)", schema: schema, options: options)
    }

    /// Edits the file of the rows, as a person with an editor could.
    func plant(_ fault: PlantedFault, in store: any Store) async throws -> Intervention {
        let (entity, attribute, value): (String, String, String)
        switch fault {
        case .text(let name, let column): (entity, attribute, value) = (name, column, #"{"text":"seven"}"#)
        case .integerTwo(let name, let column): (entity, attribute, value) = (name, column, #"{"int":"2"}"#)
        case .wideInteger(let name, let column):
            (entity, attribute, value) = (name, column, #"{"int":"300"}"#)
        case .unknownCase(let name, let column):
            (entity, attribute, value) = (name, column, #"{"text":"unheard-of"}"#)
        case .invalidUTF8(let name, let column):
            (entity, attribute, value) = (name, column, #"{"text":"?("}"#)
        case .furtherColumn:
            return .impossible(reason: "A file of rows has no columns but those of the schema.")
        }
        // A row has the names of columns.
        let column = try store.schema.require(entity).attribute(attribute)?.column ?? attribute
        let file = try Self.rowFile(of: entity, in: store.info.location)
        let rows = try String(contentsOf: file, encoding: .utf8)
            .replacing(try Regex(#""\#(column)":\{[^}]*\},?"#), with: "")
            .replacing("\n{", with: "\n{\"\(column)\":\(value),")
        var bytes = Data(rows.utf8)
        // C3 begins a character of two bytes, and 28 is no second one.
        if case .invalidUTF8 = fault, let place = bytes.firstRange(of: Data("?(".utf8)) {
            bytes.replaceSubrange(place, with: [0xC3, 0x28])
        }
        try bytes.write(to: file)
        return .done
    }

    /// Edits the times in `store.json`.
    func ageOperations(of store: any Store, by age: Duration) async throws -> Intervention {
        let file = URL(filePath: store.info.location).appending(path: "store.json")
        var manifest = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any] ?? [:]
        var header = manifest["header"] as? [String: Any] ?? [:]
        let operations = header["operations"] as? [String: [String: Int]] ?? [:]
        header["operations"] = operations.mapValues { operation in
            operation.merging(["time": -Int(age.components.seconds)], uniquingKeysWith: +)
        }
        manifest["header"] = header
        try JSONSerialization.data(withJSONObject: manifest).write(to: file)
        return .done
    }

    /// Puts the text into `store.json` as it is, which may be no JSON at all.
    func replaceMarker(by json: String, in store: any Store) async throws -> Intervention {
        let file = URL(filePath: store.info.location).appending(path: "store.json")
        let text = try String(contentsOf: file, encoding: .utf8)
        let name = "\"marker\" : "
        let start = try #require(text.range(of: name)?.upperBound)
        // The manifest's members are in the order of their names, so that the operations follow the marker.
        let end = try #require(text.range(of: ",\n    \"operations\"")?.lowerBound)
        try (text[..<start] + json + text[end...]).write(to: file, atomically: false, encoding: .utf8)
        return .done
    }

    /// Holds the directory's lock through a descriptor of its own, as another process would.
    func whileLocked(
        _ store: any Store, _ work: LockedWork
    ) async throws -> Intervention {
        let descriptor = Foundation.open(store.info.location, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { Foundation.close(descriptor) }
        guard flock(descriptor, LOCK_EX) == 0 else { throw CocoaError(.fileLocking) }
        try await work()
        return .done
    }

    func change(_ change: StructureChange, under store: any Store) async throws -> Intervention {
        .impossible(reason: "A directory of JSON files has no structure besides its rows.")
    }

    func cutConnections(of store: any Store) async throws -> Intervention {
        .impossible(reason: "A directory has no connections that could break.")
    }

    func cutNextCommit(of store: any Store, _ moment: CommitCut) async throws -> Intervention {
        .impossible(reason: "A directory has no connections that could break.")
    }

    /// The one file that holds the rows of an entity.
    static func rowFile(of entity: String, in directory: String) throws -> URL {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory).filter {
            $0.hasPrefix("\(entity).")
        }
        guard names.count == 1 else { throw CocoaError(.fileNoSuchFile) }
        return URL(filePath: directory).appending(path: names[0])
    }
}
