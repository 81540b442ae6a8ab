public import Foundation

/// A question for rows of one model: which, in what order, and how many.
///
/// A query is built without throwing; what is wrong with it (a predicate that cannot be lowered, a negative
/// limit) is thrown by the transaction that runs it, on every backend alike.
public struct Query<Element: Model>: Sendable {
    /// The rows asked for, or why the predicate cannot be used.
    public var condition: Result<Condition, StoreError>
    /// The order asked for, or why it cannot be used.
    ///
    /// The id breaks ties and is the order where none is given.
    public var order: Result<[SortKey], StoreError>
    /// The most rows to give; nil for all.
    public var limit: Int?
    /// How many rows to leave out first.
    public var offset: Int

    /// All rows that fulfil a condition.
    public init(condition: Condition = .constant(true)) {
        self.condition = .success(condition)
        order = .success([])
        limit = nil
        offset = 0
    }

    /// The rows of this query that fulfil a predicate as well.
    public func `where`(_ predicate: Predicate<Element>) -> Self {
        var copy = self
        copy.condition = condition.flatMap { present in
            Condition.lowering(predicate).map { present && $0 }
        }
        return copy
    }

    /// The same rows sorted by an attribute, after the attributes that they are sorted by already.
    ///
    /// Text sorts by its UTF-8 bytes; nil first ascending and last descending.
    public func sorted<Value>(
        by keyPath: KeyPath<Element, Value>, _ direction: SortDirection = .ascending
    ) -> Self {
        var copy = self
        copy.order = order.flatMap { keys in
            Element.attribute(at: keyPath).map { keys + [SortKey($0, direction)] }
        }
        return copy
    }

    /// The first rows only.
    ///
    /// - Parameter count: 0 gives none; a negative number is refused with `invalidArgument`.
    /// - Returns: The narrower query.
    public func limit(_ count: Int) -> Self {
        var copy = self
        copy.limit = count
        return copy
    }

    /// The rows after the first few.
    ///
    /// - Parameter count: Past the end gives none; a negative number is refused with `invalidArgument`.
    /// - Returns: The narrower query.
    public func offset(_ count: Int) -> Self {
        var copy = self
        copy.offset = count
        return copy
    }
}

extension Model {
    /// All rows.
    public static var all: Query<Self> { Query() }

    /// The rows that fulfil a predicate.
    public static func `where`(_ predicate: Predicate<Self>) -> Query<Self> { all.where(predicate) }

    /// All rows sorted by an attribute.
    public static func sorted<Value>(
        by keyPath: KeyPath<Self, Value>, _ direction: SortDirection = .ascending
    ) -> Query<Self> {
        all.sorted(by: keyPath, direction)
    }

    /// The name of the stored attribute at a key path, or why there is none.
    public static func attribute(at keyPath: PartialKeyPath<Self>) -> Result<String, StoreError> {
        guard let name = storedName(at: keyPath),
            (try? entity.get())?.attribute(name) != nil
        else {
            return .failure(
                StoreError(
                    .unsupported,
                    "\(keyPath.subject) is not a stored attribute; only those can be used in a query, by the "
                        + "model's own name and not by a protocol's.", entity: entityName))
        }
        return .success(name)
    }

    /// The name of the attribute or relationship at a key path, the id's also where it is that of the protocol;
    /// nil for a property that is not stored.
    ///
    /// To Swift, `\.id` in code generic over models is another property than that of the model itself.
    static func storedName(at keyPath: PartialKeyPath<Self>) -> String? {
        attributeName(of: keyPath) ?? (keyPath == \Self.id ? "id" : nil)
    }
}

extension AnyKeyPath {
    /// The property as the subject of a message: by its types where Swift knows no name and would show an
    /// address, as it does for all that is not stored.
    var subject: String {
        let name = "\(self)"
        return name.contains("<computed")
            ? "A property of \(Self.rootType) of type \(Self.valueType)" : "`\(name)`"
    }
}
