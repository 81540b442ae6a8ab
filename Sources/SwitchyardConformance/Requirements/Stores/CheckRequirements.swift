internal import Switchyard

/// What `check()` reports about faults planted in a store.
enum CheckRequirements {
    static let all: [Requirement] = [
        Requirement("S+faults", "a check names entity and attribute of every fault") { contract in
            let faults: [(PlantedFault, String, String)] = [
                (.text(entity: "Specimen", attribute: "whole"), "Specimen", "whole"),
                (.integerTwo(entity: "Specimen", attribute: "flag"), "Specimen", "flag"),
                (.wideInteger(entity: "Specimen", attribute: "small"), "Specimen", "small"),
                (.unknownCase(entity: "Specimen", attribute: "certainty"), "Specimen", "certainty"),
                (.invalidUTF8(entity: "Specimen", attribute: "text"), "Specimen", "text"),
                (.wideInteger(entity: "Alias", attribute: "size"), "Alias", "size"),
                (.invalidUTF8(entity: "Alias", attribute: "meaning"), "Alias", "meaning"),
            ]
            for (fault, entity, attribute) in faults {
                try await check(contract, fault, entity, attribute)
            }
            let store = try await contract.makeStore()
            if try await contract.plant(.furtherColumn(entity: "Ticket"), in: store) {
                try contract.expectEqual(
                    try await store.check(), [], "what the check finds where a table has a column more")
            }
        }
    ]

    private static func check(
        _ contract: Contract, _ fault: PlantedFault, _ entity: String, _ attribute: String
    ) async throws {
        let store = try await contract.makeStore()
        try await store.write { tx in
            _ = try tx.insert(contentsOf: (0..<3).map { BatchSpecimen.make($0 * 7 + 2) })
            _ = try tx.insert(Alias(word: "w", meaning: "m"))
            _ = try tx.insert(Ticket(number: 1))
        }
        try contract.expectEqual(try await store.check(), [], "what the check finds before \(fault)")
        guard try await contract.plant(fault, in: store) else { return }
        let found = try await store.check()
        try contract.expect(
            found.contains { $0.contains(entity) && $0.contains(attribute) },
            "what the check finds after \(fault)",
            expected: "a sentence with \(entity) and \(attribute)", found: "\(found)")
        try contract.expect(
            !found.contains { $0.contains("Ticket") }, "what the check finds after \(fault)",
            expected: "no word of other entities", found: "\(found)")
    }
}
