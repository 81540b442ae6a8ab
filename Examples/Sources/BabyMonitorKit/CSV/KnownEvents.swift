internal import Foundation

/// The events that the rows of one batch could match: those in the store, and those of earlier rows.
///
/// A lookup by time, type and babies says in constant time whether there is such an event, whether one has an
/// amount, and which is the first without one. The batch registers its keys first, so that stored events can
/// stream past and only matching ones are kept. It is a hash table because it is queried for every row.
struct KnownEvents {
    /// What a row is looked up by.
    struct Key: Equatable {
        /// Microseconds since 1970, or milliseconds, rounded down.
        let time: Int64
        /// The index of the set of babies.
        let babies: Int32
        /// The type of a diaper change; 0 for feeds.
        let type: UInt8
        /// Whether the time is in microseconds.
        let isExact: Bool

        init(microseconds: Int64, isExact: Bool, babies: Int32, type: UInt8) {
            time = isExact ? microseconds : Self.millisecond(microseconds)
            self.babies = babies
            self.type = type
            self.isExact = isExact
        }

        /// The millisecond that contains a time.
        @inline(__always)
        static func millisecond(_ microseconds: Int64) -> Int64 {
            let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1000)
            return remainder < 0 ? quotient - 1 : quotient
        }

        // The finaliser of SplitMix64 (S. Vigna): keys are consecutive times and must be scattered.
        @inline(__always)
        fileprivate var hash: UInt64 {
            var bits =
                UInt64(bitPattern: time) ^ UInt64(UInt32(bitPattern: babies)) << 40 ^ UInt64(type) << 32
                ^ (isExact ? UInt64(1) << 63 : 0)
            bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
            bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
            return bits ^ bits >> 31
        }
    }

    /// An event in the store, or earlier in the file.
    struct Event {
        let microseconds: Int64
        let type: UInt8
        let baby: BabyDirectory.Place
        let origin: Origin

        enum Origin {
            case store(UUID)
            case row(Int)
        }

        /// Whether it is the one of the two that gains an amount: the earlier one, then that of the baby added
        /// first, then the one that came first.
        fileprivate func precedes(_ other: Event) -> Bool {
            (microseconds, baby.rank) < (other.microseconds, other.baby.rank)
        }
    }

    /// The events that match a key.
    struct Match {
        /// Whether there is any.
        fileprivate(set) var isKnown = false
        /// Whether any of them has an amount.
        fileprivate(set) var hasAmount = false
        /// The index of the first without one, or `none`.
        fileprivate var first = Self.none

        fileprivate static let none: Int32 = -1

        /// The index of the first without one; nil if all have one.
        var lacking: Int? { first == Self.none ? nil : Int(first) }
    }

    private struct Slot {
        var key = Key(microseconds: 0, isExact: false, babies: 0, type: 0)
        var match = Match()
        var isTaken = false
    }

    private var slots: [Slot]
    private let mask: Int
    /// The events that were added and match a registered key.
    private(set) var events: [Event] = []
    /// How many slots have been probed so far.
    private(set) var probes = 0

    /// Reserves room for a number of keys.
    init(capacity: Int) {
        var size = 16
        while size < capacity * 2 { size *= 2 }
        slots = Array(repeating: Slot(), count: size)
        mask = size - 1
    }

    /// Registers a key that will be looked up; there must be room for it.
    mutating func expect(_ key: Key) {
        let index = find(key)
        slots[index].key = key
        slots[index].isTaken = true
    }

    /// The events that match a registered key.
    mutating func match(_ key: Key) -> Match { slots[find(key)].match }

    /// Adds an event.
    ///
    /// - Returns: Whether it matches any registered key.
    @discardableResult
    mutating func add(_ event: Event, lacksAmount: Bool) -> Bool {
        let index = Int32(truncatingIfNeeded: events.count)
        var isAskedFor = false
        forEachSlot(of: event) { slots, slot, known in
            isAskedFor = true
            slots[slot].match.isKnown = true
            guard lacksAmount else {
                slots[slot].match.hasAmount = true
                return
            }
            let first = slots[slot].match.lacking
            if first.map({ event.precedes(known[$0]) }) ?? true { slots[slot].match.first = index }
        }
        if isAskedFor { events.append(event) }
        return isAskedFor
    }

    /// Records that an event has gained an amount.
    mutating func gainAmount(_ index: Int) {
        forEachSlot(of: events[index]) { slots, slot, _ in slots[slot].match.hasAmount = true }
    }

    /// Visits the registered slots whose keys an event matches.
    @inline(__always)
    private mutating func forEachSlot(of event: Event, _ body: (inout [Slot], Int, [Event]) -> Void) {
        for isExact in [false, true] {
            for babies in [event.baby.namesakes, event.baby.exactNamesakes] {
                let index = find(
                    Key(
                        microseconds: event.microseconds, isExact: isExact, babies: babies, type: event.type))
                if slots[index].isTaken { body(&slots, index, events) }
                if event.baby.namesakes == event.baby.exactNamesakes { break }
            }
        }
    }

    /// The slot of a key, or the free one where it belongs.
    ///
    /// At most half of the slots are taken.
    @inline(__always)
    private mutating func find(_ key: Key) -> Int {
        var index = Int(truncatingIfNeeded: key.hash) & mask
        probes &+= 1
        while slots[index].isTaken, slots[index].key != key {
            index = (index + 1) & mask
            probes &+= 1
        }
        return index
    }
}
