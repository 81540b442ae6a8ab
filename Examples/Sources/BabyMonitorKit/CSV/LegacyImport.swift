internal import Foundation
internal import Switchyard
internal import SwitchyardCSV
internal import SwitchyardCore

/// Imports a legacy file within one transaction.
///
/// A row's meaning does not depend on its position in the file, nor on the batches:
///
/// - It is known if there is an event with its baby, time and type. A time in whole milliseconds, as in the app's
///   files, matches any time within that millisecond, because an export rounds down; a more precise time
///   matches only itself.
/// - An unknown event is added.
/// - A known feed gains the row's amount if none of the feeds that the row matches has one. The earliest of them
///   gets it, then that of the baby added first. It keeps its unit if the row has none.
///
/// The ids of new babies and events follow from what they are known by (`NaturalID`).
///
/// Rows are processed in batches, each with one query per name, for the events between the batch's first and last
/// time, and one insert. No row costs a query, and later batches find the rows of earlier ones in the store. Rows
/// with different times are independent, so an unordered file is sorted, a million rows at a time; otherwise
/// each batch would span the whole file.
struct LegacyImport<Row: LegacyRow> {
    private let columns: LegacyColumns
    private let options: ImportOptions
    private let now: Date
    private let batchRows: Int
    private var directory: BabyDirectory
    private var memory: Row.Memory
    private var ids = NaturalID(Row.Record.kind)
    /// Whether the store had events before, whose ids new ones may not have.
    private let hasEvents: Bool
    private var rows: [Row] = []
    private var known = KnownEvents(capacity: 0)
    private var isShuffled = false
    private var rowsTaken = 0
    private var (unknownNames, unknownUnits, unknownFeedTypes) = (NameList(), NameList(), NameList())
    private(set) var report = ImportReport()
    /// How many stored events were read, and how many of them matched no row.
    private(set) var recalled = (events: 0, unmatched: 0)
    /// How many slots of the known-events tables were probed.
    private(set) var probes = 0

    /// How many batches of an unordered file are sorted together.
    private static var sortedBatches: Int { 32 }
    /// The most babies that one file may add; more suggest that the wrong column was taken for names.
    private static var mostNewBabies: Int { 1000 }

    init(
        columns: LegacyColumns, options: ImportOptions, now: Date, transaction: WriteTransaction
    ) throws {
        self.columns = columns
        self.options = options
        self.now = now
        memory = Row.Memory(options)
        batchRows = max(1, options.batchRows ?? 1 << 15)
        directory = BabyDirectory(try transaction.babies())
        hasEvents = try !transaction.fetchRows(of: Row.Record.entityName, limit: 1).isEmpty
    }

    /// Imports one row.
    mutating func take(_ row: CSVRow, in transaction: WriteTransaction) throws {
        if row.isBlank { return }
        do {
            try columns.requireNoSurplus(in: row)
            var parsed = try Row(row, columns, memory: &memory)
            let name = BabyDirectory.name(row.bytes(at: columns[0]))
            guard let entry = try entry(for: name, in: transaction) else {
                report[keyPath: Row.skipped] += 1
                return
            }
            parsed.entry = entry
            rows.append(parsed)
            if !parsed.unknownWords.isEmpty { note(parsed.unknownWords, of: row) }
        } catch let cell as InvalidCell {
            report.add(cell, line: row.line, isSkipped: options.skipsInvalidRows)
        }
        if rows.count == (isShuffled ? batchRows * Self.sortedBatches : batchRows) {
            try settle(in: transaction)
        }
    }

    /// Writes the remaining rows.
    ///
    /// - Returns: The report.
    mutating func finish(in transaction: WriteTransaction) throws -> ImportReport {
        try settle(in: transaction)
        return report
    }

