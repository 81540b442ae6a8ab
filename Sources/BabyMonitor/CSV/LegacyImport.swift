internal import Foundation
internal import Switchyard
internal import SwitchyardCSV

/// Imports a legacy file within one transaction.
///
/// Rows are taken in batches. For each batch the store is asked once for each name, for the events between
/// the batch's first and last time, and what is new goes in with one insert. Memory thus stays the same for
/// any number of rows, and no row costs a query. Later batches find the rows of earlier ones in the store,
/// since they are in the same transaction.
///
/// A time in whole milliseconds, as the app's files have it, stands for any stored time of that millisecond,
/// which is what an export made of it; a finer one stands for itself alone.
struct LegacyImport<Row: LegacyRow> {
    private let options: ImportOptions
    private let now: Date
    private var directory: BabyDirectory
    private var memory = Row.Memory()
    private var rows: [Row] = []
    private var times = KnownTimes(capacity: Self.batchSize)
    private var known: [KnownEvent] = []
    private var unknownNames: Set<String> = []
    private(set) var report = ImportReport()

    private static var batchSize: Int { 1 << 15 }
    /// More new babies than this in one file are a column that was taken for names.
    private static var mostNewBabies: Int { 1000 }

    /// An event that is in the store, or earlier in the file.
    private struct KnownEvent {
        let microseconds: Int64
        let profile: BabyProfile.ID?
        let place: Place
        var lacksAmount: Bool

        enum Place {
            case store(UUID)
            case row(Int)
        }
    }

    init(options: ImportOptions, now: Date, transaction: WriteTransaction) throws {
        self.options = options
        self.now = now
        directory = BabyDirectory(try transaction.babies())
    }

    /// Takes one row.
    mutating func take(_ row: CSVRow, in transaction: WriteTransaction) throws {
        if row.isBlank { return }
        do {
            var parsed = try Row(row, memory: &memory)
            guard let entry = try entry(for: row.trimmedBytes(at: 0), in: transaction) else {
                report[keyPath: Row.skipped] += 1
                return
            }
            parsed.entry = entry
            rows.append(parsed)
        } catch let cell as InvalidCell {
            report.add(error: cell.message(line: row.line))
        }
        if rows.count == Self.batchSize { try settle(in: transaction) }
    }

    /// Writes what has been taken and not yet been written.
    mutating func settle(in transaction: WriteTransaction) throws {
        defer { rows.removeAll(keepingCapacity: true) }
        // A file that will be refused is read on for its errors only.
        guard !rows.isEmpty, report.errorCount == 0 || options.skipsInvalidRows || options.isDryRun else {
            return
        }
        try recall(in: transaction)
        var updates: [LegacyAmount: [StoredValue]] = [:]
        var fresh: [Int] = []
        for index in rows.indices {
            guard let position = match(index) else { continue }
            if position == known.count {
                addKnown(rows[index], at: index)
                fresh.append(index)
            } else if let amount = rows[index].amount {
                known[position].lacksAmount = false
                switch known[position].place {
                case .store(let id): updates[amount, default: []].append(.uuid(id))
                case .row(let earlier): rows[earlier].amount = amount
                }
                report.updatedFeeds += 1
            }
        }
        report[keyPath: Row.inserted] += fresh.count
        // Files are newest first. Put in by their times, rows fill the pages of an index instead of splitting
        // them, which makes the store a third smaller.
        fresh.sort { (rows[$0].microseconds, $0) < (rows[$1].microseconds, $1) }
        let batch = rows
        let babies = directory.entries.map { $0.babies.first ?? nil }
        try transaction.insert(contentsOf: fresh.lazy.map { batch[$0].element(of: babies[batch[$0].entry]) })
        for (amount, ids) in updates { try transaction.set(amount, of: ids) }
    }

    /// The index of the directory's entry for a name; nil if the row is to be skipped.
    private mutating func entry(
        for name: UnsafeRawBufferPointer, in transaction: WriteTransaction
    ) throws -> Int? {
        if let entry = directory.entry(for: name) { return entry }
        let text = String(decoding: name, as: UTF8.self)
        guard options.createsBabies else {
            if unknownNames.count < ImportReport.longestList, unknownNames.insert(text).inserted {
                report.skippedUnknownBabies.append(text)
            }
            return nil
        }
        guard report.createdBabies < Self.mostNewBabies else {
            throw BabyMonitorError(
                .invalidArgument,
                "The file names more than \(Self.mostNewBabies) babies that are not there. Is its first column the name? "
                    + "Nothing was imported.")
        }
        directory.add(try transaction.insert(BabyProfile(name: text, createdAt: now)))
        report.createdBabies += 1
        return directory.entry(for: name)
    }

