internal import Crypto
internal import Foundation
internal import SwitchyardCore

/// A digest of rows that does not depend on their order: for each row the first 16 bytes of SHA-256 over its canonical
/// form, as a number, added modulo 2¹²⁸.
///
/// A sum detects a duplicated row, which an exclusive or would not.
public struct RowsDigest: Sendable, Hashable, CustomStringConvertible {
    /// The number of rows.
    public private(set) var count = 0
    private var sum: UInt128 = 0

    /// The digest of no rows.
    public init() {}

    /// Adds a row by its canonical form.
    package mutating func add(canonical bytes: [UInt8]) { add(bytes.withUnsafeBytes(Self.number)) }

    /// The first 16 bytes of SHA-256 over bytes.
    static func number(of bytes: UnsafeRawBufferPointer) -> UInt128 {
        var hash = SHA256()
        hash.update(bufferPointer: bytes)
        return hash.finalize().withUnsafeBytes { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) }
    }

    /// Adds a row.
    mutating func add(_ row: UInt128) {
        count += 1
        sum &+= row
    }

    /// Takes a row away that was added.
    mutating func remove(_ row: UInt128) {
        count -= 1
        sum &-= row
    }

    /// Adds all rows of another digest.
    mutating func add(_ other: RowsDigest) {
        count += other.count
        sum &+= other.sum
    }

    /// The digest of the rows of both.
    func adding(_ other: RowsDigest) -> RowsDigest {
        var both = self
        both.add(other)
        return both
    }

    /// The sum, in 32 hexadecimal digits.
    public var description: String {
        withUnsafeBytes(of: sum.bigEndian) { String(hexadecimal: $0) }
    }
}

extension CanonicalRow {
    /// The first 16 bytes of SHA-256 over the bytes.
    var digest: UInt128 { RowsDigest.number(of: bytes) }
}

/// The digest of an entity's rows, in 256 parts by the last byte of the row's id, so that a difference can be found
/// without comparing every row.
struct EntityDigest: Sendable, Hashable {
    private(set) var parts = [RowsDigest](repeating: RowsDigest(), count: 256)

    /// The digest of all rows.
    var total: RowsDigest { parts.reduce(into: RowsDigest()) { $0.add($1) } }

    mutating func add(_ id: UUID, _ row: UInt128) { parts[id.part].add(row) }

    /// Adds all rows of another digest.
    mutating func add(_ other: EntityDigest) {
        for part in parts.indices { parts[part].add(other.parts[part]) }
    }

    /// Takes rows away that were added, and adds others.
    mutating func replace(_ old: [UUID: UInt128], by new: [UUID: UInt128]) {
        for (id, row) in old { parts[id.part].remove(row) }
        for (id, row) in new { parts[id.part].add(row) }
    }
}

extension UUID {
    /// The part of the digest that a row with this id belongs to.
    var part: Int { Int(uuid.15) }
}

extension ReadTransaction {
    /// The digests of the rows of an entity that have one of these ids.
    ///
    /// - Throws: As `forEachDigest`.
    func digests(of entity: Entity, in scope: StoreScope?, _ ids: [UUID]) throws -> [UUID: UInt128] {
        if ids.isEmpty { return [:] }
        var digests: [UUID: UInt128] = [:]
        let condition = Condition.isIn(.attribute("id"), ids.map { .uuid($0) })
        try forEachDigest(of: entity, in: scope, where: condition) { id, digest in digests[id] = digest }
        return digests
    }

    /// Calls the body with the id and the digest of each row of an entity that matches a condition, in any order.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - scope: The scope that the transaction sees, if it is part of the digests.
    ///   - condition: Selects the rows.
    ///   - body: Receives them.
    /// - Throws: `corrupted` for a row that cannot be read; what the body throws.
    /// - Complexity: O(rows), in constant memory.
    func forEachDigest(
        of entity: Entity, in scope: StoreScope? = nil, where condition: Condition = .constant(true),
        _ body: (UUID, UInt128) throws -> Void
    ) throws {
        let canonical = CanonicalRow(entity, in: scope)
        let condition = try condition.validated(in: entity, schema: schema)
        try driver.select(.rows(of: entity, where: condition, order: [])) { row in
            let id: UUID = try row.read()
            row.rewind()
            try canonical.read(&row)
            try body(id, canonical.digest)
            return true
        }
    }
}
