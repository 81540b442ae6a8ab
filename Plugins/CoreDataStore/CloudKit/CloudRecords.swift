/// What Core Data keeps about the CloudKit records of the rows.
enum CloudRecords {
    static let table = "ANSCKRECORDMETADATA"
    static let zoneTable = "ANSCKRECORDZONEMETADATA"

    /// Whether rows have records that are named.
    static func hasRecords(_ catalogue: StoreCatalogue) -> Bool {
        guard let records = catalogue.table(table) else { return false }
        return ["ZENTITYID", "ZENTITYPK", "ZCKRECORDNAME"].allSatisfy(records.has)
    }

    private static func hasZones(_ catalogue: StoreCatalogue) -> Bool {
        catalogue.table(table)?.has("ZRECORDZONE") == true
            && catalogue.table(zoneTable)?.has("ZCKRECORDZONENAME") == true
    }

    /// The columns that each entity has besides its own: their names, purposes and expressions over the joins.
    static func columns(of catalogue: StoreCatalogue) -> [(name: String, purpose: String, expression: String)]
    {
        guard hasRecords(catalogue) else { return [] }
        var columns = [("$recordName", "the name of the row's record in CloudKit", "m.ZCKRECORDNAME")]
        guard hasZones(catalogue) else { return columns }
        columns.append(("$zone", "the zone of the row's record in CloudKit", "z.ZCKRECORDZONENAME"))
        if catalogue.table(zoneTable)?.has("ZCKOWNERNAME") == true {
            columns.append(
                ("$zoneOwner", "the owner of the zone of the row's record in CloudKit", "z.ZCKOWNERNAME"))
        }
        return columns
    }

    /// The joins that the columns need; a row with two records, which a damaged store can have, is not doubled.
    static func joins(of entity: NumberedEntity, in catalogue: StoreCatalogue) -> [String] {
        guard hasRecords(catalogue) else { return [] }
        let zone = hasZones(catalogue) ? ", ZRECORDZONE" : ""
        let records = """
            (SELECT ZENTITYPK, ZCKRECORDNAME\(zone), min(Z_PK) FROM \(table) WHERE ZENTITYID = \(entity.number) \
            GROUP BY ZENTITYPK) AS m ON m.ZENTITYPK = r.Z_PK
            """
        return [records] + (zone.isEmpty ? [] : ["\(zoneTable) AS z ON z.Z_PK = m.ZRECORDZONE"])
    }

    /// The query of the keys of rows that CloudKit has reported as deleted; nil if the store does not keep them.
    static func localDeletes(of entity: NumberedEntity, in catalogue: StoreCatalogue) -> String? {
        guard hasRecords(catalogue), catalogue.table(table)?.has("ZNEEDSLOCALDELETE") == true else {
            return nil
        }
        return """
            SELECT ZENTITYPK FROM \(table) WHERE ZENTITYID = \(entity.number) AND ZNEEDSLOCALDELETE = 1 \
            AND ZENTITYPK IS NOT NULL
            """
    }
}
