import Foundation
import SQLiteStore
import SwitchyardCore

/// A model with a little of everything, written by hand so that these tests need no macro.
struct Person: Model, Equatable {
    typealias ID = Identifier<Person>
    typealias ModelVersion = Unversioned

    var id = ID()
    var name = ""
    var born: Date?
    var balance: Decimal?
    var motherID: ID?
    var photo: Data?
    var weight: Double?
    var visits: Int64 = 0

    static let entityName = "Person"

    static var entity: Result<Entity, StoreError> {
        .success(
            Entity(
                "Person",
                attributes: [
                    Attribute("id", type: .uuid),
                    Attribute("name", type: .text, isSearchable: true),
                    Attribute("born", type: .timestamp, isOptional: true),
                    Attribute("balance", type: .decimal, isOptional: true),
                    Attribute("motherID", type: .uuid, isOptional: true, reference: "Person"),
                    Attribute("photo", type: .blob, isOptional: true),
                    Attribute("weight", type: .double, isOptional: true),
                    Attribute("visits", type: .int),
                ],
                relationships: [
                    Relationship("children", target: "Person", inverse: "motherID", deleteRule: .nullify)
                ],
                indexes: [Index(["born"])],
                uniqueConstraints: [UniqueConstraint(["name"]), UniqueConstraint(["born", "balance"])]))
    }

    static func attributeName(of keyPath: PartialKeyPath<Self>) -> String? {
        switch keyPath {
        case \.id: "id"
        case \.name: "name"
        case \.born: "born"
        case \.balance: "balance"
        case \.motherID: "motherID"
        case \.photo: "photo"
        case \.weight: "weight"
        case \.visits: "visits"
        default: nil
        }
    }

    init(_ name: String, born: Date? = nil, balance: Decimal? = nil, motherID: ID? = nil, visits: Int64 = 0) {
        self.name = name
        self.born = born
        self.balance = balance
        self.motherID = motherID
        self.visits = visits
    }

    init(from row: inout RowReader) throws {
        id = try row.read()
        name = try row.read()
        born = try row.read()
        balance = try row.read()
        motherID = try row.read()
        photo = try row.read()
        weight = try row.read()
        visits = try row.read()
    }

    func encode(into row: inout RowWriter) throws {
        try row.write(id)
        try row.write(name)
        try row.write(born)
        try row.write(balance)
        try row.write(motherID)
        try row.write(photo)
        try row.write(weight)
        try row.write(visits)
    }
}

extension Schema {
    static func people(version: Int = 1) throws -> Schema {
        try Schema(version: SchemaVersion(version), models: [Person.self])
    }
}

/// A directory of a test's own, removed when the test lets go of it.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        path =
            FileManager.default.temporaryDirectory.appendingPathComponent("sqlite-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String = "store.sqlite") -> String { path + "/" + name }

    /// Copies the store and the file beside it that has the suffix, as a crash would leave them.
    ///
    /// - Returns: The path of the copied store, in a directory of its own.
    func copyStore(with suffix: String) throws -> String {
        let copy = file("copy/store.sqlite")
        try FileManager.default.createDirectory(atPath: file("copy"), withIntermediateDirectories: false)
        for suffix in ["", suffix] {
            try FileManager.default.copyItem(atPath: file() + suffix, toPath: copy + suffix)
        }
        return copy
    }

    /// The bytes of all files below, by name.
    func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            contents[name] = FileManager.default.contents(atPath: path + "/" + name) ?? Data("directory".utf8)
        }
        return contents
    }
}

extension TemporaryDirectory {
    /// Makes a store that holds Mia, and closes it.
    func makeStore(version: Int = 1) async throws {
        let store = try await openStore(file(), schema: .people(version: version))
        try await store.write { _ = try $0.insert(Person("Mia")) }
        try await store.close()
    }
}

/// Opens a store as configuration does.
func openStore(
    _ path: String, schema: Schema? = nil, settings: [String: String] = [:],
    options: OpenOptions = OpenOptions()
) async throws -> SQLiteStore {
    let all = settings.merging(["path": path]) { $1 }
    let store = try await SQLitePlugin.open(
        try StoreSettings(all, for: SQLitePlugin.self), schema: try schema ?? .people(), options: options)
    guard let store = store as? SQLiteStore else { throw StoreError(.backend, "Not an SQLite store.") }
    return store
}
