/// Random numbers that are the same everywhere for the same seed: SplitMix64, as Vigna published it.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// Starts a sequence of its own for each combination of numbers.
    init(_ numbers: UInt64...) {
        state = 0
        for number in numbers { state = next() ^ number }
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }

    /// A whole number below a bound, every one about as likely: the standard library's own ways of drawing
    /// may change between releases.
    mutating func below(_ bound: Int) -> Int {
        Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
    }
}
