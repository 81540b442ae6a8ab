internal import Foundation
public import SwitchyardCore

extension AdoptionPlan {
    /// The number of rows that are inserted at once, and of bytes after which fewer are.
    ///
    /// They are inserted in the order of their ids: what a store keeps by random ids, it changes in fewer places at a time.
    private static let (batch, batchBytes) = (8_192, 4 << 20)

    /// Reads the database, and previews an adoption; nothing is changed.
    ///
    /// - Throws: `notFound`, `notAStore`, `corrupted`, `busy`, and the other errors of reading;
    ///   `invalidArgument` for a Switchyard store; `cancelled`.
    /// - Complexity: O(rows) time; the memory of about 40 bytes for each id of the largest table, of those that are referred
    ///   to, and for each row with a unique constraint.
    public func preview(_ database: any ForeignDatabase) async throws -> AdoptionPreview {
        let survey = try await survey(database)
        return AdoptionPreview(
            tables: survey.tables, ignoredTables: survey.ignoredTables, faults: survey.faults,
            findings: survey.findings)
    }

    /// Converts the rows into a new store, compares them, and activates the store, in one transaction.
    ///
    /// After an interruption there is no active store, and the call can be repeated; an empty copy may be
    /// left in the place.
    ///
    /// - Parameters:
    ///   - database: The database, which is only read.
    ///   - place: A place without a store.
    ///   - scope: The scope of the rows; nil for a store without scopes.
    /// - Returns: The adopted tables.
    /// - Throws: As `preview`; `valueNotRepresentable`, naming the faults, before anything is created;
    ///   `placeTaken` if there is a store in the place; `busy` if the database was changed during the
    ///   adoption; `verification` if the new store does not return the rows; the errors of writing.
    /// - Complexity: As `preview`, and the backend's cost of one transaction: in SQLite a WAL as large as the
    ///   rows.
    @discardableResult
    public func run(
        from database: any ForeignDatabase, into place: StorePlace, scope: StoreScope? = nil
    ) async throws -> AdoptionReport {
        let survey = try await survey(database)
        try survey.requirePossible()
        let found = try await place.marker()
        guard found.map(\.isEmptyCopy) ?? true else { throw StoreError.noRoom(at: place.location) }
        let options = OpenOptions(createsIfMissing: found == nil, role: .copying, scope: scope)
        try await place.withStore(options) { store in
            guard store.schema.fingerprint == schema.fingerprint else {
                throw StoreError(
                    .schemaMismatch, "The place has another schema than the adoption. Give both the same.")
            }
            var options = WriteOptions.ofMarker
            options.scope = scope
            try await store.write(options) { tx in
                let rows = try schema.entities.reduce(0) { try $0 + tx.countRows(of: $1.name) }
                guard try tx.driver.maintenance.marker().isEmptyCopy, rows == 0 else {
                    throw StoreError.noRoom(at: place.location)
                }
                let inserted = try database.read { try insert(from: $0, survey, tx) }
                guard inserted == survey.digests else {
                    throw StoreError(
                        .busy,
                        "Another program has changed \(database.location) in the meantime. Run it again.")
                }
                try tx.driver.maintenance.addConstraints()
                try verify(survey, tx)
                try tx.updateMarker { $0.role = .active }
            }
        }
        return AdoptionReport(
            tables: survey.tables, ignoredTables: survey.ignoredTables, findings: survey.findings,
            digests: survey.digests)
    }

    private func survey(_ database: any ForeignDatabase) async throws -> AdoptionSurvey {
        try await Cancellation.run { cancellation in
            try database.read { try AdoptionSurvey(self, $0) { try cancellation.check() } }
        }
    }

    /// Writes all rows.
    ///
    /// - Returns: The digest of what was written of each entity.
    private func insert(
        from snapshot: any ForeignSnapshot, _ survey: AdoptionSurvey, _ tx: WriteTransaction
    ) throws -> [String: RowsDigest] {
        var digests: [String: RowsDigest] = [:]
        for conversion in survey.conversions {
            let (entity, digester) = (conversion.entity, RowDigester(conversion.entity))
            var (rows, bytes, digest) = ([[StoredValue]](), 0, RowsDigest())
            func insert() throws {
                rows.sort { one, other in
                    if case (.uuid(let one)?, .uuid(let other)?) = (one.first, other.first) {
                        one < other
                    } else {
                        false
                    }
                }
                try tx.insertRows(into: entity.name, rows)
                rows.removeAll(keepingCapacity: true)
                bytes = 0
            }
            try snapshot.forEachRow(of: conversion.table, conversion.columns) { values in
                var reason: String?
                let row = try survey.row(values, conversion) {
                    reason = "\($0 ?? ""): \($1.reason)"
                } removed: {
                }
                guard let row else {
                    throw StoreError(
                        .busy,
                        "Another program has written to \(conversion.table.name) what cannot be converted: "
                            + "\(reason ?? ""). Run it again.", entity: entity.name)
                }
                digest.add(try digester.digest(row))
                rows.append(row)
                bytes += row.reduce(0) { $0 + $1.contentBytes(isFolded: false) }
                if rows.count == Self.batch || bytes >= Self.batchBytes { try insert() }
            }
            try insert()
            digests[entity.name] = digest
        }
        return digests
    }

    /// Compares what the new store returns with what was converted, and looks for dangling references: a copy
    /// is written without foreign keys.
    private func verify(_ survey: AdoptionSurvey, _ tx: WriteTransaction) throws {
        for entity in schema.entities {
            var digest = RowsDigest()
            try tx.forEachDigest(of: entity) { _, row in digest.add(row) }
            guard digest == survey.digests[entity.name] ?? RowsDigest() else {
                throw StoreError(
                    .verification,
                    "The new store did not return the rows that were written to it. It was not activated.",
                    entity: entity.name)
            }
            for (attribute, rows) in try tx.danglingReferences(of: entity) where rows > 0 {
                throw StoreError(
                    .verification,
                    "\(rows) rows of the new store refer to rows that do not exist. It was not activated.",
                    entity: entity.name, attribute: attribute)
            }
        }
    }
}

extension AdoptionSurvey {
    /// - Throws: `valueNotRepresentable` if something stands against it.
    fileprivate func requirePossible() throws {
        guard let first = faults.first else { return }
        let others =
            switch faults.count {
            case 1: ""
            case 2: " There is one more such finding; a preview lists both."
            default: " There are \(faults.count - 1) more such findings; a preview lists them."
            }
        throw StoreError(
            .valueNotRepresentable, "The database cannot be adopted. \(first).\(others) Nothing was changed.")
    }
}

extension StoreMarker {
    /// Whether it is what an interrupted adoption leaves.
    fileprivate var isEmptyCopy: Bool { role == .copying && switching == nil }
}

extension StoreError {
    fileprivate static func noRoom(at location: String) -> StoreError {
        StoreError(
            .placeTaken, "There is a store at \(location) already. Give another place; nothing was changed."
        )
    }
}
