internal import Foundation
internal import SwitchyardCore

/// Pages that wait for the last one, in the store: a first sync takes no memory, and goes on where it was when the program
/// was ended.
///
/// Each process has a stage of its own. A process that begins takes over what another one has left.
extension LocalMirror {
    package func stage() throws -> Stage? { try ownStage()?.stage }

    private func ownStage() throws -> StageRecord? {
        guard let process, let record = try records.record(.stage, process) else { return nil }
        return try StageRecord(record)
    }

    /// Takes over the stage that has come furthest from the store's cursor.
    func takeOverStage() throws -> Stage? {
        guard let process else { return nil }
        let (cursor, stages) = (try cursor(), try records.all(.stage).map { try StageRecord($0) })
        let usable = stages.filter { $0.stage.cursor == cursor }
        // The store has got further without the others, which nobody can apply any more.
        for stage in stages where stage.stage.cursor != cursor { try remove(stage) }
        guard let best = usable.max(by: { $0.stage.pages < $1.stage.pages }) else { return nil }
        try records.remove(.stage, [best.process])
        try records.put(.stage, [StageRecord(process, best.stage, content: best.content).record()])
        return best.stage
    }

    /// Adds a page to this process's stage; a first page begins it anew.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - stage: The stage with the page.
    /// - Returns: False if another process has taken over or removed the stage, and nothing was kept.
    /// - Throws: As a write.
    func keep(_ page: StagedPage, _ stage: Stage) throws -> Bool {
        guard let process else { return false }
        if stage.pages == 1 { try clearStage() }
        let own = try ownStage()
        guard (own?.stage.pages ?? 0) + 1 == stage.pages else { return false }
        let next = StageRecord(process, stage, content: own?.content ?? UUIDv7.next())
        try records.put(
            .staged, id: next.page(stage.pages), number: Int64(stage.pages), try page.encoded(schema))
        try records.put(.stage, [next.record()])
        return true
    }

    package func forEachStagedPage(_ body: (StagedPage) throws -> Void) throws {
        guard let own = try ownStage() else { return }
        for number in 1...own.stage.pages {
            guard let page = try records.record(.staged, own.page(number)) else {
                throw StoreError.unreadableMutation
            }
            try body(try StagedPage(page.data, schema))
        }
    }

    /// Removes this process's stage.
    func clearStage() throws {
        if let own = try ownStage() { try remove(own) }
    }

    private func remove(_ stage: StageRecord) throws {
        let numbers = stride(from: 1, through: stage.stage.pages, by: 1)
        try records.remove(.staged, numbers.map { stage.page($0) })
        try records.remove(.stage, [stage.process])
    }

    package func clearStages() throws {
        try records.remove(.stage, after: .min)
        try records.remove(.staged, after: .min)
    }
}

/// The record of a stage.
private struct StageRecord {
    let process: UUID
    let stage: Stage
    /// What the ids of its pages are derived from.
    let content: UUID

    init(_ process: UUID, _ stage: Stage, content: UUID) {
        (self.process, self.stage, self.content) = (process, stage, content)
    }

    /// The id of a page; the first is number 1.
    func page(_ number: Int) -> UUID { DerivedID(namespace: content).uuid(["\(number)"]) }

    func record() -> MirrorRecords.Record {
        var bytes = ByteWriter()
        bytes.write(content)
        stage.write(to: &bytes)
        return MirrorRecords.Record(id: process, number: 0, data: bytes.bytes)
    }

    init(_ record: MirrorRecords.Record) throws {
        var bytes = ByteReader(record.data)
        let content = try bytes.uuid()
        self.init(record.id, try Stage(from: &bytes), content: content)
    }
}
