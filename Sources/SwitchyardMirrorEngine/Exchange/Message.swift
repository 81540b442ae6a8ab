internal import Foundation
package import SwitchyardCore

/// The frame of a message: a format, a kind, a part of the schema's fingerprint, the content, and a digest of all before it.
///
/// Entities and attributes are written as positions in the device's schema, which the server knows as well.
enum Message {
    enum Kind: UInt8 {
        case exchange = 1
        case rows = 2
        case page = 3
        case rowsPage = 4
        case restart = 5
        case ahead = 6
        case beginAgain = 7
        case part = 8
        case partAnswer = 9
    }

    private static let format: UInt8 = 1
    /// How many bytes of the schema's fingerprint follow the kind.
    private static let fingerprintBytes = 8
    private static let digestBytes = 8

    static func encoded(
        _ kind: Kind, _ schema: Schema, _ content: (inout ByteWriter) throws -> Void
    ) rethrows -> [UInt8] {
        var message = ByteWriter()
        message.bytes += [format, kind.rawValue] + fingerprint(of: schema)
        try content(&message)
        return sealed(message.bytes)
    }

    /// Reads a whole message from a sender that is not trusted.
    ///
    /// - Throws: `corrupted` if it was cut off or altered, or its content is none; `schemaMismatch` for another schema, and for
    ///   a newer format.
    static func read<Content>(
        _ message: [UInt8], _ schema: Schema, _ content: (Kind, inout ByteReader) throws -> Content
    ) throws -> Content {
        let frame = Array(message.dropLast(digestBytes))
        guard sealed(frame) == message else { throw StoreError.unreadableMessage }
        do {
            var bytes = ByteReader(frame)
            guard try bytes.byte() == format else {
                throw StoreError.foreignMessage("has a format that this version does not read")
            }
            guard let kind = Kind(rawValue: try bytes.byte()) else { throw StoreError.unreadableMessage }
            guard try bytes.take(fingerprintBytes).elementsEqual(fingerprint(of: schema)) else {
                throw StoreError.foreignMessage("speaks of another schema")
            }
            let content = try content(kind, &bytes)
            guard bytes.isAtEnd else { throw StoreError.unreadableMessage }
            return content
        } catch let error as StoreError where error.code == .corrupted {
            throw StoreError.unreadableMessage
        }
    }

    /// A message with the digest of all of it at its end.
    static func sealed(_ frame: [UInt8]) -> [UInt8] { frame + frame.sha256.prefix(digestBytes) }

    private static func fingerprint(of schema: Schema) -> Data {
        HistoryTransaction.fingerprint(from: schema.fingerprint).prefix(fingerprintBytes)
    }
}

extension ByteReader {
    /// Reads a value, or nil for one that is not kept.
    ///
    /// - Throws: `corrupted`, also for a value that no attribute holds, such as NaN.
    mutating func canonicalValue() throws -> StoredValue? {
        let value = try optionalValue()
        try StoredValue.requireCanonical(CollectionOfOne(value))
        return value
    }

    mutating func optionalKey(_ schema: Schema) throws -> RowKey? {
        try byte() == 0 ? nil : RowKey(try schema.require(try text()).name, try uuid())
    }
}

extension ByteWriter {
    mutating func write(optional key: RowKey?) {
        bytes.append(key == nil ? 0 : 1)
        guard let key else { return }
        write(text: key.entity)
        write(key.id)
    }
}

extension StoredValue {
    /// Checks that attributes can hold values as they are.
    static func requireCanonical(_ values: some Sequence<StoredValue?>) throws {
        for case let value? in values {
            guard (try? value.isCanonical()) == true else { throw StoreError.unreadableMessage }
        }
    }
}

extension StoreError {
    package static var unreadableMessage: StoreError {
        StoreError(
            .corrupted,
            "A message of the mirror was cut off or altered on its way. It is sent again; nothing was changed."
        )
    }

    fileprivate static func foreignMessage(_ fault: String) -> StoreError {
        StoreError(.schemaMismatch, "A message of the mirror \(fault). Update the app; nothing was changed.")
    }
}
