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
    /// - Throws: `verification` for a value that the column cannot have had in the file.
    mutating func read(server row: UnsafeBufferPointer<Cell>) throws {
        bytes.removeAll(keepingCapacity: true)
        for index in row.indices {
            let cell = row[index]
            switch (types[index], cell.kind) {
            case (_, .null): bytes.append(0)
            case (.bigint, .integer), (.boolean, .integer): append(2, cell.word)
            case (.double, .double): append(cell.double)
            case (.numeric, .text): try append(decimal: cell)
            case (.text, .text): append(5, cell.bytes)
            case (.bytea, .blob): append(6, cell.bytes)
            case (.date, .integer): try append(cell.word * 86_400_000_000, .day)
            case (.timestamp(let form), .integer): try append(cell.word, form)
            default: throw Self.unexpected
            }
        }
    }

    private mutating func append(_ real: Double) {
        if let integer = Int64(exactly: real), integer != 0 || real.sign == .plus {
            append(2, integer)
        } else {
            append(3, Int64(bitPattern: real.bitPattern))
        }
    }

    private mutating func append(decimal cell: Cell) throws {
        let text = String(decoding: cell.bytes, as: UTF8.self)
        if let integer = Int64(text) {
            append(2, integer)
        } else if let real = Double(text) {
            append(real)
        } else {
            throw Self.unexpected
        }
    }

    private mutating func append(_ microseconds: Int64, _ form: TextForm) throws {
        let isTime = withUnsafeTemporaryAllocation(byteCount: 32, alignment: 1) { buffer in
            guard let count = form.write(microseconds, to: buffer) else { return false }
            append(5, UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            return true
        }
        guard isTime else { throw Self.unexpected }
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

    private static var unexpected: StoreError {
        StoreError(
            .verification, "The server returned a value that the file cannot have held. Nothing was created.")
    }
}
