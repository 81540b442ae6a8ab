internal import SwitchyardCore

/// What was not exchanged with CloudKit yet.
struct CloudFindings {
    private let store: StoreFindings
    private let pendingDeletes: PendingDeletes

    init(_ store: StoreFindings, _ pendingDeletes: PendingDeletes) {
        (self.store, self.pendingDeletes) = (store, pendingDeletes)
    }

    func all() throws -> [ForeignFinding] {
        guard CloudRecords.hasRecords(store.catalogue) else { return [] }
        var findings: [ForeignFinding] = []
        for family in store.virtual.families {
            for entity in family.entities {
                try findings += [
                    uploads(of: entity, family.table), cloudDeletes(of: entity, family.table),
                    localDeletes(of: entity, family.table),
                ].compactMap { $0 }
            }
        }
        return findings
    }

    private func has(_ column: String) -> Bool {
        store.catalogue.table(CloudRecords.table)?.has(column) == true
    }

    private func finding(
        _ code: ForeignFinding.Code, _ entity: NumberedEntity, _ sql: String,
        needsAcknowledgement: Bool = true,
        _ message: (Int) -> String
    ) throws -> ForeignFinding? {
        let found = try store.keys(sql)
        guard found.rows > 0 else { return nil }
        return ForeignFinding(
            code, table: entity.name, rows: found.rows, firstKeys: found.first,
            needsAcknowledgement: needsAcknowledgement, message(found.rows))
    }

    /// Rows without a record or without its name, and those whose changes wait.
    private func uploads(of entity: NumberedEntity, _ table: PhysicalTable) throws -> ForeignFinding? {
        var waits = ["m.ZENTITYPK IS NULL", "m.ZCKRECORDNAME IS NULL"]
        if has("ZNEEDSUPLOAD") { waits.append("m.ZNEEDSUPLOAD = 1") }
        if has("ZPENDINGEXPORTTRANSACTIONNUMBER") {
            // The number stays after an export, which then has the same.
            waits.append(
                has("ZLASTEXPORTEDTRANSACTIONNUMBER")
                    ? "m.ZPENDINGEXPORTTRANSACTIONNUMBER > coalesce(m.ZLASTEXPORTEDTRANSACTIONNUMBER, -1)"
                    : "m.ZPENDINGEXPORTTRANSACTIONNUMBER IS NOT NULL")
        }
        return try finding(
            .pendingUploads, entity,
            """
            SELECT DISTINCT r.Z_PK FROM \(table.name.quotedName) AS r LEFT JOIN \(CloudRecords.table) AS m \
            ON m.ZENTITYID = \(entity.number) AND m.ZENTITYPK = r.Z_PK \
            WHERE r.Z_ENT = \(entity.number) AND (\(waits.joined(separator: " OR "))) ORDER BY r.Z_PK
            """
        ) { rows in
            "\(rows) rows were never uploaded to CloudKit, or not as they are now: other devices lack them. Open the old app until "
                + "it has uploaded them."
        }
    }

    /// Deleted rows whose deletes wait: only the record is left of them.
    private func cloudDeletes(of entity: NumberedEntity, _ table: PhysicalTable) throws -> ForeignFinding? {
        guard has("ZNEEDSCLOUDDELETE") else { return nil }
        return try finding(
            .pendingCloudDeletes, entity,
            "SELECT ZENTITYPK FROM \(CloudRecords.table) WHERE ZENTITYID = \(entity.number) AND ZNEEDSCLOUDDELETE = 1 ORDER BY 1"
        ) { rows in
            "\(rows) rows were deleted here and are still in CloudKit: other devices have them. Open the old app until it has "
                + "uploaded that."
        }
    }

    /// Rows that other devices have deleted.
    private func localDeletes(of entity: NumberedEntity, _ table: PhysicalTable) throws -> ForeignFinding? {
        guard let query = CloudRecords.localDeletes(of: entity, in: store.catalogue) else { return nil }
        return try finding(
            .pendingLocalDeletes, entity,
            """
            SELECT r.Z_PK FROM \(table.name.quotedName) AS r WHERE r.Z_ENT = \(entity.number) AND r.Z_PK IN (\(query)) \
            ORDER BY r.Z_PK
            """, needsAcknowledgement: pendingDeletes == .refused
        ) { rows in
            switch pendingDeletes {
            case .refused:
                "\(rows) rows were deleted on other devices. Set pendingDeletes to applied, which leaves them out, or to kept."
            case .applied: "\(rows) rows were deleted on other devices, and are left out."
            case .kept: "\(rows) rows were deleted on other devices, and are kept."
            }
        }
    }
}
