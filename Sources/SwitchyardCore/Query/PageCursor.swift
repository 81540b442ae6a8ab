internal import Foundation

/// The place in a sorted query where a page ended: opaque text that can be kept, sent and given back.
///
/// It holds the sorted attributes' values of the last row, so it stays good while rows come and go. It belongs
/// to one query, of which it holds a digest: the entity, the rows asked for with all constants, the order, and the
/// scopes if there are any, but not the size of the pages. Any process and any backend takes it on. It is not encrypted: do not hand it
/// to someone who may not see those values.
public struct PageCursor: Sendable, Hashable {
    let query: String
    let values: [StoredValue]

    init(query: String, values: [StoredValue]) {
        self.query = query
        self.values = values
    }

    /// Reads the text form; nil if it is no cursor's.
    public init?(_ text: String) {
        var base64 = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: base64),
            let content = try? JSONDecoder().decode(Content.self, from: data)
        else { return nil }
        self.init(query: content.query, values: content.values)
    }

    /// What the text form holds.
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
                in: container, debugDescription: "The text is no page cursor.")
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
    /// The rows after the cursor in stretches that follow each other in the order, as a condition each.
    ///
    /// One condition for all of them would join the stretches by `OR`, and through that no database reads an
    /// index in its order. Each stretch is one range of an index over the order's attributes: equal to the
    /// cursor's row in the first few, and behind it in the next.
    ///
    /// - Throws: `invalidArgument` if the cursor belongs to another query, or was tampered with; what the validation
    ///   throws.
    func stretches(
        in entity: Entity, order: [SortKey], ofQuery digest: String,
        validating validated: (Condition) throws -> Condition
    ) throws -> [Condition] {
        guard query == digest, values.count == order.count else {
            throw StoreError(
                .invalidArgument,
                "The page cursor belongs to another query: its rows, a constant in their condition or its order differ. "
                    + "Give the query of the page before, or begin again without a cursor.",
                entity: entity.name)
        }
        var before: [Condition] = []
        var stretches: [Condition] = []
        for (key, value) in zip(order, values) {
            let isScope = key.attribute == StoreScope.attribute.name
            guard let attribute = isScope ? StoreScope.attribute : entity.attribute(key.attribute),
                value.type ?? attribute.type == attribute.type
            else {
                throw StoreError(.invalidArgument, "The page cursor is damaged.", entity: entity.name)
            }
            // Rows that agree with the cursor's in more attributes come sooner.
            let following = try key.following(value, of: attribute).map { following in
                // The scope is no attribute of the entity's, and behind all that are.
                isScope
                    ? try validated(.all(of: before)) && following
                    : try validated(.all(of: before + [following]))
            }
            stretches = following + stretches
            before.append(.compare(.attribute(key.attribute), .equal, .value(value)))
        }
        return stretches
    }
}

extension SortKey {
    /// The values that sort after one, as ranges in order: nil sorts first ascending and last descending.
    fileprivate func following(_ value: StoredValue, of attribute: Attribute) -> [Condition] {
        let operand = Operand.attribute(self.attribute)
        switch (direction, value.isNull) {
        case (.ascending, true):
            // SQLite takes `>=` for a range of an index, and `IS NOT NULL` in some of its builds only.
            let least = attribute.type.least
            return [
                least.map { .compare(operand, .greaterOrEqual, .value($0)) }
                    ?? .compare(operand, .notEqual, .value(.null))
            ]
        case (.ascending, false): return [.compare(operand, .greater, .value(value))]
        case (.descending, true): return []
        case (.descending, false):
            let less = Condition.compare(operand, .less, .value(value))
            return attribute.isOptional ? [less, .compare(operand, .equal, .value(.null))] : [less]
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

/// Some of a query's rows, and where to go on.
public struct Page<Element: Sendable>: Sendable {
    /// The rows, in the query's order.
    public let items: [Element]
    /// Where the next page begins; nil if there are no more rows.
    public let next: PageCursor?

    /// Describes a page.
    public init(items: [Element], next: PageCursor?) {
        self.items = items
        self.next = next
    }
}
