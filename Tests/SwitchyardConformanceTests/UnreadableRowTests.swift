import Foundation
import Switchyard
import SwitchyardConformance
import TestBackends
import Testing

/// Values that a row cannot have, put there by somebody else.
@Suite("Rows that cannot be read")
struct UnreadableRowTests {
    typealias Film = Cinema.Film

    private static let first = Film.ID(UUID(uuidString: "00000000-0000-7000-8000-000000000001") ?? UUID())
    private static let second = Film.ID(UUID(uuidString: "00000000-0000-7000-8000-000000000002") ?? UUID())

    /// The error of a read, in a store whose two rows have a fault.
    private func damage(
        _ fault: PlantedFault, on backend: TestBackend,
        _ read: @escaping @Sendable (ReadTransaction) throws -> Void
    ) async throws -> StoreError? {
        try await backend.withStore(try Cinema.schema) { store in
            try await store.write { tx in
                try tx.insert(Film(id: Self.second, title: "Alien Center", length: 1.5))
                try tx.insert(Film(id: Self.first, title: "Zorro Ark", length: 2.5))
            }
            #expect(try await backend.harness.plant(fault, in: store) == .done)
            return await #expect(throws: StoreError.self) { try await store.read(read) }
        }
    }

    private static let unknownRating = PlantedFault.unknownCase(entity: "Film", attribute: "rating")

    private func expectUnknownRating(_ error: StoreError?, row: Film.ID = first) {
        #expect(
            error?.description
                == "corrupted: The store holds a value in the row \(row) that is not a valid Rating; a newer version "
                + "of the app may have written it. [Film.rating]")
        #expect(error?.detail?.contains("unheard-of") == true, "\(String(describing: error?.detail))")
    }

    @Test(
        "an unreadable row names itself, and its unknown raw value in the detail",
        arguments: TestBackend.shared)
    func whole(backend: TestBackend) async throws {
        expectUnknownRating(
            try await damage(Self.unknownRating, on: backend) { _ = try $0.fetch(Film.all) })
    }

    @Test(
        "an unreadable attribute names its row, the first in the order of the query",
        arguments: TestBackend.shared)
    func partial(backend: TestBackend) async throws {
        expectUnknownRating(
            try await damage(Self.unknownRating, on: backend) { _ = try $0.fetch(Film.all, \.rating) })
        expectUnknownRating(
            try await damage(Self.unknownRating, on: backend) {
                _ = try $0.fetch(Film.sorted(by: \.title), \.title, \.rating)
            }, row: Self.second)
        expectUnknownRating(
            try await damage(Self.unknownRating, on: backend) {
                _ = try $0.fetch(Film.all, \.title, \.year, \.rating)
            })
    }

    @Test("a group and an extreme name the first unreadable row", arguments: TestBackend.shared)
    func groups(backend: TestBackend) async throws {
        expectUnknownRating(
            try await damage(Self.unknownRating, on: backend) {
                _ = try $0.aggregate(Film.all, by: .attribute(\.rating), figures: .count)
            })
        let extremes = try await damage(Self.unknownRating, on: backend) {
            _ = try $0.aggregate(Film.all, .count, .maximum(\.rating))
        }
        #expect(extremes?.description.contains("in the row \(Self.first)") == true)
        #expect(extremes?.attribute == "rating")
        #expect(extremes?.detail?.contains("unheard-of") == true)
    }

    @Test(
        "a group whose sums are calculated outside the backend names an unreadable row",
        arguments: TestBackend.shared)
    func exactSums(backend: TestBackend) async throws {
        expectUnknownRating(
            try await damage(Self.unknownRating, on: backend) {
                _ = try $0.aggregate(Film.all, by: .attribute(\.rating), figures: .sum(\.length))
            })
    }

    @Test("an unreadable number appears in the detail only", arguments: TestBackend.shared)
    func wide(backend: TestBackend) async throws {
        let fault = PlantedFault.wideInteger(entity: "Film", attribute: "stars")
        let error = try await damage(fault, on: backend) { _ = try $0.fetch(Film.all, \.stars) }
        #expect(
            error?.description
                == "corrupted: The store holds an integer in the row \(Self.first) where an integer of 8 bits belongs. "
                + "[Film.stars]")
        #expect(error?.detail == "found 300")
        let maximum = try await damage(fault, on: backend) {
            _ = try $0.aggregate(Film.all, .maximum(\.stars))
        }
        #expect(maximum?.description.contains("in the row \(Self.first)") == true)
        #expect(maximum?.attribute == "stars")
    }

    @Test("a group and an extreme find text among numbers", arguments: [TestBackend.sqlite])
    func text(backend: TestBackend) async throws {
        let fault = PlantedFault.text(entity: "Film", attribute: "year")
        for read: @Sendable (ReadTransaction) throws -> Void in [
            { _ = try $0.aggregate(Film.all, by: .attribute(\.year), figures: .count) },
            { _ = try $0.aggregate(Film.all, .minimum(\.year)) },
            { _ = try $0.aggregate(Film.all, by: .attribute(\.year), figures: .sum(\.length)) },
        ] {
            let error = try await damage(fault, on: backend, read)
            #expect(
                error?.description
                    == "corrupted: The store holds text in the row \(Self.first) where an integer of 64 bits belongs. "
                    + "[Film.year]")
        }
    }
}
