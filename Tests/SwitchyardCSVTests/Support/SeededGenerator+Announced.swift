import Foundation
import SwitchyardConformance

extension SeededGenerator {
    /// A generator with the seed that `SWITCHYARD_TEST_SEED` gives, or with a new one; prints it either way.
    static func announced(_ test: String) -> (SeededGenerator, seed: UInt64) {
        let given = ProcessInfo.processInfo.environment["SWITCHYARD_TEST_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: .min ... .max)
        print("\(test): SWITCHYARD_TEST_SEED=\(seed)")
        return (SeededGenerator(seed: seed), seed)
    }
}
