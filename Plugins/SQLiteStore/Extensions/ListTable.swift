internal import Foundation
internal import GRDBSQLite
internal import SwitchyardCore

/// The table-valued function `switchyard_list(parameter)`, whose rows are the values of a list bound as one parameter.
///
/// A list of any size and type is bound by pointer. It is not converted to JSON, which would round doubles and has no
/// blobs, and an index on the other side of `IN` is used. SQLite's own `carray` does the same, but is not built in.
enum ListTable {
    /// The type name by which SQLite checks that a bound pointer is a list.
    ///
    /// It must live as long as the process.
    private static let pointerType: StaticString = "switchyard_list"

    /// A list while it is bound.
    fileprivate final class Values {
        let values: [StoredValue]
        init(_ values: [StoredValue]) { self.values = values }
    }

    /// SQLite's cursor, followed by the list and the position.
    fileprivate struct Cursor {
        var base = sqlite3_vtab_cursor()
        var list: Unmanaged<Values>?
        var position = 0
    }

    /// Binds a list to a parameter; SQLite releases it when it no longer needs it.
    static func bind(_ values: [StoredValue], to statement: OpaquePointer, at index: CInt) -> CInt {
        let list = Unmanaged.passRetained(Values(values))
        return sqlite3_bind_pointer(statement, index, list.toOpaque(), typeName) { pointer in
            guard let pointer else { return }
            Unmanaged<Values>.fromOpaque(pointer).release()
        }
    }

    static func register(on connection: OpaquePointer) -> CInt {
        sqlite3_create_module_v2(connection, "switchyard_list", module.pointer, nil, nil)
    }

    private static var typeName: UnsafePointer<CChar> {
        UnsafeRawPointer(pointerType.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    /// The table of SQLite's callbacks, which must live as long as any connection.
    private struct Module: @unchecked Sendable {
        // Sendable because it is filled in before it is shared, and only read from then on.
        let pointer: UnsafeMutablePointer<sqlite3_module>
    }

    private static let module: Module = {
        var module = sqlite3_module()
        // No xCreate: the table is eponymous and cannot be created or dropped.
        module.xConnect = { connection, _, _, _, table, _ in
            let code = sqlite3_declare_vtab(connection, "CREATE TABLE x(value, list HIDDEN)")
            guard code == SQLITE_OK else { return code }
            guard let memory = sqlite3_malloc(CInt(MemoryLayout<sqlite3_vtab>.size)) else {
                return SQLITE_NOMEM
            }
            let new = memory.bindMemory(to: sqlite3_vtab.self, capacity: 1)
            new.initialize(to: sqlite3_vtab())
            table?.pointee = new
            return SQLITE_OK
        }
        module.xDisconnect = { table in
            sqlite3_free(table)
            return SQLITE_OK
        }
        module.xBestIndex = { _, info in info.map { ListTable.bestIndex(&$0.pointee) } ?? SQLITE_MISUSE }
        module.xOpen = { _, cursor in
            let new = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
            new.initialize(to: Cursor())
            cursor?.pointee = UnsafeMutableRawPointer(new).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
            return SQLITE_OK
        }
        module.xClose = { cursor in
            ListTable.withCursor(cursor) { cursor in
                cursor.deinitialize(count: 1)
                cursor.deallocate()
            }
            return SQLITE_OK
        }
        module.xFilter = { cursor, _, _, count, arguments in
            ListTable.withCursor(cursor) { cursor in
                let pointer = count == 1 ? sqlite3_value_pointer(arguments?[0], ListTable.typeName) : nil
                cursor.pointee.list = pointer.map { Unmanaged<Values>.fromOpaque($0) }
                cursor.pointee.position = 0
            }
            return SQLITE_OK
        }
        module.xNext = { cursor in
            ListTable.withCursor(cursor) { $0.pointee.position += 1 }
            return SQLITE_OK
        }
        module.xEof = { cursor in
            var isAtEnd = true
            ListTable.withCursor(cursor) { isAtEnd = $0.pointee.position >= $0.pointee.count }
            return isAtEnd ? 1 : 0
        }
        module.xColumn = { cursor, context, column in
            ListTable.withCursor(cursor) { cursor in
                guard column == 0, let value = cursor.pointee.value else {
                    return sqlite3_result_null(context)
                }
                ListTable.give(value, to: context)
            }
            return SQLITE_OK
        }
        module.xRowid = { cursor, rowid in
            ListTable.withCursor(cursor) { rowid?.pointee = Int64($0.pointee.position) }
            return SQLITE_OK
        }
        let pointer = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        pointer.initialize(to: module)
        return Module(pointer: pointer)
    }()

    private static func withCursor(
        _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ body: (UnsafeMutablePointer<Cursor>) -> Void
    ) {
        guard let cursor else { return }
        body(UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: Cursor.self))
    }

    /// Chooses the only possible plan: the hidden column is constrained.
    private static func bestIndex(_ info: inout sqlite3_index_info) -> CInt {
        for index in 0..<Int(info.nConstraint) {
            let constraint = info.aConstraint[index]
            guard constraint.iColumn == 1, CInt(constraint.op) == SQLITE_INDEX_CONSTRAINT_EQ else { continue }
            guard constraint.usable != 0 else { return SQLITE_CONSTRAINT }
            info.aConstraintUsage[index].argvIndex = 1
            info.aConstraintUsage[index].omit = 1
            info.estimatedCost = 1
            info.estimatedRows = 25
            return SQLITE_OK
        }
        return SQLITE_CONSTRAINT
    }

    private static func give(_ value: StoredValue, to context: OpaquePointer?) {
        switch value {
        case .null: sqlite3_result_null(context)
        case .bool(let bool): sqlite3_result_int(context, bool ? 1 : 0)
        case .int(let integer), .timestamp(let integer): sqlite3_result_int64(context, integer)
        case .day(let day): sqlite3_result_int64(context, Int64(day.daysSince1970))
        case .double(let double): sqlite3_result_double(context, double)
        case .decimal(let decimal):
            give(CanonicalDecimal.text(decimal) ?? "", to: context)
        case .text(let text), .json(let text): give(text, to: context)
        case .blob(let data):
            data.withUnsafeBytes { bytes in
                // An empty blob must not become NULL, and may have no address, so it is returned as a zeroblob.
                if bytes.isEmpty { return sqlite3_result_zeroblob(context, 0) }
                sqlite3_result_blob64(context, bytes.baseAddress, UInt64(bytes.count), SQLiteBytes.copied)
            }
        case .uuid(let uuid):
            withUnsafeBytes(of: uuid.uuid) {
                sqlite3_result_blob64(context, $0.baseAddress, UInt64($0.count), SQLiteBytes.copied)
            }
        }
    }

    private static func give(_ text: String, to context: OpaquePointer?) {
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                sqlite3_result_text64(
                    context, $0.baseAddress ?? SQLiteBytes.empty, UInt64($0.count),
                    SQLiteBytes.copied,
                    UInt8(SQLITE_UTF8))
            }
        }
    }
}

extension ListTable.Cursor {
    fileprivate var count: Int { list?.takeUnretainedValue().values.count ?? 0 }

    fileprivate var value: StoredValue? {
        guard let values = list?.takeUnretainedValue().values, values.indices.contains(position) else {
            return nil
        }
        return values[position]
    }
}
