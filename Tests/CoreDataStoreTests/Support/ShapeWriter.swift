import Foundation
import GRDB

/// Writes the file of a shape, by the rules that real files of Core Data and SwiftData show.
struct ShapeWriter {
    let shape: Shape
    let file: URL
    /// The columns of each table, with their declared types.
    private var tables: [String: [(name: String, type: String)]] = [:]
    /// The column of a property, by the entity that declares it.
    private var columns: [String: String] = [:]

    static func write(_ shape: Shape, to file: URL, inLog: Bool = false) throws {
        var writer = ShapeWriter(shape: shape, file: file)
        writer.lay()
        let queue = try DatabaseQueue(path: file.path)
        if inLog {
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
        }
        try queue.write { try writer.write($0) }
        try queue.close()
    }

    init(shape: Shape, file: URL) { (self.shape, self.file) = (shape, file) }

    // MARK: Layout

    private func table(_ entity: String) -> String {
        "Z" + (shape.line(entity).first?.name ?? "").uppercased()
    }

    private mutating func lay() {
        for entity in shape.numbered {
            let table = table(entity.name)
            if entity.parent == nil {
                tables[table] = [("Z_PK", "INTEGER PRIMARY KEY"), ("Z_ENT", "INTEGER"), ("Z_OPT", "INTEGER")]
            }
            for attribute in entity.attributes.sorted(by: { $0.name < $1.name }) {
                lay(attribute, [], entity.name, table)
            }
            for relationship in entity.relationships.sorted(by: { $0.name < $1.name })
            where !relationship.isToMany {
                let column = add("Z" + relationship.name.uppercased(), "INTEGER", to: table)
                columns["\(entity.name).\(relationship.name)"] = column
                if shape.concrete(relationship.destination).count > 1 {
                    tables[table]?.append(
                        ("Z\(shape.number(relationship.destination))_\(column.dropFirst())", "INTEGER"))
                }
                let inverse = shape.entity(relationship.destination).relationships.first {
                    $0.name == relationship.inverse
                }
                if inverse?.isOrdered == true {
                    tables[table]?.append(("Z_FOK_\(column.dropFirst())", "INTEGER"))
                }
            }
        }
        for entity in shape.numbered {
            for relationship in entity.relationships
            where relationship.isToMany && relationship.inverse == nil {
                let column = add(
                    "Z\(shape.number(entity.name))\(relationship.name.uppercased())", "INTEGER",
                    to: table(relationship.destination))
                columns["\(entity.name)_\(relationship.name)"] = column
            }
        }
    }

    private mutating func lay(
        _ attribute: Shape.Attribute, _ path: [String], _ entity: String, _ table: String
    ) {
        let path = path + [attribute.name]
        guard attribute.type != 2100 else {
            for element in attribute.elements { lay(element, path, entity, table) }
            return
        }
        let types: [Int64: String] = [
            400: "DECIMAL", 500: "FLOAT", 600: "FLOAT", 700: "VARCHAR", 900: "TIMESTAMP", 1000: "BLOB",
            1100: "BLOB",
            1200: "VARCHAR", 1800: "BLOB",
        ]
        columns["\(entity).\(path.joined(separator: "."))"] = add(
            "Z" + path.joined().uppercased(), types[attribute.type] ?? "INTEGER", to: table)
    }

    private mutating func add(_ base: String, _ type: String, to table: String) -> String {
        var (name, number) = (base, 0)
        while tables[table]?.contains(where: { $0.name == name }) == true {
            number += 1
            name = "\(base)\(number)"
        }
        tables[table]?.append((name, type))
        return name
    }

    /// The column of a property that an entity has or inherits.
    private func column(_ entity: String, _ property: String) -> String {
        shape.line(entity).compactMap { columns["\($0.name).\(property)"] }.first ?? columns[property] ?? "?"
    }

    // MARK: Rows

