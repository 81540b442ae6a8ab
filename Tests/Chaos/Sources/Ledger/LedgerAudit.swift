import Switchyard

/// Compares a store with the writers' journals.
struct LedgerAudit {
    let journals: [Int: JournalContents]
    let report: Report

    /// Reads the journals of workers, and takes over what they report.
    init(workers: some Sequence<Int>, in scratch: Scratch, report: Report) throws {
        var journals: [Int: JournalContents] = [:]
        for worker in workers { journals[worker] = try JournalContents(path: scratch.journal(worker)) }
        self.journals = journals
        self.report = report
    }

    /// Counts what the workers did, and reports what they themselves found wrong.
    func countWork() {
        for (worker, journal) in journals {
            for outcome in journal.outcomes.values { report.count("posts \(outcome.rawValue)") }
            for (code, count) in journal.codes { report.count("errors \(code)", count) }
            report.count("refusals", journal.refusals)
            for violation in journal.violations { report.violation("worker \(worker): \(violation)") }
        }
    }

    /// Looks for posts that are lost, doubled or should not be there, and for balances that are not the
    /// number of posts.
    func verify(_ store: any Store) async throws {
        let posts = try await store.read { try $0.fetch(Post.all) }
        var found: [Int: Set<Int>] = [:]
        for post in posts where !found[post.worker, default: []].insert(post.number).inserted {
            report.violation("post \(post.number) of worker \(post.worker) is there twice")
        }
        for (worker, journal) in journals {
            let there = found[worker, default: []]
            for (number, outcome) in journal.outcomes {
                switch outcome {
                case .done, .committed:
                    if !there.contains(number) {
                        report.violation("post \(number) of worker \(worker) was \(outcome) and is lost")
                    }
                case .failed, .absent:
                    if there.contains(number) {
                        report.violation("post \(number) of worker \(worker) was \(outcome) and is there")
                    }
                case .unsettled: break
                }
            }
            for number in there.subtracting(journal.begun) {
                report.violation("post \(number) of worker \(worker) is there and was never begun")
            }
        }
        for wrong in try await store.read({ try Ledger.wrongBalances(in: $0) }) { report.violation(wrong) }
        for fault in try await store.check() { report.violation("check: \(fault)") }
        report.count("audits")
    }
}

/// The rows of a ledger, and questions about them.
enum Ledger {
    /// Makes a store with posts of nobody's, which an audit counts.
    static func fill(_ url: String, rows: Int) async throws {
        let store = try await Backends.open(url)
        try await store.write { tx in
            guard rows > 0 else { return }
            let account = try tx.insert(Account(number: 0, balance: rows))
            try tx.insert(
                contentsOf: (0..<rows).lazy.map {
                    Post(account: account.id, worker: -1, number: $0, text: "")
                })
        }
        try await store.close()
    }

    /// Accounts whose balance is not the number of their posts, in a sentence each.
    static func wrongBalances(in transaction: ReadTransaction) throws -> [String] {
        let posts = Dictionary(grouping: try transaction.fetch(Post.all), by: \.account)
        return try transaction.fetch(Account.all).compactMap { account in
            let count = posts[account.id, default: []].count
            return account.balance == count
                ? nil : "account \(account.number) has the balance \(account.balance) and \(count) posts"
        }
    }
}