    private mutating func settle(in transaction: WriteTransaction) throws {
        defer { rows.removeAll(keepingCapacity: true) }
        // A file that will be refused is read further only to report its errors.
        guard !rows.isEmpty, report.errorCount == 0 || options.skipsInvalidRows || options.isDryRun else {
            return
        }
        rowsTaken += rows.count
        var order = rows.indices.map {
            (millisecond: KnownEvents.Key.millisecond(rows[$0].microseconds), index: $0)
        }
        order.sort { $0 < $1 }
        for start in stride(from: 0, to: order.count, by: batchRows) {
            let batch = order[start..<min(start + batchRows, order.count)]
            try settle(batch.map(\.index), in: transaction)
        }
        isShuffled = isShuffled || recalled.unmatched > rowsTaken
    }

    /// Writes a batch, given as indices of rows; those with the same time are in file order.
    private mutating func settle(_ batch: [Int], in transaction: WriteTransaction) throws {
        try recall(batch, in: transaction)
        var updates: [LegacyAmount: [StoredValue]] = [:]
        var fresh: [Int] = []
        for index in batch {
            let match = known.match(key(of: rows[index]))
            guard match.isKnown else {
                addKnown(index)
                fresh.append(index)
                continue
            }
            guard let amount = rows[index].amount, !match.hasAmount, let lacking = match.lacking else {
                report[keyPath: Row.skipped] += 1
                continue
            }
            known.gainAmount(lacking)
            switch known.events[lacking].origin {
            case .store(let id): updates[amount, default: []].append(.uuid(id))
            case .row(let earlier): rows[earlier].amount = amount
            }
            report.updatedFeeds += 1
        }
        probes += known.probes
        report[keyPath: Row.inserted] += fresh.count
        // Files are newest first. Inserted in order of time, rows fill the pages of an index instead of splitting
        // them, which makes the store a third smaller.
        fresh.sort { (rows[$0].microseconds, $0) < (rows[$1].microseconds, $1) }
        let (settled, ids) = (rows, try freeIDs(of: fresh, in: transaction))
        let babies = directory.entries.map(\.first)
        try transaction.insert(
            contentsOf: zip(fresh, ids).lazy.map { settled[$0].record($1, of: babies[settled[$0].entry]) })
        for (amount, ids) in updates { try transaction.set(amount, of: ids) }
    }

    /// The ids of new events; the store has no row of them: an event that was imported before may have another time since.
    private mutating func freeIDs(of fresh: [Int], in transaction: WriteTransaction) throws -> [UUID] {
        var (found, number) = ([UUID](), 0)
        for index in fresh { found.append(id(of: index, number: number)) }
        var doubtful = hasEvents ? Array(fresh.indices) : []
        while !doubtful.isEmpty {
            let taken = try transaction.taken(doubtful.map { found[$0] }, of: Row.Record.entityName)
            doubtful.removeAll { !taken.contains(.uuid(found[$0])) }
            number += 1
            for index in doubtful { found[index] = id(of: fresh[index], number: number) }
        }
        return found
    }

    private mutating func id(of index: Int, number: Int) -> UUID {
        let row = rows[index]
        return ids.event(
            at: row.microseconds, type: row.type, of: directory.entries[row.entry].first, number: number)
    }

    /// The index of the directory's entry for a name; nil if the row is to be skipped.
    private mutating func entry(
        for name: UnsafeRawBufferPointer, in transaction: WriteTransaction
    ) throws -> Int? {
        if let entry = directory.entry(for: name) { return entry }
        guard options.createsBabies else {
            unknownNames.add(name, to: &report.skippedUnknownBabies)
            return nil
        }
        guard report.createdBabies < Self.mostNewBabies else {
            throw BabyMonitorError(
                .invalidArgument,
                "The file names more than \(Self.mostNewBabies) unknown babies. Is its first column the name? "
                    + "Nothing was imported.")
        }
        let text = String(decoding: name, as: UTF8.self)
        var (id, number) = (NaturalID.baby(named: text, number: 0), 0)
        while directory.place(of: id) != nil {
            number += 1
            id = NaturalID.baby(named: text, number: number)
        }
        directory.add(try transaction.insert(BabyProfile(id: id, name: text, createdAt: now)))
        report.createdBabies += 1
        return directory.entry(for: name)
    }

