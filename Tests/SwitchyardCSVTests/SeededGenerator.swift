import Foundation

/// A generator whose numbers follow from its seed: SplitMix64 (Steele, Lea and Flood, 2014).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// A generator with the seed that `SWITCHYARD_TEST_SEED` gives, or with a new one; prints it either way.
    static func announced(_ test: String) -> (SeededGenerator, seed: UInt64) {
        let given = ProcessInfo.processInfo.environment["SWITCHYARD_TEST_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: .min ... .max)
        print("\(test): SWITCHYARD_TEST_SEED=\(seed)")
        return (SeededGenerator(seed: seed), seed)
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
