internal import Foundation
internal import SwitchyardCSV
internal import SwitchyardCore

/// The header of a document, before its rows.
enum DocumentHeader {
    /// The names of its parts.
    static let names = ["version", "exportDate", "schema"]

    /// The header's members as text, with the time of now to the millisecond.
    static func text(_ schema: Schema) -> String {
        let time = Timestamp.microseconds(Date()).flatMap {
            ISO8601.text($0 / 1000 * 1000, precision: .exact)
        }
        return """
            "version": \(JSONBackup.version),
              "exportDate": "\(time ?? "")",
              "schema": {"version": "\(schema.version)", "fingerprint": "\(schema.fingerprint)"}
            """
    }

    /// Checks a part of the header of a document to restore.
    ///
    /// - Throws: `JSONError` with code `wrongVersion` or `invalidValue`.
    static func check(_ name: String, _ element: JSONElement, for schema: Schema) throws {
        try element.requireValid()
        switch name {
        case "version": try checkVersion(element)
        case "schema": try checkSchema(element, schema)
        default:
            let date = try? JSONDecoder().decode(String.self, from: Data(element.bytes))
            guard let date, ISO8601.microseconds(date) != nil else {
                throw element.error(
                    .invalidValue, "The value is not a time such as 2026-11-21T08:30:00Z.", key: name)
            }
        }
    }

    private static func checkVersion(_ element: JSONElement) throws {
        guard let version = try? JSONDecoder().decode(Int.self, from: Data(element.bytes)) else {
            throw element.error(.invalidValue, "The version of the format is not an integer.", key: "version")
        }
        guard version == JSONBackup.version else {
            throw element.error(
                .wrongVersion,
                "The document has another version of the format than \(JSONBackup.version). Restore it with the version of "
                    + "the app that wrote it.", key: "version")
        }
    }

    private struct Identity: Decodable {
        let version: String
        let fingerprint: String

        /// The version as numbers; nil for any other text.
        var numbers: SchemaVersion? {
            let parts = version.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
            guard parts.count == 3, let major = parts[0], let minor = parts[1], let patch = parts[2] else {
                return nil
            }
            return SchemaVersion(major, minor, patch)
        }
    }

    private static func checkSchema(_ element: JSONElement, _ schema: Schema) throws {
        guard let found = try? JSONDecoder().decode(Identity.self, from: Data(element.bytes)),
            let version = found.numbers
        else {
            throw element.error(
                .invalidValue, "The schema is not an object with a version such as 2.0.0 and a fingerprint.",
                key: "schema")
        }
        guard version <= schema.version else {
            throw element.error(
                .wrongVersion,
                "The document has rows of schema version \(version), and the store has \(schema.version). Restore it with "
                    + "a newer version of the app.", key: "schema")
        }
        guard version == schema.version else {
            throw element.error(
                .wrongVersion,
                "The document has rows of schema version \(version), and the store has \(schema.version). Restore it into "
                    + "a new store that is opened with version \(version), and then open that one with the migration plan.",
                key: "schema")
        }
        guard found.fingerprint == schema.fingerprint else {
            throw element.error(
                .wrongVersion,
                "The document and the store both have schema version \(version), but not the same schema. A version must "
                    + "not change once it was released.", key: "schema")
        }
    }
}
