import Foundation
import Switchyard
import SwitchyardConformance

/// Compares the history of a store with its rows and with the writers' journals.
struct HistoryAudit {
    private let watch: HistoryWatch
    private let scratch: Scratch
    private let report: Report
    private var token: HistoryToken?
    private var journals: [Int: JournalContents] = [:]
    /// The authors of the transactions that the history has.
    private var authors: Set<String> = []

    /// Begins with a store that no writer with a journal has written to.
    init(_ store: any Store, in scratch: Scratch, report: Report) async throws {
        watch = try await HistoryWatch(store)
        // Another scope's audit can have begun the history before this scope was filled.
        token = try await store.read { try $0.historyToken() }
        self.scratch = scratch
        self.report = report
    }

    /// Looks at what has come since the last look.
    ///
    /// - Parameters:
    ///   - workers: Those that have ended since then; a server may still be committing their last writes.
    ///   - store: The store.
    /// - Throws: What reading throws.
    mutating func look(after workers: Range<Int>, at store: any Store) async throws {
        for worker in workers {
            let journal = try JournalContents(path: scratch.journal(worker))
            for violation in journal.violations { report.violation("worker \(worker): \(violation)") }
            if !journal.begun.isEmpty { report.count("workers that wrote") }
            journals[worker] = journal
        }
        let news = try await store.read { [token] tx in try tx.history(after: token) }
        token = news.last?.token ?? token
        for transaction in news {
            let author = transaction.author ?? "nobody"
            if !authors.insert(author).inserted { report.violation("\(author) is in the history twice") }
            let words = author.split(separator: "/").compactMap { Int($0) }
            guard words.count == 2, journals[words[0]]?.begun.contains(words[1]) == true else {
                report.violation("\(author) is in the history and was never begun")
                continue
            }
            if journals[words[0]]?.outcomes[words[1]] == .failed {
                report.violation("\(author) is in the history and has failed")
            }
            report.count("changes", transaction.changes.count)
        }
        for worker in workers {
            for (number, outcome) in journals[worker]?.outcomes ?? [:] {
                report.count("transactions \(outcome.rawValue)")
                if outcome == .done, !authors.contains(Shelve.author(worker, number)) {
                    report.violation("\(worker)/\(number) was done and is not in the history")
                }
            }
        }
        let changes = try await watch.changes(in: store, undoing: false)
        if changes.hasPrefix(HistoryWatch.fault) { report.violation(String(changes.prefix(600))) }
        report.count("audits")
    }
}
