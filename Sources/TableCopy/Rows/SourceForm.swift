internal import Foundation
internal import SwitchyardCore

/// The bytes of a row as SQLite holds it, whichever database it was read from: both sides of a comparison come to the
/// same bytes if the server could give every value back.
///
/// Each value is a tag and its content, as in `CanonicalRow`: eight bytes for a number, the length in eight bytes and
/// then the bytes for text and blobs. A real that is a whole number of 64 bits is that integer.
struct SourceForm {
    private let types: [TargetType]
    private(set) var bytes: [UInt8] = []

    init(_ types: [TargetType]) { self.types = types }

    /// Replaces the bytes by those of a row of the file.
    mutating func read(file row: UnsafeBufferPointer<Cell>) {
        bytes.removeAll(keepingCapacity: true)
        for index in row.indices {
            let cell = row[index]
            switch cell.kind {
            case .null: bytes.append(0)
            case .text: append(5, cell.bytes)
            case .blob: append(6, cell.bytes)
            // A column for numbers that holds texts as well is text.
            case .integer where types[index] == .text: append(text: String(cell.word))
            case .double where types[index] == .text: append(text: cell.double.description)
            case .integer: append(2, cell.word)
            case .double: append(cell.double)
            }
        }
    }

    /// Replaces the bytes by those of a row of the server.
    ///
    /// A value that the column cannot have had in the file gets bytes that no value of a file has.
    mutating func read(server row: UnsafeBufferPointer<Cell>) {
        bytes.removeAll(keepingCapacity: true)
        for index in row.indices {
            let cell = row[index]
            switch (types[index], cell.kind) {
            case (_, .null): bytes.append(0)
            case (.bigint, .integer), (.boolean, .integer): append(2, cell.word)
            case (.double, .double): append(cell.double)
            case (.numeric, .text): append(decimal: cell)
            case (.text, .text): append(5, cell.bytes)
            case (.bytea, .blob): append(6, cell.bytes)
            case (.date, .integer): append(day: cell.word)
            case (.timestamp(let form), .integer): append(cell.word, form)
            default: append(Self.foreign, cell.word)
            }
        }
    }

    /// The tag of a value that no file holds.
    private static var foreign: UInt8 { 255 }

    private mutating func append(_ real: Double) {
        if let integer = Int64(exactly: real), integer != 0 || real.sign == .plus {
            append(2, integer)
        } else {
            append(3, Int64(bitPattern: real.bitPattern))
        }
    }

    private mutating func append(decimal cell: Cell) {
        let text = String(decoding: cell.bytes, as: UTF8.self)
        if let integer = Int64(text) {
            append(2, integer)
        } else if let real = Double(text), PlainDecimal(real)?.text == text {
            append(real)
        } else {
            // Another decimal than that of a real of the file, however near.
            append(Self.foreign, cell.bytes)
        }
    }

    private mutating func append(day: Int64) {
        // The server has years that no file's column becomes a date with.
        let (microseconds, overflow) = day.multipliedReportingOverflow(by: Timestamp.microsecondsPerDay)
        if overflow { append(Self.foreign, day) } else { append(microseconds, .day) }
    }

    private mutating func append(_ microseconds: Int64, _ form: TextForm) {
        withUnsafeTemporaryAllocation(byteCount: 32, alignment: 1) { buffer in
            guard let count = form.write(microseconds, to: buffer) else {
                return append(Self.foreign, microseconds)
            }
            append(5, UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    private mutating func append(text: String) {
        var text = text
        text.withUTF8 { append(5, UnsafeRawBufferPointer($0)) }
    }

    private mutating func append(_ tag: UInt8, _ content: UnsafeRawBufferPointer) {
        append(tag, Int64(content.count))
        bytes.append(contentsOf: content)
    }

    private mutating func append(_ tag: UInt8, _ word: Int64) {
        bytes.append(tag)
        withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
    }
}