    /// Counts and lists the unknown words of a row.
    private mutating func note(_ words: UnknownWords, of row: CSVRow) {
        if words.contains(.unit) {
            report.unknownUnitRows += 1
            unknownUnits.add(row.trimmedBytes(at: columns[3]), to: &report.unknownUnits)
        }
        if words.contains(.feedType) {
            report.unknownFeedTypeRows += 1
            unknownFeedTypes.add(row.trimmedBytes(at: columns[4]), to: &report.unknownFeedTypes)
        }
    }

    /// Looks up the stored events that rows of the batch could match.
    private mutating func recall(_ batch: [Int], in transaction: WriteTransaction) throws {
        known = KnownEvents(capacity: batch.count)
        var spans: [Int: ClosedRange<Int64>] = [:]
        for index in batch {
            known.expect(key(of: rows[index]))
            let (group, time) = (directory.entries[rows[index].entry].group, rows[index].microseconds)
            let span = spans[group] ?? time...time
            spans[group] = min(span.lowerBound, time)...max(span.upperBound, time)
        }
        for (group, span) in spans {
            try transaction.forEach(Self.events(of: directory.groups[group], within: span)) { record in
                guard let baby = directory.place(of: record.profile) else { return }
                let event = KnownEvents.Event(
                    microseconds: record.time.value, type: record.typeCode, baby: baby,
                    origin: .store(record.id.uuid))
                recalled.events += 1
                if !known.add(event, lacksAmount: record.lacksAmount) { recalled.unmatched += 1 }
            }
        }
    }

    /// The events of some babies within a span of milliseconds, oldest first.
    private static func events(
        of babies: [BabyProfile.ID?], within span: ClosedRange<Int64>
    ) -> Query<Row.Record> {
        let ids: [StoredValue] = babies.map { $0.map { .uuid($0.uuid) } ?? .null }
        let time = Operand.attribute(Row.Record.timeAttribute)
        let first = KnownEvents.Key.millisecond(span.lowerBound) * 1000
        let last = KnownEvents.Key.millisecond(span.upperBound) * 1000 + 999
        let condition = Condition.all([
            ids.count == 1
                ? .compare(.attribute("profile"), .equal, .value(ids[0])) : .isIn(.attribute("profile"), ids),
            .compare(time, .greaterOrEqual, .value(.timestamp(first))),
            .compare(time, .lessOrEqual, .value(.timestamp(last))),
        ])
        return Query(condition: condition).sorted(by: SortKey(Row.Record.timeAttribute))
    }

    /// The key that a row is looked up by.
    private func key(of row: Row) -> KnownEvents.Key {
        KnownEvents.Key(
            microseconds: row.microseconds, isExact: !row.microseconds.isMultiple(of: 1000),
            babies: directory.entries[row.entry].babies, type: row.type)
    }

    private mutating func addKnown(_ index: Int) {
        let row = rows[index]
        guard let baby = directory.place(of: directory.entries[row.entry].first) else { return }
        let event = KnownEvents.Event(
            microseconds: row.microseconds, type: row.type, baby: baby, origin: .row(index))
        known.add(event, lacksAmount: row.amount == nil)
    }
}

extension WriteTransaction {
    /// Those of some ids that rows of an entity have.
    fileprivate func taken(_ ids: [UUID], of entity: String) throws -> Set<StoredValue> {
        var taken: Set<StoredValue> = []
        for start in stride(from: 0, to: ids.count, by: 4096) {
            let some = ids[start..<min(start + 4096, ids.count)].map { StoredValue.uuid($0) }
            try forEachRow(of: entity, where: .isIn(.attribute("id"), some)) { taken.insert($0[0]) }
        }
        return taken
    }

    /// Sets the amount of feeds that have none; they keep their unit if the amount has none.
    fileprivate func set(_ amount: LegacyAmount, of ids: [StoredValue]) throws {
        var changes: [Change<FeedSession>] = [.set(\.amountValue, to: amount.value)]
        if let symbol = amount.symbol { changes.append(.set(\.amountUnitSymbol, to: symbol)) }
        try update(Query<FeedSession>(condition: .isIn(.attribute("id"), ids)), set: changes)
    }
}
