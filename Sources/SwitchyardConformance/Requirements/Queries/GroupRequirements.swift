internal import SwitchyardConformanceKit

/// Requirements Q+groups, Q+clock, Q+calendar and Q+parts: groups by what references lead to, and by the parts of a time on the
/// clock of a zone.
enum GroupRequirements {
    static let all: [Requirement] = [
        Requirement("Q+groups", "groups by what a reference leads to have merged figures") { contract in
            try await GroupChecks.figures(contract, try await RelatedRequirements.sightings(contract))
        },
        Requirement("Q+clock", "the days and hours of a zone follow its changes of clocks") { contract in
            try await GroupChecks.clocks(contract)
        },
        Requirement("Q+calendar", "weeks, months and years are those of the zone's days") {
            contract in
            try await GroupChecks.calendar(contract)
        },
        Requirement("Q+parts", "a part of the calendar can be that of a row behind a reference") { contract in
            try await GroupChecks.partsBehindReferences(contract)
        },
    ]
}
