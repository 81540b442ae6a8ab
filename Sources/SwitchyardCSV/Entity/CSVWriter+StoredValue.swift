internal import Foundation
public import SwitchyardCore

extension CSVWriter {
    /// Writes a value so that it can be read back exactly.
    ///
    /// Null is written as an empty field. Empty text is quoted if `Options.quotesEmptyText` is set. Times are
    /// written to the microsecond, blobs as Base64.
    ///
    /// - Throws: `CSVError` with code `valueNotRepresentable`, or the code of the sink's error.
    public mutating func write(_ value: StoredValue) throws {
        switch value {
        case .null: try writeNull()
        case .bool(let bool): try write(bool ? "true" : "false")
        case .int(let integer): try write(integer)
        case .double(let double): try write(double)
        case .decimal(let decimal):
            guard let text = CanonicalDecimal.text(decimal) else {
                throw CSVError(
                    .valueNotRepresentable, "A decimal of more than 38 digits cannot be written as CSV.")
            }
            try write(text)
        case .text(let text), .json(let text): try write(text)
        case .blob(let data): try write(data.base64EncodedString())
        case .uuid(let uuid): try write(uuid)
        case .timestamp(let microseconds): try write(microseconds: microseconds, precision: .exact)
        case .day(let day): try write(day.description)
        }
    }
}
