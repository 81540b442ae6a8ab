internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Rows with 40 attributes of all types: more than most tables have, and enough for a few hundred rows to exceed
/// a database's limit on parameters.
enum WideBatch {
    private static let types = AttributeType.allCases.filter { $0 != .json } + [.json]

    private static func entity() -> Entity {
        let attributes = (0..<40).map { column in
            let type = types[column % types.count]
            return Attribute(
                "a\(column)", type: type, isOptional: !column.isMultiple(of: 4),
                isSearchable: type == .text && column > 20)
        }
        return Entity("Wide", attributes: [Attribute("id", type: .uuid)] + attributes)
    }

    private static func row(_ number: Int, _ entity: Entity) -> [StoredValue] {
        [.uuid(BatchSpecimen.id(number))]
            + entity.attributes.dropFirst().enumerated().map { column, attribute in
                let seed = number + column
                if attribute.isOptional, seed.isMultiple(of: 5) { return .null }
                return value(attribute.type, seed, isEmpty: seed % 5 == 1)
            }
    }

    private static func value(_ type: AttributeType, _ seed: Int, isEmpty: Bool) -> StoredValue {
        switch type {
        case .bool: .bool(isEmpty)
        case .int: .int(isEmpty ? 0 : Int64(seed))
        case .double: .double(isEmpty ? 0 : Double(seed) / 3)
        case .decimal: .decimal(isEmpty ? 0 : Decimal(string: "\(seed).10000000000000000000000000001") ?? 1)
        case .text: .text(isEmpty ? "" : "Ä\(seed)")
        case .blob: .blob(isEmpty ? Data() : Data([0, UInt8(seed % 256)]))
        case .uuid: .uuid(BatchSpecimen.id(seed))
        case .timestamp: .timestamp(isEmpty ? 0 : Int64(seed) * -1_000_001)
        case .day: CalendarDay(daysSince1970: isEmpty ? 0 : -seed).map(StoredValue.day) ?? .null
        case .json: .json(isEmpty ? "[]" : "[\(seed),\"é\"]")
        }
    }

    static func verify(_ contract: Contract) async throws {
        let entity = entity()
        let store = try await contract.makeStore(
            try Schema(version: SchemaVersion(1), entities: [entity]))
        for size in [1, 32, 33, 65, 257, 820] {
            let rows = (0..<size).map { row($0, entity) }
            let count = try await store.write { try $0.insertRows(into: "Wide", rows.reversed()) }
            try contract.expectEqual(count, size, "the count of an insert of \(size) wide rows")
            try await contract.expectRows(in: store, of: "Wide", rows, "\(size) wide rows")
            let some = Array(rows.dropFirst(size / 2))
            let ids = some.map { $0[0] }
            let deleted = try await store.write {
                try $0.deleteRows(of: "Wide", where: .isIn(.attribute("id"), ids))
            }
            try contract.expectEqual(deleted, some.count, "the count of a delete of wide rows")
            let added = try await store.write {
                try $0.insertRows(into: "Wide", rows, skippingExisting: true)
            }
            try contract.expectEqual(added, some.count, "the count of wide rows that were not there")
            try await contract.expectRows(in: store, of: "Wide", rows, "\(size) wide rows, half of them anew")
            try await store.write { _ = try $0.deleteRows(of: "Wide", where: .constant(true)) }
        }
    }
}
