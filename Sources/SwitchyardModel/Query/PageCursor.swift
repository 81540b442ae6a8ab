internal import Foundation

/// The position in a sorted query where a page ended: opaque text that can be stored, sent and passed back.
///
/// It contains the last row's values of the sort keys, so it remains valid while rows come and go. It also contains a
/// digest of its query (the entity, the condition with all constants, the order, and any scopes, but not the page size)
/// and is only valid for that query, in any process and on any backend. It is not encrypted: do not give it to anyone
/// who must not see those values.
public struct PageCursor: Sendable, Hashable {
    let query: String
    let values: [StoredValue]

    package init(query: String, values: [StoredValue]) {
        self.query = query
        self.values = values
    }

    /// Parses the text form; nil if the text is not a cursor.
    public init?(_ text: String) {
        var base64 = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: base64),
            let content = try? JSONDecoder().decode(Content.self, from: data)
        else { return nil }
        self.init(query: content.query, values: content.values)
    }

    /// The content of the text form.
    private struct Content: Codable {
        let query: String
        let values: [StoredValue]
    }
}

extension PageCursor: LosslessStringConvertible {
    /// The text form: letters, digits, `-` and `_` only.
    public var description: String {
        // Names and stored values always encode.
        let json = (try? CanonicalJSON.text(Content(query: query, values: values))) ?? ""
        return Data(json.utf8).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }
}

extension PageCursor: Codable {
    /// Decodes the text form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let cursor = PageCursor(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "The text is not a page cursor.")
        }
        self = cursor
    }

    /// Encodes the text form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension PageCursor {
    /// The rows after the cursor as consecutive stretches, in order, with a condition for each.
    ///
    /// A single condition would join the stretches by `OR`, with which no database reads an index in its order. Each
    /// stretch is one range of an index over the sort keys: equal to the cursor's row in the first few, and after it in
    /// the next.
    ///
    /// - Throws: `invalidArgument` if the cursor belongs to another query, or was tampered with; what the validation
    ///   throws.
    package func stretches(
        in entity: Entity, of schema: Schema, order: [SortKey], ofQuery digest: String,
        validating validated: (Condition) throws -> Condition
    ) throws -> [Condition] {
        guard query == digest, values.count == order.count else {
            throw StoreError(
                .invalidArgument,
                "The page cursor belongs to another query: its rows, a constant in their condition or its order "
                    + "differ. Use the query of the previous page, or start again without a cursor.",
                entity: entity.name)
        }
        var before: [Condition] = []
        var stretches: [Condition] = []
        for (key, value) in zip(order, values) {
            let isScope = key.isOwn(StoreScope.attribute.name)
            let (_, type, canBeNil) =
                try isScope ? (key, .uuid, false) : key.validated(in: entity, schema)
            guard value.type == nil || type == nil || value.type == type
            else {
                throw StoreError(
                    .invalidArgument, "The page cursor is damaged. Start again without a cursor.",
                    entity: entity.name)
            }
            // Rows that share more sort keys with the cursor's row come first.
            let following = try key.following(value, of: type, canBeNil: canBeNil).map { following in
                // The scope is not one of the entity's attributes, and comes after all of them.
                isScope
                    ? try validated(.all(of: before)) && following
                    : try validated(.all(of: before + [following]))
            }
            stretches = following + stretches
            before.append(key.compared(.equal, value))
        }
        return stretches
    }
}

extension SortKey {
    /// The values that sort after a given one, as ranges in order.
    fileprivate func following(
        _ value: StoredValue, of type: AttributeType?, canBeNil: Bool
    ) -> [Condition] {
        switch (nils, value.isNull) {
        case (.first, true):
            // SQLite uses an index range for `>=`, but for `IS NOT NULL` only in some of its builds.
            let least = direction == .ascending ? type?.least : nil
            return [
                least.map { compared(.greaterOrEqual, $0) } ?? compared(.notEqual, .null)
            ]
        case (.last, true): return []
        case (_, false):
            let later = compared(direction == .ascending ? .greater : .less, value)
            return nils == .last && canBeNil ? [later, compared(.equal, .null)] : [later]
        }
    }
}

extension AttributeType {
    /// The smallest value that can be stored; nil for JSON, which has no order.
    fileprivate var least: StoredValue? {
        switch self {
        case .bool: .bool(false)
        case .int: .int(.min)
        case .double: .double(-.infinity)
        case .decimal: Decimal(string: "-" + String(repeating: "9", count: 38)).map { .decimal($0) }
        case .text: .text("")
        case .blob: .blob(Data())
        case .uuid: .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        case .timestamp: .timestamp(Timestamp.range.lowerBound)
        case .day: CalendarDay(daysSince1970: -719_162).map { .day($0) }
        case .json: nil
        }
    }
}

/// Some rows of a query, and the cursor of the next page.
public struct Page<Element: Sendable>: Sendable {
    /// The rows, in the query's order.
    public let items: [Element]
    /// The cursor of the next page; nil if there are no more rows.
    public let next: PageCursor?

    /// Creates a page.
    public init(items: [Element], next: PageCursor?) {
        self.items = items
        self.next = next
    }
}
