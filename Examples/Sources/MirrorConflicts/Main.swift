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
        ("Edits of one row", Case.edits), ("Rows that are deleted", Case.deletes),
        ("Unique keys and values", Case.keys), ("Devices and servers", Case.devices),
    ]

    static func main() async {
        var (count, failed) = (0, 0)
        for (chapter, cases) in chapters {
            print("# \(chapter)")
            for item in cases {
                print("\n\(item.title)")
                fflush(nil)
                count += 1
                do {
                    let household = try Household()
                    try await item.run(household)
                    guard household.faults.isEmpty else {
                        failed += 1
                        for fault in household.faults { say("FAULT", fault) }
                        continue
                    }
                } catch {
                    failed += 1
                    say("FAULT", "\(error)")
                }
            }
            print()
        }
        print("\(count) cases, \(failed == 0 ? "all as stated" : "\(failed) not as stated").")
        if failed > 0 { exit(1) }
    }
}
