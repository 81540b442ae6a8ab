public import SwitchyardCore

/// A query read from text: which rows of an entity, in what order, and what the answer has of each; or figures over them.
///
/// ```swift
/// let query = try StoredQuery(parsing: "Film where director.name = 'Agnès Varda' sort year", schema: store.schema)
/// let answer = try await store.read { try $0.answer(query) }
/// ```
///
/// It consists of the values that a typed query becomes, and never of SQL, so every backend answers it alike. Its
/// `description` is a text that parses to the same query.
public struct StoredQuery: Sendable, Hashable {
    /// The entity of the rows.
    public let entity: String
    /// The condition that the rows fulfil.
    public internal(set) var condition = Condition.constant(true)
    /// The sort keys; the id breaks ties.
    public internal(set) var order: [SortKey] = []
    /// The maximum number of rows or groups; nil for all.
    ///
    /// A program that answers the queries of others sets it for those without.
    public var limit: Int?
    /// The number of rows or groups to skip.
    public internal(set) var offset = 0
    /// The attributes that the answer has of each row; nil for all of the entity's own.
    public internal(set) var shown: [AttributePath]?
    /// What the answer adds to each row.
    public internal(set) var included: [Inclusion] = []
    /// The figures that the answer has instead of rows; nil for rows.
    public internal(set) var figures: Figures?

    init(entity: String) { self.entity = entity }
}

/// An attribute of a row, or of one that references lead to.
public struct AttributePath: Sendable, Hashable {
    /// The references that lead to the row that has the attribute; empty for the row itself.
    public let references: [String]
    /// The attribute's name.
    public let attribute: String
}

/// What an answer adds to each row of a query.
public struct Inclusion: Sendable, Hashable {
    /// What is added.
    public enum Kind: Sendable, Hashable {
        /// The row that a reference points to, if any.
        case row
        /// The rows of a to-many relationship.
        case rows
        /// The first row of a to-many relationship, if any.
        case first
        /// A figure over the rows of a to-many relationship.
        case figure(AggregateFunction)
    }

    /// What is added.
    public let kind: Kind
    /// The references that lead to the row that has the relationship; empty for the row itself.
    public let references: [String]
    /// The reference or the to-many relationship.
    public let relationship: String
    /// Which related rows, and what of them; a limit is one for each row.
    public let query: StoredQuery
    /// The name in the answer, if it was given one.
    public let alias: String?

    /// The name in the answer, without that of the references.
    public var title: String {
        if let alias { return alias }
        return switch kind {
        case .row, .rows: relationship
        case .first: "first(\(relationship))"
        case .figure(let function): function.title(over: relationship)
        }
    }
}

/// Figures over the groups of a query's rows.
public struct Figures: Sendable, Hashable {
    /// The keys of the groups; empty for one group of all rows.
    public internal(set) var keys: [FigureKey] = []
    /// What is calculated for each group; empty where only the keys are wanted.
    public var functions: [AggregateFunction] { items.map(\.figure.function) }
    var items: [Item] = []
    /// Which groups are wanted, and what they are sorted by before their keys.
    var choice = GroupChoice()

    /// A figure of the answer.
    struct Item: Sendable, Hashable {
        let figure: GroupFigure
        /// The name in the answer, if it was given one.
        let alias: String?

        var title: String { alias ?? figure.title }
    }

    /// The names of the keys and then of the figures.
    var titles: [String] { keys.map(\.title) + items.map(\.title) }
}

extension GroupFigure {
    /// The figure's name in the answer, such as `running(sum(amount))`.
    fileprivate var title: String {
        switch span {
        case .group: function.title()
        case .running: "running(\(function.title()))"
        case .overall: "overall(\(function.title()))"
        }
    }
}

extension AggregateFunction {
    /// The function's name in the answer, such as `sum(amount)` or, over a relationship, `sum(feeds.amount)`.
    func title(over relationship: String? = nil) -> String {
        guard calculated == nil, fraction == nil else {
            return inQuery(over: [relationship].compactMap(\.self))
        }
        let path = [relationship, attribute].compactMap(\.self).joined(separator: ".")
        return path.isEmpty ? word : "\(word)(\(path))"
    }

    /// The fraction of a percentile that is not the median.
    var fraction: Double? {
        if case .percentile(_, let fraction) = plain, fraction != 0.5 { fraction } else { nil }
    }
}
