import Foundation
import MemoryStore
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import TestBackends
import Testing

@testable import KeepTrack

@Suite("The app's stores of three versions")
struct MatrixTests {
    /// The time of the stages, which the reference must share.
    private static let now = Date(timeIntervalSince1970: 1_764_000_000)

    /// The seed chooses the entity that has no row in some stores, which must not be the settings.
    private static let matrix = Result {
        try KeepTrackPlan.$now.withValue({ now }) {
            try MigrationMatrix(
                KeepTrackPlan.self, seed: 13, values: value,
                reference: { MemoryStore.opener() }, expecting: expect)
        }
    }

    @Test(
        "the app's stores of each of three versions migrate to every later one",
        arguments: KeepTrackPlan.schemas.map { $0.version })
    func matrix(from version: SchemaVersion) async throws {
        try await Self.matrix.get().verify(from: version, on: TestBackend.available.map(\.ofMatrix))
    }

    /// Lists of times are JSON, and one row of settings is the app's.
    private static func value(_ entity: Entity, _ attribute: Attribute, _ number: Int) -> StoredValue? {
        switch (entity.name, attribute.name) {
        case ("Goal", "dates"): .json(number.isMultiple(of: 4) ? "[]" : "[700000000,700043200.5]")
        case ("AppSettings", "id"): number == 0 ? .uuid(KeepTrackV2.AppSettings.ID.ofApp.uuid) : nil
        case ("AppSettings", "createdAt"): .timestamp(Int64(number + 1) * 1_000_000)
        case ("AppSettings", "updatedAt"): .timestamp(Int64(number + 2) * 1_000_000)
        default: nil
        }
    }

    /// What must come out, whatever a reference makes of it.
    private static func expect(_ before: SchemaRows, _ after: SchemaRows) throws {
        let (from, to) = (before.schema.version.major, after.schema.version.major)
        for (entity, attributes) in [
            ("Entry", ["date", "units", "amount", "name", "goalMet"]),
            ("IntakeType", ["name", "unit", "amount", "descrip", "frequency"]),
            (
                "Goal",
                [
                    "name", "description", "dates", "isActive", "isCompleted", "dosage", "units",
                    "frequency",
                ]
            ),
        ] {
            for attribute in attributes {
                try after.expect(entity, attribute, before.values(entity, attribute))
            }
        }
        try after.expect("AppSettings", has: "iCloudAvailable", to == 2)
        let app = KeepTrackV2.AppSettings.ID.ofApp.uuid
        func settings(_ attribute: String, _ value: StoredValue?) throws {
            try after.expect("AppSettings", attribute, [app: value ?? .null])
        }
        let imported = ["importedEntries", "importedTypes", "importedGoals"]
        if from == 0 {
            // The store had rows, so that no file was looked at.
            try settings("createdAt", .timestamp(1_764_000_000_000_000))
            try settings("files", .text("skipped"))
            for attribute in imported { try settings(attribute, .int(0)) }
        } else {
            // Only the app's row is carried over.
            for attribute in ["createdAt", "files"] + imported {
                try settings(attribute, before.values("AppSettings", attribute)[app])
            }
        }
        try settings("updatedAt", .timestamp(1_764_000_000_000_000))
        if to == 2 {
            for attribute in ["iCloudAvailable", "cloudKitAvailable", "documentsAccessible"] {
                try settings(attribute, .bool(false))
            }
            try settings("lastPermissionCheck", .null)
        }
    }
}
