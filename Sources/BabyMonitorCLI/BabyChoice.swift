import BabyMonitor
import Switchyard

extension Session {
    /// The baby that a person means: by id, by name without regard to case and accents, or by the beginning
    /// of a name that no other baby shares.
    ///
    /// - Throws: `BabyMonitorError` with code `babyNotFound` or `ambiguousName`, listing the names.
    func baby(_ text: String) async throws -> BabyProfile {
        let babies = try await dashboard.babies()
        if let id = BabyProfile.ID(text), let baby = babies.first(where: { $0.id == id }) { return baby }
        let wanted = SearchFolding.fold(text)
        let exact = babies.filter { SearchFolding.fold($0.name) == wanted }
        let found = exact.isEmpty ? babies.filter { SearchFolding.fold($0.name).hasPrefix(wanted) } : exact
        if found.count == 1 { return found[0] }
        if found.isEmpty {
            let names =
                babies.isEmpty
                ? "There are no babies yet; add one with: babymonitor baby add NAME"
                : "There are: \(babies.map(\.name).joined(separator: ", "))"
            throw BabyMonitorError(.babyNotFound, "There is no baby `\(text)`. \(names).")
        }
        let choices = found.map { "\($0.name) (\($0.id))" }.joined(separator: ", ")
        throw BabyMonitorError(
            .ambiguousName, "Several babies answer to `\(text)`: \(choices). Give the id of one.")
    }
}
