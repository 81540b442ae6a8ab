/// A random number generator with the same output everywhere for the same seed: Vigna's SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// Starts a separate sequence for each combination of numbers.
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

    /// A whole number below a bound, with almost uniform probability; not the standard library's method, which may
    /// change between releases.
    mutating func below(_ bound: Int) -> Int {
        Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
    }
}
