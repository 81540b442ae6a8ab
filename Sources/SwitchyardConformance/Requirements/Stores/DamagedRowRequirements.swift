internal import Switchyard

/// Requirement V15 for damage met by a query that does not fetch whole rows: it is reported all the same.
enum DamagedRowRequirements {
    static let all: [Requirement] = [
        Requirement("V15+part", "damage met by one attribute, a group or an extreme names attribute and row")
        {
            contract in
            let faults: [(PlantedFault, String)] = [
                (.wideInteger(entity: "Specimen", attribute: "small"), "small"),
                (.unknownCase(entity: "Specimen", attribute: "certainty"), "certainty"),
            ]
            for (fault, attribute) in faults {
                let store = try await contract.makeStore()
                let id = Specimen.ID(BatchSpecimen.id(1))
                try await store.write { _ = try $0.insert(Specimen(id: id, small: 1, certainty: .low)) }
                guard try await contract.plant(fault, in: store) else { continue }
                for (what, read) in Self.reads(attribute) {
                    let error = try await contract.expectError(.corrupted, "\(what) after \(fault)") {
                        try await store.read { try read($0) }
                    }
                    try contract.expectEqual(error.entity, "Specimen", "the entity of the error of \(what)")
                    try contract.expectEqual(
                        error.attribute, attribute, "the attribute of the error of \(what)")
                    try contract.expect(
                        error.description.contains(id.description), "the error of \(what) after \(fault)",
                        expected: "the row's id \(id)", found: error.description)
                }
            }
        }
    ]

    private typealias Read = @Sendable (ReadTransaction) throws -> Void

    private static func reads(_ attribute: String) -> [(String, Read)] {
        if attribute == "small" {
            return [
                ("a fetch of one attribute", { _ = try $0.fetch(Specimen.all, \.small) }),
                ("a group", { _ = try $0.aggregate(Specimen.all, by: .attribute(\.small), figures: .count) }),
                ("an extreme", { _ = try $0.aggregate(Specimen.all, .maximum(\.small)) }),
            ]
        }
        return [
            ("a fetch of one attribute", { _ = try $0.fetch(Specimen.all, \.certainty) }),
            ("a fetch of three attributes", { _ = try $0.fetch(Specimen.all, \.whole, \.text, \.certainty) }),
            ("a group", { _ = try $0.aggregate(Specimen.all, by: .attribute(\.certainty), figures: .count) }),
            ("an extreme", { _ = try $0.aggregate(Specimen.all, .minimum(\.certainty)) }),
        ]
    }
}
