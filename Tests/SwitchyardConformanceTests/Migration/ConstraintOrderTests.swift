import Foundation
import Switchyard
import SwitchyardCore
import TestBackends
import Testing

private enum Hall1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Seat.self]

    @Model
    struct Seat {
        #Unique<Seat>([\.place], [\.code])

        let id: ID
        var place: Int
        var code: Int
        var guest: Int
    }
}

/// With a constraint after the two.
private enum HallAfter: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Seat.self]

    @Model
    struct Seat {
        #Unique<Seat>([\.place], [\.code], [\.guest])

        let id: ID
        var place: Int
        var code: Int
        var guest: Int
    }
}

/// With a constraint before the two.
private enum HallBefore: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Seat.self]

    @Model
    struct Seat {
        #Unique<Seat>([\.guest], [\.place], [\.code])

        let id: ID
        var place: Int
        var code: Int
        var guest: Int
    }
}

@Suite("A constraint that a stage adds")
struct ConstraintOrderTests {
    /// The constraints that errors name of two seats which agree in all three attributes, and in all but the place.
    private func named(
        on backend: TestBackend, _ newer: any VersionedSchema.Type, _ step: MigrationStep
    ) async throws -> [String?] {
        try await backend.withPlace { open in
            try await open(try Hall1.schema, OpenOptions()).closing { store in
                _ = try await store.write { try $0.insert(Hall1.Seat(place: 1, code: 1, guest: 1)) }
            }
            let plan = try MigrationPlan(
                [Hall1.self, newer], [.lightweight(fromVersion: Hall1.self, toVersion: newer, step)])
            return try await plan.open(open).closing { store in
                var named: [String?] = []
                for values in [[1, 1, 1], [2, 1, 1]] as [[Int64]] {
                    let inserted = await #expect(throws: StoreError.self) {
                        try await store.write { tx in
                            _ = try tx.insertRows(into: "Seat", [[.uuid(UUID())] + values.map { .int($0) }])
                        }
                    }
                    let updated = await #expect(throws: StoreError.self) {
                        try await store.write { tx in
                            let id = UUID()
                            _ = try tx.insertRows(into: "Seat", [[.uuid(id), .int(8), .int(8), .int(8)]])
                            _ = try tx.updateRows(
                                of: "Seat",
                                set: zip(["place", "code", "guest"], values).map {
                                    Assignment(attribute: $0, value: .value(.int($1)))
                                }, where: .compare(.attribute("id"), .equal, .value(.uuid(id))))
                        }
                    }
                    #expect(inserted?.constraint == updated?.constraint)
                    named.append(inserted?.constraint)
                }
                return named
            }
        }
    }

    @Test(
        "a constraint that a stage adds is named by its position in the schema",
        arguments: TestBackend.available)
    func order(backend: TestBackend) async throws {
        let after = try await named(on: backend, HallAfter.self, .refuseDuplicates(HallAfter.Seat.self))
        #expect(after == ["unique_Seat_place", "unique_Seat_code"])
        let before = try await named(on: backend, HallBefore.self, .refuseDuplicates(HallBefore.Seat.self))
        #expect(before == ["unique_Seat_guest", "unique_Seat_guest"])
    }
}
