internal import Foundation
internal import SwitchyardCore

/// How the values of a column are read.
enum Reading: Sendable {
    /// As SQLite has them.
    case plain
    /// Seconds since 2001-01-01 UTC.
    case date
    /// 16 bytes.
    case uuid
    /// Bytes behind a marker, or the name of a file that has them.
    case external
    /// A keyed archive, which becomes JSON if it holds nothing but what property lists hold.
    case archive

    /// The value of a cell.
    func value(_ cell: Cell, _ files: ExternalFiles) -> ForeignValue {
        switch (self, cell.kind) {
        case (.date, _): Self.time(cell) ?? ForeignValue(cell)
        case (.uuid, .blob) where cell.count == 16:
            .uuid(UUID(uuid: cell.bytes.loadUnaligned(as: uuid_t.self)))
        case (.external, .blob): files.value(cell.bytes)
        case (.archive, .blob):
            (try? ArchivedValue(archive: Array(cell.bytes)))?.json.map { .text($0) } ?? ForeignValue(cell)
        default: ForeignValue(cell)
        }
    }

    /// The time of a cell; nil if it has none of the years that a store has.
    static func time(_ cell: Cell) -> ForeignValue? {
        let seconds: Double? =
            switch cell.kind {
            case .double: cell.double
            case .integer: Double(cell.word)
            default: nil
            }
        return seconds.flatMap { Timestamp.microseconds(Date(timeIntervalSinceReferenceDate: $0)) }
            .map { .timestamp($0) }
    }

    /// The type of the values in words.
    func type(_ declared: String) -> String {
        switch self {
        case .plain: declared.lowercased()
        case .date: "timestamp"
        case .uuid: "uuid"
        case .external: "blob"
        case .archive: "json"
        }
    }
}

extension ArchivedValue {
    /// The value as canonical JSON, in which a model's attribute reads a date, data and a UUID again; a set is in the order of
    /// its elements' JSON.
    ///
    /// - Returns: Nil for a number or a date that JSON cannot have.
    var json: String? {
        switch self {
        case .null: return "null"
        case .bool(let flag): return try? CanonicalJSON.text(flag)
        case .integer(let number): return try? CanonicalJSON.text(number)
        case .real(let number): return try? CanonicalJSON.text(number)
        case .decimal(let number): return try? CanonicalJSON.text(number)
        case .text(let text): return try? CanonicalJSON.text(text)
        case .date(let seconds):
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            return Timestamp.microseconds(date) == nil ? nil : try? CanonicalJSON.text(date)
        case .data(let data): return try? CanonicalJSON.text(data)
        case .uuid(let uuid): return try? CanonicalJSON.text(uuid)
        case .array(let elements): return Self.array(elements.map(\.json))
        case .set(let elements):
            let texts = elements.compactMap(\.json)
            return texts.count == elements.count ? Self.array(texts.sorted()) : nil
        case .dictionary(let members):
            var texts: [String] = []
            for (name, value) in members {
                guard let json = value.json, let name = try? CanonicalJSON.text(name) else { return nil }
                texts.append("\(name):\(json)")
            }
            return CanonicalJSON.canonical("{\(texts.joined(separator: ","))}")
        }
    }

    private static func array(_ elements: [String?]) -> String? {
        let texts = elements.compactMap { $0 }
        return texts.count == elements.count ? "[\(texts.joined(separator: ","))]" : nil
    }
}
