public import Foundation
internal import SwitchyardCore

extension CSVWriter {
    /// Writes an integer in decimal digits.
    ///
    /// - Throws: `CSVError` with the code of the sink's error.
    public mutating func write(_ integer: Int64) throws {
        try writePlain { NumberText.write(integer, to: $0) }
    }

    /// Writes a double as the shortest text that reads back as the same one, such as `80.0`.
    ///
    /// - Throws: `CSVError` with code `valueNotRepresentable` for NaN.
    public mutating func write(_ double: Double) throws {
        guard !double.isNaN else {
            throw CSVError(.valueNotRepresentable, "NaN cannot be written as CSV.")
        }
        try writePlain { NumberText.write(double, to: $0) }
    }

    /// Writes a time in UTC.
    ///
    /// - Parameters:
    ///   - microseconds: Microseconds since 1970 UTC.
    ///   - precision: How many digits the fraction gets.
    /// - Throws: `CSVError` with code `valueNotRepresentable` outside the years 1 to 9999.
    public mutating func write(microseconds: Int64, precision: ISO8601.Precision) throws {
        guard Timestamp.range.contains(microseconds) else {
            throw CSVError(
                .valueNotRepresentable, "A time outside the years 1 to 9999 cannot be written as CSV.")
        }
        try writePlain { ISO8601.write(microseconds, precision: precision, to: $0) }
    }

    /// Writes a UUID in lower case.
    ///
    /// - Throws: `CSVError` with the code of the sink's error.
    public mutating func write(_ uuid: UUID) throws {
        try writePlain { UUIDText.write(uuid, to: $0) }
    }
}
