internal import Foundation
internal import SwitchyardCore
internal import SwitchyardSQL

typealias PostgresTransaction = SQLTransaction<Session>

extension Session: SQLConnection {
    static let databaseName = "PostgreSQL"
    static let failuresEndTransaction = true

    /// The most rows that are inserted by single statements, all in one round trip.
    ///
    /// More rows use COPY, which costs one more round trip but less for each row.
    private static var fewRows: Int { 32 }
    /// The number of rows in one statement of an upsert, whose conflicts COPY cannot resolve.
    private static var batchRows: Int { 1_024 }
    /// The approximate maximum of bytes in one statement.
    private static var batchBytes: Int { 1 << 20 }

    func run(_ statement: SQLStatement) throws -> Int {
        try execute(statement.text, Parameters(statement)).affectedRows
    }

    var holdsTransaction: Bool { isPending && transaction?.holdsInserts == true }

    func runAhead(_ statement: SQLStatement) throws {
        var row = WireBatch(types: statement.parameters.map { WireType($0.type) })
        try row.append(statement.parameters)
        _ = try insert(statement.text, row)
    }

    /// Sends the check together with the next statement, which usually ends the savepoint, and lets later rows wait again.
    func checkForeignKeys() throws -> Bool {
        for mode in ["IMMEDIATE", "DEFERRED"] {
            try runAhead(SQLStatement(text: "SET CONSTRAINTS ALL \(mode)"))
        }
        return false
    }

    func query(
        _ statement: SQLStatement, types: [AttributeType], context: ErrorContext,
        _ body: (inout RowReader) throws -> Bool
    ) throws {
        try naming(context.entity) {
            var count = 0
            var isWhole = true
            func takeRow(_ cells: UnsafeBufferPointer<Cell>) throws -> Bool {
                guard let start = cells.baseAddress else { return false }
                count += 1
                var reader = RowReader(cells: start, count: cells.count, context: context)
                isWhole = try body(&reader)
                return isWhole
            }
            let types = types.map { WireType($0) }
            // A COPY takes no parameters, and values do not belong in its text, which servers log. It can wrap a SELECT, but not
            // a statement that changes rows and returns them.
            guard statement.parameters.isEmpty, statement.text.hasPrefix("SELECT ") else {
                return try forEachRow(statement.text, Parameters(statement), types: types, takeRow)
            }
            if gaveManyRows(statement.text) {
                try forEachCopiedRow(statement.text, types: types, takeRow)
            } else {
                try forEachRow(statement.text, types: types, takeRow)
            }
            if isWhole { noteRows(count, of: statement.text) }
        }
    }

    func queryWithoutChanges(
        _ statement: SQLStatement, columns: Int, context: ErrorContext,
        _ body: (inout RowReader) throws -> Void
    ) throws {
        // The access of a transaction can be narrowed at any time, and a savepoint's end restores it.
        let savepoint = "switchyard_query"
        for text in ["SAVEPOINT \(savepoint)", "SET TRANSACTION READ ONLY"] { try command(text) }
        try naming(context.entity) {
            try forEachRow(statement.text, Parameters(statement)) { cells in
                guard let start = cells.baseAddress, cells.count == columns else {
                    throw StoreError.columns(cells.count, expected: columns, of: context.entity)
                }
                var reader = RowReader(cells: start, count: columns, context: context)
                try body(&reader)
                return true
            }
        }
        for text in ["ROLLBACK TO SAVEPOINT \(savepoint)", "RELEASE SAVEPOINT \(savepoint)"] {
            try command(text)
        }
    }

    func begin(
        with query: String, types: [AttributeType], context: ErrorContext, behind queue: SQLStatement?,
        orRequire requirement: @escaping () -> SQLStatement,
        _ body: @escaping (inout RowReader) throws -> Void
    ) throws {
        guard isPending, let transaction else { throw noTransaction() }
        if let queue { transaction.enqueue(behind: queue) }
        transaction.firstQuery = FirstQuery(
            sql: query, types: types.map { WireType($0) }, requirement: requirement
        ) { cells in
            guard let start = cells.baseAddress else { return }
            var reader = RowReader(cells: start, count: cells.count, context: context)
            try body(&reader)
        }
    }

    /// Reads one row of each table: the scan conflicts with every transaction that writes to the table.
    ///
    /// Such a writer has read the marker that this transaction is about to change, so both can only commit if one
    /// begins after the other has ended.
    ///
    /// Source: PostgreSQL's manual, "Serializable Isolation Level".
    func awaitWriters(of tables: [String]) throws {
        for table in tables { _ = try execute("SELECT ctid FROM \(table) LIMIT 1", isCached: false) }
    }

