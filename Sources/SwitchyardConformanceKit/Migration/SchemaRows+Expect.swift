public import Foundation
internal import Switchyard
public import SwitchyardCore

extension SchemaRows {
    /// Expects the values of an attribute, such as those that another one had in an earlier version.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - attribute: The attribute.
    ///   - expected: The values by the ids of the rows, one for each row.
    /// - Throws: An error that names the first row that has another value, is missing, or is not expected; from the
    ///   expectations of a matrix it becomes a `ConformanceFailure` that names the plan, the versions and the backend.
    public func expect(_ entity: String, _ attribute: String, _ expected: [UUID: StoredValue]) throws {
        let found = values(entity, attribute)
        for (id, value) in expected {
            try RowDifference.requireEqual(found[id], value, "\(entity).\(attribute) of \(id)")
        }
        try RowDifference.requireEqual(found.count, expected.count, "the number of rows of \(entity)")
    }

    /// Expects one value of an attribute in all rows.
    ///
    /// - Throws: As with several.
    public func expect(_ entity: String, _ attribute: String, _ expected: StoredValue) throws {
        try expect(entity, attribute, values(entity, attribute).mapValues { _ in expected })
    }

    /// Expects that the schema has an attribute, or that it does not.
    ///
    /// - Throws: As with values.
    public func expect(_ entity: String, has attribute: String, _ expected: Bool) throws {
        let found = schema.entity(entity)?.attribute(attribute) != nil
        try RowDifference.requireEqual(found, expected, "whether there is \(entity).\(attribute)")
    }
}

/// A difference between what was expected of rows and what was found.
struct RowDifference: Error {
    let subject: String
    let expected: String
    let found: String

    static func requireEqual<Value: Equatable>(
        _ found: Value, _ expected: Value, _ subject: String
    ) throws {
        guard found != expected else { return }
        throw RowDifference(
            subject: subject, expected: ShownValue.text(expected), found: ShownValue.text(found))
    }
}
