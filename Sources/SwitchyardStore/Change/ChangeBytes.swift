package import Foundation

/// Writes changes as bytes: numbers as LEB128, text and bytes with their length before them.
package struct ByteWriter {
    package var bytes: [UInt8] = []

    package init() {}

    package mutating func write(number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Writes a signed number so that small ones are short, whatever their sign.
    package mutating func write(signed: Int64) {
        write(number: UInt64(bitPattern: (signed << 1) ^ (signed >> 63)))
    }

    package mutating func write(text: String) {
        write(number: UInt64(text.utf8.count))
        bytes += text.utf8
    }

    package mutating func write(_ id: UUID) { withUnsafeBytes(of: id.uuid) { bytes += $0 } }

    package mutating func write(_ value: StoredValue) {
        bytes.append(value.type?.tag ?? AttributeType.nullTag)
        switch value {
        case .null: break
        case .bool(let bool): bytes.append(bool ? 1 : 0)
        case .int(let integer), .timestamp(let integer): write(signed: integer)
        case .double(let double):
            withUnsafeBytes(of: double.bitPattern.littleEndian) { bytes += $0 }
        case .decimal(let decimal): write(text: CanonicalDecimal.text(decimal) ?? decimal.description)
        case .text(let text), .json(let text): write(text: text)
        case .blob(let data):
            write(number: UInt64(data.count))
            bytes += data
        case .uuid(let uuid): write(uuid)
        case .day(let day): write(signed: Int64(day.daysSince1970))
        }
    }
}

/// Reads what a `ByteWriter` has written.
package struct ByteReader {
    private let bytes: [UInt8]
    /// The number of bytes that have been read.
    package var position = 0

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The number of all bytes.
    package var count: Int { bytes.count }
    package var isAtEnd: Bool { position == bytes.count }

    package mutating func byte() throws -> UInt8 {
        guard position < bytes.count else { throw StoreError.damagedHistory() }
        position += 1
        return bytes[position - 1]
    }

    package mutating func take(_ count: Int) throws -> ArraySlice<UInt8> {
        guard count <= bytes.count - position else { throw StoreError.damagedHistory() }
        position += count
        return bytes[position - count..<position]
    }

    package mutating func number() throws -> UInt64 {
        var (number, shift) = (0 as UInt64, 0 as UInt64)
        while true {
            let next = try byte()
            guard shift < 63 || shift == 63 && next <= 1 else { throw StoreError.damagedHistory() }
            number |= UInt64(next & 0x7F) << shift
            if next < 0x80 { return number }
            shift += 7
        }
    }

    package mutating func signed() throws -> Int64 {
        let number = try number()
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    package mutating func content() throws -> ArraySlice<UInt8> {
        guard let count = Int(exactly: try number()) else { throw StoreError.damagedHistory() }
        return try take(count)
    }

    package mutating func text() throws -> String {
        guard let text = try content().withUnsafeBufferPointer({ String(validatingUTF8: $0) }) else {
            throw StoreError.damagedHistory()
        }
        return text
    }

    package mutating func uuid() throws -> UUID {
        guard bytes.count - position >= 16 else { throw StoreError.damagedHistory() }
        position += 16
        return UUID(
            uuid: bytes.withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: position - 16, as: uuid_t.self)
            })
    }

    /// Reads a value, which must have a type unless that is left open; nil for one that is not kept.
    package mutating func value(_ type: AttributeType? = nil) throws -> StoredValue? {
        let tag = try byte()
        if tag == AttributeType.nullTag { return .null }
        if tag == AttributeType.unknownTag { return nil }
        guard let type = type ?? AttributeType(tag: tag), tag == type.tag else {
            throw StoreError.damagedHistory()
        }
        let value: StoredValue? =
            switch type {
            case .bool: .bool(try byte() != 0)
            case .int: .int(try signed())
            case .timestamp: .timestamp(try signed())
            case .double:
                .double(
                    Double(
                        bitPattern: UInt64(
                            littleEndian: try take(8).withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) })))
            case .decimal: CanonicalDecimal.decimal(try text()).map { .decimal($0) }
            case .text: .text(try text())
            case .json: .json(try text())
            case .blob: .blob(Data(try content()))
            case .uuid: .uuid(try uuid())
            case .day: Int(exactly: try signed()).flatMap { CalendarDay(daysSince1970: $0) }.map { .day($0) }
            }
        guard let value else { throw StoreError.damagedHistory() }
        return value
    }
}
