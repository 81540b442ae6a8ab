internal import Foundation
public import Switchyard

/// Migrates stores of the app's earlier releases to today's schema.
public enum BabyMonitorPlan: SchemaMigrationPlan {
    /// The eight versions that were released.
    public static let schemas: [any VersionedSchema.Type] = [
        BabyMonitorSchema1.self, BabyMonitorSchema2.self, BabyMonitorSchema3.self, BabyMonitorSchema4.self,
        BabyMonitorSchema5.self, BabyMonitorSchema6.self, BabyMonitorSchema7.self, BabyMonitorSchema.self,
    ]

    /// The stages, with what a comparison of their versions cannot tell.
    ///
    /// Babies from before version 5 have no creation time. They all get the same one, on every device.
    public static var stages: [MigrationStage] {
        [
            .lightweight(fromVersion: BabyMonitorSchema1.self, toVersion: BabyMonitorSchema2.self),
            .lightweight(fromVersion: BabyMonitorSchema2.self, toVersion: BabyMonitorSchema3.self),
            .lightweight(fromVersion: BabyMonitorSchema3.self, toVersion: BabyMonitorSchema4.self),
            .lightweight(
                fromVersion: BabyMonitorSchema4.self, toVersion: BabyMonitorSchema5.self,
                .drop(\BabyMonitorSchema4.BabyProfile.lastFeedAmountValue),
                .drop(\BabyMonitorSchema4.BabyProfile.lastFeedAmountUnitSymbol),
                .fill(\BabyMonitorSchema5.BabyProfile.createdAt, with: Date(timeIntervalSince1970: 0))),
            .lightweight(fromVersion: BabyMonitorSchema5.self, toVersion: BabyMonitorSchema6.self),
            .custom(
                fromVersion: BabyMonitorSchema6.self, toVersion: BabyMonitorSchema7.self,
                .rewrite(BabyMonitorSchema7.CustomEvent.self)
            ) { old, new in try copyTypes(old, new) },
            .lightweight(fromVersion: BabyMonitorSchema7.self, toVersion: BabyMonitorSchema.self),
        ]
    }

    /// Gives each event the name and emoji of its type, or empty ones if the type was removed.
    private static func copyTypes(_ old: ReadTransaction, _ new: WriteTransaction) throws {
        let types = Dictionary(
            uniqueKeysWithValues: try old.fetch(BabyMonitorSchema6.CustomEventType.all).map { ($0.id, $0) })
        var last: PageCursor?
        repeat {
            let page = try old.page(BabyMonitorSchema6.CustomEvent.all, size: 256, after: last)
            try new.insert(
                contentsOf: page.items.map { event in
                    let type = event.type.flatMap { types[$0] }
                    return BabyMonitorSchema7.CustomEvent(
                        id: .init(event.id.uuid), timestamp: event.timestamp,
                        eventTypeName: type?.name ?? "", eventTypeEmoji: type?.emoji ?? "",
                        memoText: event.memoText, profile: event.profile.map { .init($0.uuid) })
                })
            last = page.next
        } while last != nil
    }
}
