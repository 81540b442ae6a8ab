public import Foundation

/// UUIDs as text, read and written without a `String`.
public enum UUIDText {
    /// Reads the usual form of 32 hexadecimal digits in five groups, in upper or lower case.
    ///
    /// - Returns: The UUID; nil for any other text.
    public static func uuid(_ text: UnsafeRawBufferPointer) -> UUID? {
        guard text.count == length else { return nil }
        var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        let isValid = withUnsafeMutableBytes(of: &bytes) { bytes in
            var position = 0
            for index in 0..<16 {
                if hasHyphen(before: index) {
                    guard text[position] == UInt8(ascii: "-") else { return false }
                    position += 1
                }
                guard let high = digit(text[position]), let low = digit(text[position + 1]) else {
                    return false
                }
                bytes[index] = high << 4 | low
                position += 2
            }
            return true
        }
        return isValid ? UUID(uuid: bytes) : nil
    }

    /// The length of a UUID's text, in bytes.
    static let length = 36

    /// Writes a UUID in lower case to memory with room for `length` bytes.
    ///
    /// - Returns: How many bytes were written.
    static func write(_ uuid: UUID, to start: UnsafeMutableRawPointer) -> Int {
        withUnsafeBytes(of: uuid.uuid) { bytes in
            var position = 0
            func put(_ byte: UInt8) {
                start.storeBytes(of: byte, toByteOffset: position, as: UInt8.self)
                position += 1
            }
            for (index, byte) in bytes.enumerated() {
                if hasHyphen(before: index) { put(UInt8(ascii: "-")) }
                for digit in [byte >> 4, byte & 15] { put(digit < 10 ? 48 + digit : 87 + digit) }
            }
            return position
        }
    }

    private static func hasHyphen(before index: Int) -> Bool {
        index == 4 || index == 6 || index == 8 || index == 10
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
