internal import Foundation
internal import SwitchyardCore

/// A read to repeat on the new store.
struct RehearsedRead: Sendable {
    /// The identity of the switch.
    let switching: UUID
    /// The location of the new store.
    let peer: String
    /// The position in the history of the answers.
    let token: HistoryToken
    let answers: [Answer]
}

/// The new store of a rehearsal, as an app asks it.
actor RehearsalCopy {
    /// The pauses, in milliseconds, between attempts to get answers of the same moment.
    private static let pauses = [0, 5, 10, 20, 40, 80, 160, 320].map { Duration.milliseconds($0) }

    private let place: @Sendable (String) async throws -> StorePlace
    private var opened: (switching: UUID, store: any Store)?
    /// The rehearsal that is under way.
    private var switching: UUID?
    /// The findings that are not yet recorded in the new store.
    private var findings = RehearsalFindings()

    /// Prepares for a rehearsal.
    ///
    /// - Parameter place: Makes a place of the location of the new store.
    init(_ place: @escaping @Sendable (String) async throws -> StorePlace) { self.place = place }

    /// Asks the new store what the old one was asked, and notes there whether it has answered the same.
    ///
    /// - Throws: What opening, reading and writing the new store throw.
    func compare(_ read: RehearsedRead, of old: any Store, _ options: ReadOptions) async throws {
        if switching != read.switching { (switching, findings) = (read.switching, RehearsalFindings()) }
        findings.skipped += 1
        let copy = try await copy(of: read)
        if let differences = try await differences(read, old, copy, options) {
            findings.skipped -= 1
            findings.add(RehearsalFindings(ofOneRead: differences))
        }
        try await note(read, copy)
    }

    /// Closes the new store, if it is open.
    func close() async throws {
        let store = opened?.store
        opened = nil
        try await store?.close()
    }

    private func copy(of read: RehearsedRead) async throws -> any Store {
        if let opened {
            if opened.switching == read.switching { return opened.store }
            try await close()
        }
        let options = OpenOptions(createsIfMissing: false, role: .copying, scope: read.token.scope)
        let store = try await place(read.peer).open(options)
        opened = (read.switching, store)
        return store
    }

    /// The differences between the answers of both; nil if they were never of the same moment.
    private func differences(
        _ read: RehearsedRead, _ old: any Store, _ copy: any Store, _ options: ReadOptions
    ) async throws -> [RehearsalFindings.Difference]? {
        var mine = (token: read.token, answers: read.answers)
        for pause in Self.pauses {
            if pause > .zero { try await Task.sleep(for: pause) }
            let (token, answers) = mine
            let found: Reply
            do {
                found = try await copy.read(options) { tx in try Reply(tx, read.switching, answers, at: token)
                }
            } catch let refusal as Refusal { return [refusal.answer.difference(newRows: nil)] }
            switch found {
            case .ended: return nil
            case .behind: continue
            case .ahead:
                mine = try await old.read(options) { tx in
                    (try tx.historyToken(), try answers.map { try $0.again(in: tx.driver) })
                }
            case .answers(let theirs):
                return zip(answers, theirs).filter { !$0.isEqual(to: $1) }.map {
                    $0.difference(newRows: $1.rows)
                }
            }
        }
        return nil
    }

    /// Adds what was found to what the new store has noted of the rehearsal.
    private func note(_ read: RehearsedRead, _ copy: any Store) async throws {
        let found = findings
        // It gets on with other writers, and a loss of power may undo it: nothing depends on it.
        try await copy.write { tx in
            guard try tx.isCopy(of: read.switching) else { return }
            try tx.updateMarker { marker in
                var all = marker.switching?.findings ?? RehearsalFindings()
                all.add(found)
                marker.switching?.findings = all
            }
        }
        findings = RehearsalFindings()
    }
}

/// The new store's reply.
private enum Reply {
    /// The rehearsal has ended.
    case ended
    /// It does not have all rows yet that the old store had.
    case behind
    /// It has rows that the old store did not have yet.
    case ahead
    case answers([Answer])

    /// Asks the new store.
    ///
    /// - Parameters:
    ///   - tx: A read of the new store.
    ///   - switching: The identity of the switch.
    ///   - answers: What the old store has answered.
    ///   - token: The moment of that.
    /// - Throws: `Refusal` if it cannot answer; what reading throws.
    init(_ tx: ReadTransaction, _ switching: UUID, _ answers: [Answer], at token: HistoryToken) throws {
        guard let there = try tx.token(of: switching, from: token) else {
            self = .ended
            return
        }
        guard there == token else {
            self = there.sequence < token.sequence ? .behind : .ahead
            return
        }
        self = .answers(
            try answers.map { answer in
                do { return try answer.again(in: tx.driver) } catch let error as StoreError
                    where Refusal.codes.contains(error.code)
                { throw Refusal(answer: answer) }
            })
    }
}

/// The new store does not answer what the old one has.
private struct Refusal: Error {
    let answer: Answer

    /// The errors that concern the store, and not the moment.
    static let codes: Set<StoreError.Code> = [
        .corrupted, .unsupported, .arithmetic, .valueNotRepresentable, .timedOut, .backend,
    ]
}

extension Answer {
    fileprivate func difference(newRows: Int?) -> RehearsalFindings.Difference {
        RehearsalFindings.Difference(
            time: Date(), entity: selection.entity.name, rows: rows, newRows: newRows)
    }
}

extension ReadTransaction {
    /// Whether the store is the new one of a switch that is under way.
    fileprivate func isCopy(of switching: UUID) throws -> Bool {
        let marker = try driver.maintenance.marker()
        guard let record = marker.switching, marker.role == .copying else { return false }
        return record.id == switching && record.state == .copying
    }

    /// The place up to which a new store has followed the history of the old one; nil if it is not that of a switch that is
    /// under way, or has nothing of the scope yet.
    fileprivate func token(of switching: UUID, from token: HistoryToken) throws -> HistoryToken? {
        guard try isCopy(of: switching) else { return nil }
        guard let scope = token.scope else { return try driver.maintenance.marker().switching?.copied?.token }
        return try followedTokens(switching, of: token.storeID)[scope]
    }
}
