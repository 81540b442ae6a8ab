import Foundation
import Switchyard
import SwitchyardConformance
import Testing

/// A calculation that fails for one row fails the question, whether or not the answer needs that row.
@Suite("Every row is tried where trying can fail")
struct TriedRowsTests {
    @Model
    struct Reading {
        #Index<Reading>([\.value])
        let id: ID
        var value: Int = 0
        var group: Int = 0
        var divisor: Int = 1
    }

    private static let failing = #Predicate<Reading> { 100 / $0.divisor > 1 }

    /// The row in the middle, by id and by value, divides by zero.
    private func insertRows(_ store: any Store) async throws {
        let rows = (1...3).map { number in
            Reading(
                id: Reading.ID(UUID(uuid: (UInt8(number), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
                value: number, group: number, divisor: number == 2 ? 0 : 10)
        }
        try await store.write { _ = try $0.insert(contentsOf: rows) }
    }

    private func expectArithmetic(
        _ store: any Store, _ question: String, _ ask: @escaping @Sendable (ReadTransaction) throws -> Void
    ) async {
        let error = await #expect(throws: StoreError.self, "\(question)") { try await store.read(ask) }
        #expect(error?.code == .arithmetic, "\(question)")
    }

    @Test("by the smallest, the greatest and the first", arguments: Backend.available)
    func failure(backend: Backend) async throws {
        try await backend.withStore(of: Reading.self) { store in
            try await insertRows(store)
            let query = Reading.where(Self.failing)
            await expectArithmetic(store, "minimum") { _ = try $0.aggregate(query, .minimum(\.value)) }
            await expectArithmetic(store, "maximum") { _ = try $0.aggregate(query, .maximum(\.value)) }
            await expectArithmetic(store, "least id") { _ = try $0.aggregate(query, .minimum(\.id)) }
            await expectArithmetic(store, "both") {
                _ = try $0.aggregate(query, .minimum(\.value), .maximum(\.value))
            }
            await expectArithmetic(store, "in groups") {
                _ = try $0.aggregate(query, by: .attribute(\.group), figures: .minimum(\.value))
            }
            await expectArithmetic(store, "with a number") {
                _ = try $0.aggregate(query, .maximum(\.value), .count)
            }
            await expectArithmetic(store, "count") { _ = try $0.count(query) }
            await expectArithmetic(store, "exists") { _ = try $0.exists(query) }
            await expectArithmetic(store, "first") { _ = try $0.first(query) }
            await expectArithmetic(store, "page") { _ = try $0.page(query, size: 1) }
        }
    }

    @Test("but not those that a term before leaves out", arguments: Backend.available)
    func terms(backend: Backend) async throws {
        try await backend.withStore(of: Reading.self) { store in
            try await insertRows(store)
            let query = Reading.where(#Predicate { $0.divisor != 0 && 100 / $0.divisor > 1 })
            let (least, greatest) = try await store.read {
                try $0.aggregate(query, .minimum(\.value), .maximum(\.value))
            }
            #expect(least == 1)
            #expect(greatest == 3)
            #expect(try await store.read { try $0.aggregate(query, .maximum(\.value)) } == 3)
        }
    }
}
