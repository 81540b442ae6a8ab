import Foundation

/// What happens when two devices change the same thing without having seen each other.
struct Case: Sendable {
    let title: String
    let run: @Sendable (Household) async throws -> Void

    init(_ title: String, _ run: @escaping @Sendable (Household) async throws -> Void) {
        (self.title, self.run) = (title, run)
    }
}

@main
enum MirrorConflicts {
    private static let chapters = [
        (name: "edits", title: "Edits of one row", cases: Case.edits),
        (name: "deletes", title: "Rows that are deleted", cases: Case.deletes),
        (name: "keys", title: "Unique keys and values", cases: Case.keys),
        (name: "devices", title: "Devices and servers", cases: Case.devices),
    ]

    /// Runs the chapters that are named, or all of them.
    static func main() async {
        let names = CommandLine.arguments.dropFirst()
        if let unknown = names.first(where: { name in !chapters.contains { $0.name == name } }) {
            print(
                "There is no chapter \(unknown); there are \(chapters.map(\.name).joined(separator: ", ")).")
            exit(2)
        }
        var (count, failed) = (0, 0)
        for chapter in chapters where names.isEmpty || names.contains(chapter.name) {
            print("# \(chapter.title)")
            for item in chapter.cases {
                print("\n\(item.title)")
                fflush(nil)
                count += 1
                if await !isAsStated(item) { failed += 1 }
            }
            print()
        }
        print("\(count) cases, \(failed == 0 ? "all as stated" : "\(failed) not as stated").")
        if failed > 0 { exit(1) }
    }

    private static func isAsStated(_ item: Case) async -> Bool {
        do {
            let household = try Household()
            try await item.run(household)
            for fault in household.faults { say("FAULT", fault) }
            return household.faults.isEmpty
        } catch {
            say("FAULT", "\(error)")
            return false
        }
    }
}
