internal import SwitchyardCore

extension ForeignFinding.Code {
    /// References lead nowhere, and become nil.
    package static let referencesRemoved = Self("referencesRemoved")
    /// Rows have no id of their own, or one that another row has.
    package static let idsReplaced = Self("idsReplaced")
    /// A table that no model can have is left out, with its rows.
    package static let tablesLeftOut = Self("tablesLeftOut")
}

extension AdoptionScaffold {
    /// A table without a primary key, or whose name another has but for its case.
    struct SkippedTable: Sendable {
        let name: String
        let rows: Int
    }

    static func losses(
        _ models: [ScaffoldModel], _ skipped: [SkippedTable], _ preview: AdoptionPreview
    ) -> [ForeignFinding] {
        var losses: [ForeignFinding] = []
        for table in preview.tables where table.removedReferences > 0 {
            losses.append(
                ForeignFinding(
                    .referencesRemoved, table: table.entity, rows: table.removedReferences,
                    "\(table.removedReferences) references lead nowhere, and become nil."))
        }
        for table in preview.tables where table.idsFromKeys > 0 {
            guard models.first(where: { $0.table.name == table.name })?.hasOwnIDs == true else { continue }
            losses.append(
                ForeignFinding(
                    .idsReplaced, table: table.entity, rows: table.idsFromKeys,
                    "\(table.idsFromKeys) rows have no id of their own, or the same as an earlier row, and get one from their key."
                ))
        }
        for table in skipped where table.rows > 0 {
            losses.append(
                ForeignFinding(
                    .tablesLeftOut, table: table.name, rows: table.rows, needsAcknowledgement: true,
                    "\(table.rows) rows are left out: the table has no primary key, or differs from another in its case alone."
                ))
        }
        return losses
    }

    /// Checks that what must be acknowledged of the losses is.
    ///
    /// - Throws: `valueNotRepresentable`, naming the first that is not.
    package func requireAcknowledged(_ codes: [ForeignFinding.Code]) throws {
        guard let loss = losses.first(where: { $0.needsAcknowledgement && !codes.contains($0.code) }) else {
            return
        }
        throw StoreError(
            .valueNotRepresentable,
            "The database cannot be adopted. \(loss) Acknowledge \(loss.code) to go on. Nothing was changed.")
    }
}

extension ScaffoldModel {
    /// Whether the ids come from a column of the app's, and not from CloudKit's records or from references.
    fileprivate var hasOwnIDs: Bool {
        idColumns.count == 1
            && table.columns.contains { $0.name == idColumns[0] && $0.purpose == nil }
    }
}
