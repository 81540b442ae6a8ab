internal import Foundation
internal import SwitchyardCore

/// About half of a store's rows, for two reads of all rows at the same time.
///
/// The two reads are two snapshots, so nothing but what was there before both is sure to be seen.
package struct StoreHalf: Sendable {
    /// For each entity with rows, the id that is in the middle between the first and the last one.
    fileprivate let middles: [String: UUID]
    /// Whether it is the rows up to the middle, or those after it.
    package let isLower: Bool

    /// The condition of an entity's rows that belong to the half.
    package func condition(of entity: Entity) -> Condition {
        guard let middle = middles[entity.name] else { return .constant(isLower) }
        return .compare(.attribute("id"), isLower ? .lessOrEqual : .greater, .value(.uuid(middle)))
    }
}

extension Store {
    /// Reads the two halves of the rows at the same time, or one after the other without a second connection.
    ///
    /// - Parameter body: Reads one half.
    /// - Returns: What the body returns for each half.
    /// - Throws: As any read.
    package func readHalves<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction, StoreHalf) throws -> Result
    ) async throws -> (lower: Result, upper: Result) {
        let halves = try await read { try $0.halves() }
        async let second = readUnlessBusy { try body($0, halves.upper) }
        let (lower, upper) = (try await readUnlessBusy { try body($0, halves.lower) }, try await second)
        switch (lower, upper) {
        case (let lower?, let upper?): return (lower, upper)
        case (let lower?, nil): return (lower, try await read { try body($0, halves.upper) })
        case (nil, let upper?): return (try await read { try body($0, halves.lower) }, upper)
        case (nil, nil):
            return (
                try await read { try body($0, halves.lower) }, try await read { try body($0, halves.upper) }
            )
        }
    }

    /// Returns what the body returns; nil if no connection became free in time.
    private func readUnlessBusy<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result? {
        do {
            return try await read(body)
        } catch let error as StoreError where error.code == .busy {
            return nil
        }
    }
}

extension ReadTransaction {
    /// The two halves of the store's rows, each row in exactly one of them, also if it is added later.
    ///
    /// - Throws: As any read.
    /// - Complexity: O(log rows).
    package func halves() throws -> (lower: StoreHalf, upper: StoreHalf) {
        var middles: [String: UUID] = [:]
        for entity in schema.entities {
            guard let first = try outermostID(of: entity, .ascending),
                let last = try outermostID(of: entity, .descending), first <= last
            else { continue }
            middles[entity.name] = UUID(number: first.number + (last.number - first.number) / 2)
        }
        return (StoreHalf(middles: middles, isLower: true), StoreHalf(middles: middles, isLower: false))
    }

    private func outermostID(of entity: Entity, _ direction: SortDirection) throws -> UUID? {
        var id: UUID?
        let selection = Selection(
            entity: entity, columns: [.attribute("id")], order: [SortKey("id", direction)], limit: 1)
        try driver.select(selection) { row in
            // A row with an invalid id is found when it is read.
            id = try? row.read()
            return false
        }
        return id
    }
}

extension UUID {
    /// The bytes as a number, whose order is that of the ids.
    fileprivate var number: UInt128 {
        withUnsafeBytes(of: uuid) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) }
    }

    fileprivate init(number: UInt128) {
        self.init(uuid: withUnsafeBytes(of: number.bigEndian) { $0.loadUnaligned(as: uuid_t.self) })
    }
}
