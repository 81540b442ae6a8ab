internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Requirement V14 for rows whose values are within the limit each, but together exceed a row's limit.
enum LargeRowRequirements {
    static let all: [Requirement] = [
        Requirement("V14+row", "a row beyond the limit of all its values is refused before it is written") {
            contract in
            let attributes = (0..<5).map { Attribute("part\($0)", type: .blob, isOptional: true) }
            let entity = Entity("Parcel", attributes: [Attribute("id", type: .uuid)] + attributes)
            let store = try await contract.makeStore(
                try Schema(version: SchemaVersion(1), entities: [entity]))
            let largest = StoredValue.blob(Data(repeating: 7, count: Limits.valueBytes))
            let row = [.uuid(BatchSpecimen.id(1))] + Array(repeating: largest, count: 5)
            let error = try await contract.expectError(.valueNotRepresentable, "a row of 320 MiB") {
                try await store.write { try $0.insertRows(into: "Parcel", [row]) }
            }
            try contract.expectEqual(error.entity, "Parcel", "the entity of the error of a row of 320 MiB")
            try contract.expectEqual(
                try await store.read { try $0.countRows(of: "Parcel") }, 0, "rows after one of 320 MiB")
        }
    ]
}
