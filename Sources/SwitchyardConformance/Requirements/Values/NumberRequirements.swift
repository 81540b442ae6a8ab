internal import Foundation
internal import Switchyard

/// Requirements V5 to V8: integers, doubles, decimals, booleans.
enum NumberRequirements {
    static let all: [Requirement] = [
        Requirement("V5", "integers are 64 bits, narrower ones checked when written and when read") {
            contract in
            let store = try await contract.makeStore()
            let extremes = [Int.min, -1, 0, 1, Int.max]
            try await store.write { tx in
                try tx.insert(contentsOf: extremes.map { Specimen(whole: $0, small: -128) })
            }
            let sorted = try await store.read { try $0.fetch(Specimen.sorted(by: \.whole)) }
            try contract.expectEqual(sorted.map(\.whole), extremes, "the extremes of an integer")
            try contract.expectEqual(sorted.map(\.small), [-128, -128, -128, -128, -128], "a narrow integer")
            try await NarrowNumberChecks.integers(contract)
        },
        Requirement("V6", "doubles keep their bits, NaN is refused, -0 becomes 0") { contract in
            let doubles = [
                -Double.infinity, -Double.greatestFiniteMagnitude, -1.5, Double.leastNonzeroMagnitude, 0.1,
                1e300,
                Double.greatestFiniteMagnitude, Double.infinity,
            ]
            let store = try await contract.makeStore()
            try await store.write { tx in try tx.insert(contentsOf: doubles.map { Specimen(real: $0) }) }
            let sorted = try await store.read {
                try $0.fetch(Specimen.sorted(by: \.real)).map(\.real.bitPattern)
            }
            try contract.expectEqual(sorted, doubles.map(\.bitPattern), "the bits of doubles")
            try await contract.expectError(.valueNotRepresentable, "a double that is not a number") {
                try await store.write { try $0.insert(Specimen(real: .nan)) }
            }
            let (inserted, fetched) = try await contract.roundTrip(Specimen(real: -0.0))
            try contract.expectEqual(inserted.real.sign, .plus, "the sign of -0 as inserted")
            try contract.expectEqual(fetched.real.sign, .plus, "the sign of -0 as fetched")
            try await NarrowNumberChecks.singlePrecision(contract)
        },
        Requirement("V7", "decimals are exact to 38 digits and compare by number") { contract in
            let texts = [
                "-12345678901234567890123456789012345678", "-0.5", "0",
                "0.0000000000000000000000000000000000001", "0.1",
                "9", "10", "10.25", "99999999999999999999999999999999999999",
            ]
            let decimals = texts.compactMap { Decimal(string: $0) }
            let store = try await contract.makeStore()
            try await store.write { tx in
                try tx.insert(contentsOf: decimals.reversed().map { Specimen(amount: $0) })
            }
            let sorted = try await store.read { tx in
                try tx.fetch(Specimen.sorted(by: \.amount)).map { $0.amount?.description ?? "nil" }
            }
            try contract.expectEqual(sorted, texts, "decimals in order of number")
            let ten = Decimal(string: "10.250")
            let equal = try await store.read { tx in
                try tx.count(Specimen.where(#Predicate { $0.amount == ten }))
            }
            try contract.expectEqual(equal, 1, "rows equal to 10.250")
            let nine = Decimal(9)
            let above = try await store.read { tx in
                try tx.count(Specimen.where(#Predicate { $0.amount.flatMap { $0 > nine } ?? false }))
            }
            try contract.expectEqual(above, 3, "rows above 9")
            try await contract.expectError(.valueNotRepresentable, "a decimal of 39 digits") {
                try await store.write { tx in
                    try tx.insert(
                        Specimen(amount: Decimal(string: "100000000000000000000000000000000000000")))
                }
            }
        },
        Requirement("V8", "a boolean is true or false, and a stored 2 is corruption") { contract in
            let store = try await contract.makeStore()
            try await store.write {
                try $0.insert(contentsOf: [Specimen(flag: true), Specimen(flag: false)])
            }
            let sorted = try await store.read { try $0.fetch(Specimen.sorted(by: \.flag)).map(\.flag) }
            try contract.expectEqual(sorted, [false, true], "booleans in order")
            let fault = PlantedFault.integerTwo(entity: "Specimen", attribute: "flag")
            if try await contract.plant(fault, in: store) {
                let error = try await contract.expectError(.corrupted, "a stored 2") {
                    try await store.read { try $0.fetch(Specimen.all) }
                }
                try contract.expectEqual(error.attribute, "flag", "the attribute of the error")
            }
        },
    ]
}