    /// Looks up the stored events that rows of the batch could be.
    private mutating func recall(in transaction: WriteTransaction) throws {
        times.removeAll()
        known.removeAll(keepingCapacity: true)
        var spans: [Int: ClosedRange<Int64>] = [:]
        for row in rows {
            let group = directory.entries[row.entry].group
            times.expect(KnownTimes.Key(group: group, type: row.type, microseconds: row.microseconds))
            let span = spans[group] ?? row.microseconds...row.microseconds
            if !span.contains(row.microseconds) || spans[group] == nil {
                spans[group] = min(span.lowerBound, row.microseconds)...max(span.upperBound, row.microseconds)
            }
        }
        for (group, span) in spans {
            let babies = directory.groups[group].map { $0?.id }
            try transaction.forEach(Self.events(of: babies, within: span)) { element in
                guard let microseconds = Timestamp.microseconds(element.entry.timestamp) else { return }
                let key = KnownTimes.Key(
                    group: group, type: Row.type(of: element), microseconds: microseconds)
                if times.add(key, position: known.count) {
                    known.append(
                        KnownEvent(
                            microseconds: microseconds, profile: element.entry.profile,
                            place: .store(element.id.uuid), lacksAmount: Row.lacksAmount(element)))
                }
            }
        }
    }

    /// The events of some babies in the milliseconds of a span, oldest first.
    private static func events(of babies: [BabyProfile.ID?], within span: ClosedRange<Int64>) -> Query<
        Row.Element
    > {
        func millisecond(_ time: Int64) -> Int64 {
            KnownTimes.Key(group: 0, type: 0, microseconds: time).millisecond * 1000
        }
        let ids: [StoredValue] = babies.map { $0.map { .uuid($0.uuid) } ?? .null }
        let time = Operand.attribute(Row.Element.timeAttribute)
        let condition = Condition.all([
            ids.count == 1
                ? .compare(.attribute("profile"), .equal, .value(ids[0])) : .isIn(.attribute("profile"), ids),
            .compare(time, .greaterOrEqual, .value(.timestamp(millisecond(span.lowerBound)))),
            .compare(time, .lessOrEqual, .value(.timestamp(millisecond(span.upperBound) + 999))),
        ])
        return Query(condition: condition).sorted(by: SortKey(Row.Element.timeAttribute))
    }

    /// Finds what a row is.
    ///
    /// - Returns: The index of the known event that gains the row's amount; `known.count` for a new event;
    ///   nil for a known one that gains nothing, which is counted here.
    private mutating func match(_ index: Int) -> Int? {
        let row = rows[index]
        let entry = directory.entries[row.entry]
        let isMillisecond = row.microseconds.isMultiple(of: 1000)
        var isKnown = false
        var hasAmount = false
        var lacking: Int?
        let key = KnownTimes.Key(group: entry.group, type: row.type, microseconds: row.microseconds)
        times.forEach(key) { position in
            let event = known[position]
            guard isMillisecond || event.microseconds == row.microseconds,
                entry.babies.contains(event.profile)
            else {
                return
            }
            isKnown = true
            // The last to come is the one that was added first.
            if event.lacksAmount { lacking = position } else { hasAmount = true }
        }
        guard isKnown else { return known.count }
        if row.amount != nil, !hasAmount, let lacking { return lacking }
        report[keyPath: Row.skipped] += 1
        return nil
    }

    private mutating func addKnown(_ row: Row, at index: Int) {
        let entry = directory.entries[row.entry]
        let key = KnownTimes.Key(group: entry.group, type: row.type, microseconds: row.microseconds)
        times.add(key, position: known.count)
        known.append(
            KnownEvent(
                microseconds: row.microseconds, profile: entry.babies.first ?? nil, place: .row(index),
                lacksAmount: row.amount == nil))
    }
}

extension WriteTransaction {
    /// Gives feeds that had no amount one.
    fileprivate func set(_ amount: LegacyAmount, of ids: [StoredValue]) throws {
        try update(
            Query<FeedSession>(condition: .isIn(.attribute("id"), ids)),
            set: [.set(\.amountValue, to: amount.value), .set(\.amountUnitSymbol, to: amount.symbol)])
    }
}
