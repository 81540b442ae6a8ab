internal import Foundation
internal import Switchyard

/// Ids that follow from what an import knows a row by, so that a file adds the same rows on every device that imports it.
///
/// Two devices that are mirrored then agree on them, without any rows twice.
struct NaturalID {
    private static let namespace = UUID(
        uuid: (0x62, 0x61, 0x62, 0x79, 0x6D, 0x6F, 0x40, 0x6E, 0x80, 0, 0, 0, 0, 0, 0, 1))

    /// The id of a baby that a file names.
    ///
    /// - Parameters:
    ///   - name: The name; its case does not matter.
    ///   - number: 0, or how many ids of the name are taken, by babies that have other names now.
    /// - Returns: The id.
    static func baby(named name: String, number: Int) -> BabyProfile.ID {
        let key = name.lowercased().precomposedStringWithCanonicalMapping
        return Identifier(DerivedID(namespace: namespace).uuid(["baby", key] + suffix(number)))
    }

    private static func suffix(_ number: Int) -> [String] { number == 0 ? [] : ["\(number)"] }

    private struct Series: Hashable {
        let baby: BabyProfile.ID?
        let number: Int
    }

    private let kind: HistoryCSVKind
    /// What the ids of a baby's events end in.
    private var endings: [Series: UInt64] = [:]

    /// Makes the ids of a kind of events.
    init(_ kind: HistoryCSVKind) { self.kind = kind }

    /// The id of an event: a UUID of version 8 (RFC 9562, section 5.8).
    ///
    /// It begins with the time, as one of version 7 does, so that events that are inserted in order fill the pages of an index.
    ///
    /// - Parameters:
    ///   - microseconds: When it happened, since 1970.
    ///   - type: As `HistoryRecord.typeCode`.
    ///   - baby: The baby; nil for an event of none.
    ///   - number: 0, or how many ids of such an event are taken, by events that have other times or babies now.
    /// - Returns: The id.
    mutating func event(
        at microseconds: Int64, type: UInt8, of baby: BabyProfile.ID?, number: Int
    ) -> UUID {
        let millisecond = KnownEvents.Key.millisecond(microseconds)
        let rest = UInt64(microseconds - millisecond * 1000)
        let first = UInt64(bitPattern: millisecond) << 16 | 0x8000 | rest << 2 | UInt64(type & 3)
        // A new UUID would read the system's random numbers first.
        var id: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &id) { bytes in
            bytes.storeBytes(of: first.bigEndian, as: UInt64.self)
            bytes.storeBytes(of: ending(baby, number).bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        return UUID(uuid: id)
    }

    private mutating func ending(_ baby: BabyProfile.ID?, _ number: Int) -> UInt64 {
        let series = Series(baby: baby, number: number)
        if let ending = endings[series] { return ending }
        let id = DerivedID(namespace: baby?.uuid ?? Self.namespace).uuid(
            [kind.rawValue] + Self.suffix(number))
        let ending = withUnsafeBytes(of: id.uuid) { bytes in
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        endings[series] = ending
        return ending
    }
}
