internal import Foundation
internal import Switchyard

/// Requirement V9 for times that cannot be stored but can be used in comparisons, such as
/// `Date.distantPast`.
enum TimeChecks {
    static func verify(_ contract: Contract) async throws {
        let first = Date(timeIntervalSince1970: -62_135_596_800.0)
        let last = Date(timeIntervalSince1970: 253_402_300_799.0)
        let (past, future) = (Date.distantPast, Date(timeIntervalSince1970: 253_402_300_800.0))
        let store = try await contract.makeStore()
        try await store.write { tx in
            try tx.insert(contentsOf: [
                Specimen(whole: 1, moment: first), Specimen(whole: 2, moment: last), Specimen(whole: 3),
            ])
        }
        func wholes(_ predicate: Predicate<Specimen>) async throws -> [Int] {
            try await store.read { try $0.fetch(Specimen.where(predicate).sorted(by: \.whole), \.whole) }
        }
        let range = past..<future
        try contract.expectEqual(
            try await wholes(#Predicate { $0.moment.flatMap { range.contains($0) } ?? false }), [1, 2],
            "times in an open range")
        try contract.expectEqual(
            try await wholes(#Predicate { $0.moment.flatMap { $0 <= past } ?? false }), [],
            "times up to one before year 1")
        try contract.expectEqual(
            try await wholes(#Predicate { ($0.moment ?? past) < first }), [3],
            "rows without a time, compared as one before year 1")
        try contract.expectEqual(
            try await wholes(#Predicate { ($0.moment ?? future) > last }), [3],
            "rows without a time, compared as one after year 9999")
        try contract.expectEqual(
            try await wholes(#Predicate { $0.moment == past }), [], "rows of a time before year 1")
        try contract.expectEqual(
            try await wholes(#Predicate { $0.moment != future }), [1, 2, 3], "rows of other times than one")
    }
}
