/// The events of one batch of rows, by baby, millisecond and type.
///
/// It is a hash table that allocates nothing for a single event. The batch says which keys it will ask for;
/// then stored events can stream by, and only those of these keys are kept.
struct KnownTimes {
    /// What is looked for.
    struct Key: Equatable {
        /// The number of the baby's name.
        let group: Int32
        /// The type of a diaper change; 0 for feeds.
        let type: UInt8
        /// Milliseconds since 1970, rounded down.
        let millisecond: Int64

        @inline(__always)
        init(group: Int, type: UInt8, microseconds: Int64) {
            self.group = Int32(truncatingIfNeeded: group)
            self.type = type
            let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1000)
            millisecond = remainder < 0 ? quotient - 1 : quotient
        }

        // The mix of SplitMix64 (S. Vigna): keys are times in a row and must not stay neighbours.
        @inline(__always)
        var hash: UInt64 {
            var bits =
                UInt64(bitPattern: millisecond) ^ UInt64(UInt32(bitPattern: group)) << 40 ^ UInt64(type) << 32
            bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
            bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
            return bits ^ bits >> 31
        }
    }

    private struct Slot {
        var key: Key
        /// The index of the event that was added last, or `none`.
        var last: Int32
        var isTaken: Bool
    }

    private struct Event {
        let position: Int32
        /// The index of the event of the same key that was added before, or `none`.
        let previous: Int32
    }

    private static let none: Int32 = -1
    private static let free = Slot(key: Key(group: 0, type: 0, microseconds: 0), last: none, isTaken: false)
    private var slots: [Slot]
    private let mask: Int
    private var events: [Event] = []

    /// Makes room for a number of keys.
    init(capacity: Int) {
        var size = 16
        while size < capacity * 2 { size *= 2 }
        slots = Array(repeating: Self.free, count: size)
        mask = size - 1
        events.reserveCapacity(capacity)
    }

    /// Forgets everything and keeps the memory.
    mutating func removeAll() {
        for index in slots.indices { slots[index] = Self.free }
        events.removeAll(keepingCapacity: true)
    }

    /// Says that a key will be asked for.
    ///
    /// There must be no more keys than there is room for.
    mutating func expect(_ key: Key) {
        let index = find(key)
        slots[index].key = key
        slots[index].isTaken = true
    }

    /// Adds an event if its key will be asked for.
    ///
    /// - Parameters:
    ///   - key: The key of the event.
    ///   - position: What `forEach` gives back: where the event is.
    /// - Returns: Whether the key will be asked for.
    @discardableResult
    mutating func add(_ key: Key, position: @autoclosure () -> Int) -> Bool {
        let index = find(key)
        guard slots[index].isTaken else { return false }
        events.append(Event(position: Int32(truncatingIfNeeded: position()), previous: slots[index].last))
        slots[index].last = Int32(truncatingIfNeeded: events.count - 1)
        return true
    }

    /// Calls the body with the position of each event of a key, the one added last first.
    @inline(__always)
    func forEach(_ key: Key, _ body: (Int) -> Void) {
        var index = slots[find(key)].last
        while index != Self.none {
            let event = events[Int(index)]
            body(Int(event.position))
            index = event.previous
        }
    }

    /// The slot of a key, or the free one where it belongs.
    ///
    /// At most half of the slots are taken.
    @inline(__always)
    private func find(_ key: Key) -> Int {
        var index = Int(truncatingIfNeeded: key.hash) & mask
        while slots[index].isTaken, slots[index].key != key { index = (index + 1) & mask }
        return index
    }
}
