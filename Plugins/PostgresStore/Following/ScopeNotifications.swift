internal import Foundation
internal import SwitchyardCore
internal import SwitchyardSQL

/// Notifications by which the processes that serve a store with scopes tell each other of commits.
///
/// A notification makes all transactions that send one wait for each other while they commit, so those of the rows send none: it
/// has a transaction of its own, which does not wait for the disk. Every login of the database can listen, and learns no more
/// than how often somebody commits.
struct ScopeNotifications: ScopeChannel {
    /// The name of the channel.
    let name: String
    /// By what a process recognizes its own notifications.
    private let sender = String(UInt64.random(in: .min ... .max), radix: 16)
    private let pool: ConnectionPool

    /// A notification has less than 8,000 bytes.
    private static let most = 400

    init(storeID: UUID, _ pool: ConnectionPool) {
        name = "switchyard_scopes_" + storeID.uuidString.lowercased().replacing("-", with: "")
        self.pool = pool
    }

    func tell(of scopes: Set<StoreScope>) async throws {
        let marks = scopes.map { ScopeMark($0).text }
        for start in stride(from: 0, to: marks.count, by: Self.most) {
            let text = ([sender] + marks[start..<min(start + Self.most, marks.count)]).joined(separator: " ")
            try await pool.run { [name] session in
                try session.begin(.snapshot)
                try session.command("SET LOCAL synchronous_commit TO off")
                try session.commit(
                    with: SQLStatement(
                        text: "SELECT pg_catalog.pg_notify($1, $2)",
                        parameters: [.value(.text(name), .text), .value(.text(text), .text)]))
            }
        }
    }

    func listen(
        _ body: @escaping @Sendable (Set<ScopeMark>) -> Void
    ) async throws -> any Sendable & AnyObject {
        try await CommitListener("LISTEN \"\(name)\"", pool) { [sender] texts in
            var marks: Set<ScopeMark> = []
            for text in texts ?? [] {
                let words = text.split(separator: " ")
                guard words.first != sender[...] else { continue }
                marks.formUnion(words.dropFirst().compactMap { ScopeMark($0) })
            }
            if !marks.isEmpty { body(marks) }
        }
    }
}
