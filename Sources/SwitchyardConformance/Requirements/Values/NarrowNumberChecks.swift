internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Rows of specimens without their Swift type.
enum SpecimenRow {
    /// The values of a new specimen, with some replaced.
    static func make(_ values: [String: StoredValue]) throws -> [StoredValue] {
        try ContractSchema.schema.require("Specimen").attributes.map { attribute in
            if attribute.name == "id" { return .uuid(UUID()) }
            return values[attribute.name] ?? attribute.defaultValue ?? .null
        }
    }
}

/// Requirements V5 and V6 for attributes whose Swift type is narrower than their column: no write can store
/// a value that cannot be read back.
enum NarrowNumberChecks {
    static func integers(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let specimen = try await store.write { tx in
            try tx.insert(Specimen(whole: 1, small: 100, otherWhole: 128, octet: 255))
        }
        for (attribute, values) in [
            ("small", [StoredValue.int(-129), .int(128), .int(.max)]), ("octet", [.int(-1), .int(256)]),
        ] {
            for value in values {
                try await refused(contract, store, attribute, row: [attribute: value])
                try await refused(contract, store, attribute, to: .value(value))
            }
        }
        let small = Operand.attribute("small")
        try await refused(contract, store, "small", to: .arithmetic(small, .add, .value(.int(200))))
        try await refused(contract, store, "small", to: .arithmetic(small, .multiply, .value(.int(-2))))
        try await refused(contract, store, "small", to: .attribute("otherWhole"))
        try await refused(
            contract, store, "octet", to: .arithmetic(.attribute("octet"), .add, .value(.int(1))))
        let unchanged = try await store.read { try $0.fetch(Specimen.all) }
        try contract.expectEqual(unchanged.map(\.id), [specimen.id], "the rows afterwards")
        try contract.expectEqual(unchanged.map(\.small), [100], "a narrow integer afterwards")
        try contract.expectEqual(unchanged.map(\.octet), [255], "an unsigned integer afterwards")

        let row = try SpecimenRow.make(["small": .int(-128), "octet": .int(0)])
        try await store.write { tx in
            try tx.insertRows(into: "Specimen", [row])
            try tx.updateRows(
                of: "Specimen",
                set: [Assignment(attribute: "small", value: .arithmetic(small, .add, .value(.int(27))))],
                where: .constant(true))
        }
        let ends = try await store.read { try $0.fetch(Specimen.sorted(by: \.small)).map(\.small) }
        try contract.expectEqual(ends, [-101, 127], "narrow integers within their range")

        let fault = PlantedFault.wideInteger(entity: "Specimen", attribute: "small")
        if try await contract.plant(fault, in: store) {
            let error = try await contract.expectError(.corrupted, "an integer too wide for its attribute") {
                try await store.read { try $0.fetch(Specimen.all) }
            }
            try contract.expectEqual(error.attribute, "small", "the attribute of the error")
        }
    }

    static func singlePrecision(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        // The limits of normal and subnormal single precision, and numbers of 24 bits.
        let exact: [Double] = [
            -.infinity, -0x1.fffffep127, -0x1p-149, 0, 0x1p-149, 0x1.fffffcp-127, 0x1p-126, 0.5, 16_777_215,
            0x1.fffffep127, .infinity,
        ]
        for (index, value) in exact.enumerated() {
            let row = try SpecimenRow.make(["real": .double(value), "whole": .int(Int64(index))])
            try await store.write { tx in
                try tx.insertRows(into: "Specimen", [row])
                try tx.updateRows(
                    of: "Specimen", set: [Assignment(attribute: "ratio", value: .attribute("real"))],
                    where: .constant(true))
            }
        }
        let ratios = try await store.read { tx in
            try tx.fetch(Specimen.sorted(by: \.whole)).compactMap { $0.ratio.map(Double.init) }
        }
        try contract.expectEqual(ratios, exact, "numbers of single precision")
        // In single precision, each of these is rounded or out of range.
        let inexact: [Double] = [
            0.1, 16_777_217, -33_554_433, 1e300, 0x1p128, -0x1.ffffff8p127, 0x1.fffffep127.nextUp, 0x1p-150,
            0x1.8p-149, 0x1.fffffep-127, (0x1p-126).nextDown, .leastNonzeroMagnitude,
        ]
        try await store.write { _ = try $0.delete(Specimen.all) }
        for value in inexact {
            let specimen = try await store.write { try $0.insert(Specimen(real: value, ratio: 0.5)) }
            try await refused(contract, store, "ratio", row: ["ratio": .double(value)])
            try await refused(contract, store, "ratio", to: .value(.double(value)))
            try await refused(contract, store, "ratio", to: .attribute("real"))
            let found = try await store.read { try $0.find(specimen.id)?.ratio }
            try contract.expectEqual(found, 0.5, "the number afterwards")
            try await store.write { _ = try $0.delete(Specimen.all) }
        }
    }

    private static func refused(
        _ contract: Contract, _ store: any Store, _ attribute: String, row values: [String: StoredValue]
    ) async throws {
        let row = try SpecimenRow.make(values)
        let error = try await contract.expectError(.check, "\(values) in a new row") {
            try await store.write { try $0.insertRows(into: "Specimen", [row]) }
        }
        try contract.expectEqual(error.attribute, attribute, "the attribute of the error")
    }

    private static func refused(
        _ contract: Contract, _ store: any Store, _ attribute: String, to value: Operand
    ) async throws {
        let error = try await contract.expectError(.check, "\(attribute) set to \(value)") {
            try await store.write { tx in
                try tx.updateRows(
                    of: "Specimen", set: [Assignment(attribute: attribute, value: value)],
                    where: .constant(true))
            }
        }
        try contract.expectEqual(error.attribute, attribute, "the attribute of the error")
    }
}