    func find(
        _ id: UUID, in scope: StoreScope?, by plan: SQLEntityPlan,
        _ body: (inout RowReader) throws -> Void
    ) throws {
        var parameters = Parameters(count: 2)
        if let scope { try parameters.append(.uuid(scope.uuid), as: .uuid) }
        try parameters.append(.uuid(id), as: .uuid)
        try read(try execute(plan.find, parameters), plan, body)
    }

    func batchSize(of insertion: SQLInsertion) -> Int { insertion.isPlain ? Self.fewRows : Self.batchRows }

    func insert(
        _ batch: inout RowBatch, by insertion: SQLInsertion, stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int {
        // The rows are encoded before anything is sent, so that a value that cannot be encoded leaves the connection
        // unchanged.
        let rows = try WireBatch(&batch, types: insertion.plan.insertTypes.map { WireType($0) })
        if insertion.isPlain { return try insert(try insertion.text(rows: 1), rows) }
        let result = try execute(try insertion.arrayText(), try Parameters(columnsOf: rows))
        let count = result.affectedRows
        if let stored { try read(result, insertion.plan, stored) }
        return count
    }

    func load(
        _ batch: inout RowBatch, by insertion: SQLInsertion,
        next: ((UnsafeBufferPointer<Cell>) throws -> Void) throws -> Bool,
        stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int? {
        let types = insertion.plan.insertTypes.map { WireType($0) }
        let table = try insertion.table()
        // COPY does not insert into a table whose rows are fenced (PostgreSQL's manual, "COPY").
        guard try insertion.isPlain && !isFenced(table) else {
            var count = 0
            try executeAhead(try insertion.arrayText(), try WireBatch(&batch, types: types)) { batch in
                while batch.count < Self.batchRows, batch.byteCount < Self.batchBytes {
                    guard try next({ try batch.append($0) }) else { return }
                }
            } _: { result in
                count += result.affectedRows
                if let stored { try read(result, insertion.plan, stored) }
            }
            return count
        }
        let copy: CopyIn
        do { copy = try CopyIn(self, try insertion.copyText(), types: types) } catch let error as StoreError
            where error.code == .unsupported
        {
            // It was fenced in the meantime: the next run asks again.
            fences[table] = nil
            throw StoreError(.serialization, error.message, underlying: error.underlying)
        }
        do {
            try copy.write(try WireBatch(&batch, types: types))
            while try next({ try copy.write($0) }) {}
            return try copy.finish()
        } catch {
            copy.abandon()
            throw error
        }
    }

    /// Whether row-level security applies to the session in a table, by its quoted name.
    private func isFenced(_ table: String) throws -> Bool {
        if let known = fences[table] { return known }
        var parameters = Parameters()
        try parameters.append(.text(table), as: .text)
        var isFenced = false
        try execute("SELECT pg_catalog.row_security_active($1)", parameters, isCached: false).forEachRow {
            isFenced = $0[0].word == 1
        }
        fences[table] = isFenced
        return isFenced
    }

    func catalog() throws -> PostgresTables {
        try Catalog(self, namespace: options.schema).tables(withConstraints: true)
    }

    /// Calls the body with each row of a result that holds whole rows.
    private func read(
        _ result: borrowing QueryResult, _ plan: SQLEntityPlan, _ body: (inout RowReader) throws -> Void
    ) throws {
        let types = plan.types.map { WireType($0) }
        try naming(plan.context.entity) {
            try result.forEachRow(types: types) { cells in
                guard let start = cells.baseAddress else { return }
                var reader = RowReader(cells: start, count: cells.count, context: plan.context)
                try body(&reader)
            }
        }
    }

    /// Adds the entity to an error about a column.
    private func naming(_ entity: String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch var error as StoreError where error.code == .corrupted && error.entity == nil {
            error.entity = entity
            throw options.storeSchema.map { error.named(by: $0) } ?? error
        }
    }
}

extension SQLPlan {
    /// Prepares the statements for tables in a database schema.
    convenience init(
        _ schema: Schema, namespace: String, isScoped: Bool = false, isDistributed: Bool = false
    ) throws {
        try self.init(
            SQLGenerator(
                dialect: .postgres, schema: schema, namespace: namespace, isScoped: isScoped,
                isDistributed: isDistributed))
    }
}

extension WireBatch {
    /// Encodes collected rows.
    ///
    /// - Throws: As `append`.
    init(_ rows: inout RowBatch, types: [WireType]) throws {
        self.init(types: types)
        try rows.withCells { cells in
            for first in stride(from: 0, to: cells.count, by: types.count) {
                try append(UnsafeBufferPointer(rebasing: cells[first..<first + types.count]))
            }
        }
    }
}

extension Parameters {
    /// Encodes the parameters of a statement.
    init(_ statement: SQLStatement) throws {
        self.init(count: statement.parameters.count)
        for parameter in statement.parameters {
            switch parameter {
            case .value(let value, let type): try append(value, as: WireType(type))
            case .list(let values, let type): try append(values, arrayOf: WireType(type))
            }
        }
    }
}
