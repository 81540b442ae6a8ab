package import Switchyard
internal import SwitchyardCore

extension Contract {
    /// Expects whole rows: every attribute in canonical form, which distinguishes −0 from 0.
    package func expectRows(
        _ found: [[StoredValue]], _ expected: [[StoredValue]], of entity: Entity, _ subject: String,
        _ fileID: String = #fileID, _ line: Int = #line
    ) throws {
        for (index, (row, wanted)) in zip(found, expected).enumerated() {
            // Equal rows need no canonical form, unless one has a −0, which is equal to 0.
            if row == wanted, !row.contains(where: \.isNegativeZero) { continue }
            let place = "\(subject), row \(index + 1) of \(expected.count)"
            try expectEqual(row.count, wanted.count, "\(place), its values", fileID, line)
            for (attribute, (value, other)) in zip(entity.attributes, zip(row, wanted)) {
                let (text, wantedText) = (try CanonicalJSON.text(value), try CanonicalJSON.text(other))
                try expect(
                    text == wantedText, "\(place), \(attribute.name)", expected: ShownValue.text(other),
                    found: ShownValue.text(value), fileID, line)
            }
        }
        try expectEqual(found.count, expected.count, "\(subject), the number of rows", fileID, line)
    }

    /// Expects all rows of an entity, in order of their ids.
    package func expectRows(
        in store: any Store, of entity: String, _ expected: [[StoredValue]], _ subject: String,
        _ fileID: String = #fileID, _ line: Int = #line
    ) async throws {
        let found = try await store.read { try $0.fetchRows(of: entity) }
        try expectRows(found, expected, of: try store.schema.require(entity), subject, fileID, line)
    }

    /// Inserts a specimen, and returns both the result of the insert and the fetched row.
    package func roundTrip(
        _ specimen: Specimen
    ) async throws -> (inserted: Specimen, fetched: Specimen) {
        let store = try await makeStore()
        let inserted = try await store.write { try $0.insert(specimen) }
        let fetched = try await store.read { try $0.find(specimen.id) }
        return (inserted, try require(fetched, "an inserted row, found by its id"))
    }
}

extension StoredValue {
    fileprivate var isNegativeZero: Bool {
        if case .double(let double) = self { double == 0 && double.sign == .minus } else { false }
    }
}
