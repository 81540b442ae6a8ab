internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// A row of the current entity, for operations that only take models.
///
/// The current entity is bound around an operation, on the thread of the transaction's body.
struct RandomRow: Model {
    typealias ModelVersion = Unversioned

    @TaskLocal private static var atHand: Entity?

    let values: [StoredValue]

    init(_ values: [StoredValue]) { self.values = values }

    /// Runs an operation for rows of an entity.
    static func with<Result>(_ entity: Entity, _ operation: () throws -> Result) rethrows -> Result {
        try $atHand.withValue(entity, operation: operation)
    }

    /// The key path of an attribute.
    static func keyPath(_ name: String) -> PartialKeyPath<RandomRow> { \RandomRow[name] }

    private subscript(name: String) -> StoredValue {
        let column = Self.atHand?.attributes.firstIndex { $0.name == name }
        return column.map { values[$0] } ?? .null
    }

    static var entityName: String { atHand?.name ?? "" }

    static var entity: Result<Entity, StoreError> {
        atHand.map { .success($0) } ?? .failure(StoreError(.schemaMismatch, "No entity is at hand."))
    }

    static func attributeName(of keyPath: PartialKeyPath<RandomRow>) -> String? {
        atHand?.attributes.map(\.name).first { Self.keyPath($0) == keyPath }
    }

    var id: Identifier<RandomRow> {
        guard case .uuid(let uuid) = values.first else { return Identifier() }
        return Identifier(uuid)
    }

    init(from row: inout RowReader) throws {
        values = try Self.entity.get().attributes.map { try row.read($0.type) }
    }

    func encode(into row: inout RowWriter) throws {
        for value in values {
            // The code that `@Model` generates only writes canonical JSON.
            if case .json(let text) = value, let canonical = CanonicalJSON.canonical(text) {
                try row.write(.json(canonical))
            } else {
                try row.write(value)
            }
        }
    }
}