    private func write(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
                CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
                CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
                """)
        for (index, entity) in shape.numbered.enumerated() {
            let last = shape.rows.filter {
                entity.parent == nil && shape.line($0.entity)[0].name == entity.name
            }
            try database.execute(
                sql: "INSERT INTO Z_PRIMARYKEY VALUES (?, ?, ?, ?)",
                arguments: [
                    index + 1, entity.name, entity.parent.map { shape.number($0) } ?? 0,
                    last.map(\.key).max() ?? 0,
                ])
        }
        try database.execute(
            sql: "INSERT INTO Z_METADATA VALUES (1, ?, NULL)", arguments: [shape.storeID])
        if shape.hasModel {
            try database.execute(
                sql: "INSERT INTO Z_MODELCACHE VALUES (?)",
                arguments: [Data(deflated(ShapeModel.bytes(shape)))]
            )
        }
        for (name, columns) in tables.sorted(by: { $0.key < $1.key }) {
            let list = columns.map { "\($0.name) \($0.type)" }.joined(separator: ", ")
            try database.execute(sql: "CREATE TABLE \(name) (\(list))")
        }
        for row in shape.rows { try write(row, database) }
        try writePairs(database)
        try writeRecords(database)
    }

    private func write(_ row: Shape.Row, _ database: Database) throws {
        var values: [(String, (any DatabaseValueConvertible)?)] = [
            ("Z_PK", row.key), ("Z_ENT", shape.number(row.entity)), ("Z_OPT", 1),
        ]
        for (name, value) in row.values {
            let attribute = shape.line(row.entity).flatMap(\.attributes).first { $0.name == name }
            values.append(
                (column(row.entity, name), try stored(value, isExternal: attribute?.isExternal == true)))
        }
        for (name, target) in row.references {
            let column = column(row.entity, name)
            values.append((column, target.key))
            let tail = "_" + column.dropFirst()
            if let entityColumn = tables[table(row.entity)]?.map(\.name).first(where: {
                $0.hasSuffix(tail) && !$0.hasPrefix("Z_FOK")
            }) {
                values.append((entityColumn, shape.number(target.entity)))
            }
            if let position = row.positions[name] { values.append(("Z_FOK_\(column.dropFirst())", position)) }
        }
        try database.execute(
            sql: "INSERT INTO \(table(row.entity)) (\(values.map(\.0).joined(separator: ", "))) VALUES "
                + "(\(values.map { _ in "?" }.joined(separator: ", ")))",
            arguments: StatementArguments(values.map(\.1)))
    }

    private func stored(
        _ value: Shape.Value, isExternal: Bool
    ) throws -> (any DatabaseValueConvertible)? {
        switch value {
        case .integer(let number): return number
        case .real(let number), .date(let number): return number
        case .text(let text): return text
        case .bool(let flag): return flag ? 1 : 0
        case .uuid(let uuid): return withUnsafeBytes(of: uuid.uuid) { Data($0) }
        case .data(let bytes):
            guard isExternal else { return Data(bytes) }
            // Small values stay in the file.
            guard bytes.count > 100 else { return Data([1] + bytes) }
            let name = UUID().uuidString
            let directory = file.deletingLastPathComponent().appending(
                path: ".\(file.deletingPathExtension().lastPathComponent)_SUPPORT/_EXTERNAL_DATA")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try Data(bytes).write(to: directory.appending(path: name))
            return Data([2] + name.utf8 + [0])
        case .texts(let texts):
            return try NSKeyedArchiver.archivedData(withRootObject: texts, requiringSecureCoding: false)
        }
    }

    private func writePairs(_ database: Database) throws {
        var done: Set<String> = []
        for entity in shape.numbered {
            for relationship in entity.relationships where relationship.isToMany {
                let target = shape.entity(relationship.destination)
                guard let inverse = target.relationships.first(where: { $0.name == relationship.inverse }),
                    inverse.isToMany, !done.contains("\(entity.name).\(relationship.name)")
                else { continue }
                done.formUnion(["\(entity.name).\(relationship.name)", "\(target.name).\(inverse.name)"])
                let table = "Z_\(shape.number(entity.name))\(relationship.name.uppercased())"
                let isOwn = entity.name == target.name && inverse.name == relationship.name
                let there = "Z_\(shape.number(target.name))\(relationship.name.uppercased())"
                let back = isOwn ? "REFLEXIVE" : "Z_\(shape.number(entity.name))\(inverse.name.uppercased())"
                let order = relationship.isOrdered ? "Z_FOK_\(there.dropFirst(2))" : nil
                try database.execute(
                    sql:
                        "CREATE TABLE \(table) (\(back) INTEGER, \(there) INTEGER\(order.map { ", \($0) INTEGER" } ?? ""), "
                        + "PRIMARY KEY (\(back), \(there)))")
                for pair in shape.pairs
                where pair.entity == entity.name && pair.relationship == relationship.name {
                    try database.execute(
                        sql:
                            "INSERT INTO \(table) (\(back), \(there)\(order.map { ", \($0)" } ?? "")) VALUES (?, ?\(order == nil ? "" : ", ?"))",
                        arguments: StatementArguments(
                            [pair.owner, pair.target] + (order == nil ? [] : [pair.position])))
                }
            }
        }
    }

    private func writeRecords(_ database: Database) throws {
        guard let records = shape.records else { return }
        try database.execute(
            sql: """
                CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                    ZENTITYID INTEGER, ZENTITYPK INTEGER, ZNEEDSCLOUDDELETE INTEGER, ZNEEDSLOCALDELETE INTEGER,
                    ZNEEDSUPLOAD INTEGER, ZRECORDZONE INTEGER, ZCKRECORDNAME VARCHAR);
                CREATE TABLE ANSCKRECORDZONEMETADATA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                    ZCKOWNERNAME VARCHAR, ZCKRECORDZONENAME VARCHAR);
                CREATE TABLE ANSCKDATABASEMETADATA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
                INSERT INTO ANSCKRECORDZONEMETADATA VALUES (1, 16007, 1, '__defaultOwner__', 'com.apple.coredata.cloudkit.zone'),
                    (2, 16007, 1, '_other', 'shared');
                INSERT INTO Z_PRIMARYKEY VALUES (16006, 'CKRecordMetadata', 0, 9), (16007, 'CKRecordZoneMetadata', 0, 2);
                """)
        for record in records {
            try database.execute(
                sql: """
                    INSERT INTO ANSCKRECORDMETADATA (Z_ENT, Z_OPT, ZENTITYID, ZENTITYPK, ZNEEDSCLOUDDELETE, ZNEEDSLOCALDELETE,
                        ZNEEDSUPLOAD, ZRECORDZONE, ZCKRECORDNAME) VALUES (16006, 1, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    shape.number(record.entity), record.key, record.needsCloudDelete, record.needsLocalDelete,
                    record.needsUpload, record.zone, record.name,
                ])
        }
    }
}
