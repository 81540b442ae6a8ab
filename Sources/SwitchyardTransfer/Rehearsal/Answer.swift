internal import Foundation
internal import SwitchyardCore

/// A store's answer to one selection of a read.
///
/// Cells are equal on every backend, so they are compared directly.
struct Answer: Sendable {
    let selection: Selection
    /// The number of rows that were read.
    private(set) var rows = 0
    /// Whether the reader stopped early.
    private(set) var isCut = false
    private var digest: UInt128 = 0
    /// Of the row that is being added.
    private var bytes: [UInt8] = []

    /// Any odd number: each power of it is odd too, so that no row's part is lost.
    private static let factor: UInt128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835

    /// Begins the answer to a selection.
    init(_ selection: Selection) { self.selection = selection }

    /// Whether another store with the same rows must give the same answer: it need not if rows could have
    /// been left out.
    var isDetermined: Bool {
        !selection.order.isEmpty || selection.isAggregate || !isCut && selection.limit == nil
    }

    /// Runs the selection, and takes down what is answered.
    ///
    /// - Throws: What the body and the driver throw.
    mutating func run(
        in driver: any TransactionDriver, _ body: (inout RowReader) throws -> Bool
    ) throws {
        try driver.select(selection) { row in
            try add(&row)
            row.rewind()
            let goesOn = try body(&row)
            isCut = !goesOn
            return goesOn
        }
        end()
    }

    /// The answer of another store, to the same selection and as far as this one was read.
    ///
    /// - Throws: What the driver throws.
    func again(in driver: any TransactionDriver) throws -> Answer {
        var answer = Answer(selection)
        var left = rows
        try answer.run(in: driver) { _ in
            left -= 1
            return !isCut || left > 0
        }
        return answer
    }

    /// Adds a row.
    mutating func add(_ row: inout RowReader) throws {
        bytes.removeAll(keepingCapacity: true)
        for _ in selection.columns {
            let cell = try row.next()
            bytes.append(cell.kind.rawValue)
            switch cell.kind {
            case .null: break
            case .integer, .double: append(cell.word)
            case .text, .blob:
                append(Int64(cell.count))
                bytes.append(contentsOf: cell.bytes)
            }
        }
        let number = bytes.withUnsafeBytes(RowsDigest.number)
        // Unordered rows may come in any order.
        digest = selection.order.isEmpty ? digest &+ number : digest &* Self.factor &+ number
        rows += 1
    }

    /// Gives back the memory that adding rows has taken.
    mutating func end() { bytes = [] }

    private mutating func append(_ word: Int64) {
        withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Whether another store has answered the same to the same selection.
    func isEqual(to other: Answer) -> Bool { rows == other.rows && digest == other.digest }
}

/// Takes down what a read asks of the rows of a store, and what it is answered.
///
/// What is read through a view of another version's schema is not compared.
final class AnswerRecorder: InterceptingDriver {
    /// Further answers are not recorded.
    private static let mostAnswers = 100

    private let schema: Schema
    /// The answers that another store must give as well.
    private(set) var answers: [Answer] = []

    /// Wraps the driver of a read.
    init(_ tx: ReadTransaction) {
        schema = tx.schema
        super.init(tx.driver)
    }

    override func select(
        _ selection: Selection, onlyDoubtful: Bool, _ body: (inout RowReader) throws -> Bool
    ) throws {
        // The history is each store's own.
        guard !onlyDoubtful, answers.count < Self.mostAnswers,
            schema.entity(selection.entity.name) == selection.entity
        else {
            return try super.select(selection, onlyDoubtful: onlyDoubtful, body)
        }
        var answer = Answer(selection)
        try answer.run(in: base, body)
        if answer.isDetermined { answers.append(answer) }
    }

    override func find(_ id: UUID, in entity: Entity, _ body: (inout RowReader) throws -> Void) throws {
        let condition = Condition.compare(.attribute("id"), .equal, .value(.uuid(id)))
        var answer = Answer(.rows(of: entity, where: condition))
        try base.find(id, in: entity) { row in
            try answer.add(&row)
            row.rewind()
            try body(&row)
        }
        answer.end()
        if answers.count < Self.mostAnswers, schema.entity(entity.name) == entity { answers.append(answer) }
    }
}
