/// What a fetch adds to each row of its query: related rows, or figures over them.
///
/// ```swift
/// let cards = try tx.fetch(
///     Baby.sorted(by: \.name),
///     including: .count(\.feeds), .first(\.diapers) { $0.sorted(by: \.time, .descending) })
/// for (baby, feeds, lastDiaper) in cards { … }
/// ```
///
/// It changes neither the rows of the query nor their order. Each relationship is one more statement, however many rows
/// there are, and all statements read the transaction's one snapshot.
public struct Related<Base: Model, Value: Sendable>: Sendable {
    /// The attribute of a base row that leads to the related rows: a reference, or the id.
    let local: Result<String, StoreError>
    /// Whether rows that the reference leads nowhere from are left out.
    let isRequired: Bool
    /// Reads the values that belong to some base rows, in the order of the base rows' keys.
    let load: @Sendable (ReadTransaction, [RelatedKey], WindowRows) throws -> [Value]
}

extension Related {
    /// What belongs to rows whatever the others are.
    fileprivate init(
        local: Result<String, StoreError>, isRequired: Bool,
        load: @escaping @Sendable (ReadTransaction, [RelatedKey]) throws -> [Value]
    ) {
        self.init(local: local, isRequired: isRequired) { tx, keys, _ in try load(tx, keys) }
    }
}

extension Related {
    /// The row that a reference points to.
    ///
    /// - Parameter reference: A reference that is never nil.
    /// - Returns: What to include.
    public static func one(_ reference: KeyPath<Base, Identifier<Value>>) -> Related<Base, Value>
    where Value: Model {
        required(reference)
    }

    /// The row that an optional reference points to; nil if the reference is.
    public static func one<Target: Model>(_ reference: KeyPath<Base, Identifier<Target>?>) -> Self
    where Value == Target? {
        let association = association(at: reference)
        return Related(local: association.map(\.local), isRequired: false) { tx, keys in
            let found: [RelatedKey: [Target]] = try tx.related(
                Target.all, by: try association.get().key, keys)
            return keys.map { found[$0]?.first }
        }
    }

    /// The row that an optional reference points to; rows without one are left out.
    ///
    /// The limit and the offset of their query count the rows that are left.
    public static func required(_ reference: KeyPath<Base, Identifier<Value>?>) -> Self where Value: Model {
        required(reference as PartialKeyPath<Base>)
    }

    /// The row that an optional reference points to, with what belongs to that; nil if the reference is.
    public static func one<Target: Model, First, each Rest>(
        _ reference: KeyPath<Base, Identifier<Target>?>, including first: Related<Target, First>,
        _ rest: repeat Related<Target, each Rest>
    ) -> Self where Value == (Target, First, repeat each Rest)? {
        let association = association(at: reference)
        return Related(local: association.map(\.local), isRequired: false) { tx, keys in
            let found = try tx.related(
                Target.all, by: try association.get().key, keys, including: first, repeat each rest)
            return keys.map { found[$0]?.first }
        }
    }

    /// The row that a reference points to, with what belongs to that.
    ///
    /// - Parameters:
    ///   - reference: A reference that is never nil.
    ///   - first: What to add to the row.
    ///   - rest: What else to add.
    /// - Returns: What to include.
    public static func one<Target: Model, First, each Rest>(
        _ reference: KeyPath<Base, Identifier<Target>>, including first: Related<Target, First>,
        _ rest: repeat Related<Target, each Rest>
    ) -> Self where Value == (Target, First, repeat each Rest) {
        let association = association(at: reference)
        return Related(local: association.map(\.local), isRequired: true) { tx, keys in
            let found = try tx.related(
                Target.all, by: try association.get().key, keys, including: first, repeat each rest)
            return try keys.map { try reached(found[$0]?.first, by: association) }
        }
    }

    private static func required(_ reference: PartialKeyPath<Base>) -> Self where Value: Model {
        let association = association(at: reference)
        return Related(local: association.map(\.local), isRequired: true) { tx, keys in
            let found: [RelatedKey: [Value]] = try tx.related(Value.all, by: try association.get().key, keys)
            return try keys.map { try reached(found[$0]?.first, by: association) }
        }
    }

    private static func reached<Row>(_ row: Row?, by association: Result<Association, StoreError>) throws
        -> Row
    {
        guard let row else {
            throw StoreError(
                .corrupted, "A reference points to a row that does not exist. Run the store's check.",
                entity: Base.entityName, attribute: try association.get().local)
        }
        return row
    }

    /// What a reference or a to-many relationship leads to.
    fileprivate static func association(at keyPath: PartialKeyPath<Base>) -> Result<Association, StoreError> {
        Base.entity.flatMap { entity in
            guard let association = Base.storedName(at: keyPath).flatMap(entity.association) else {
                return .failure(
                    StoreError(
                        .unsupported, "\(keyPath.subject) is not a relationship of the model's own.",
                        entity: Base.entityName))
            }
            return .success(association)
        }
    }
}

extension Related {
    /// The rows of a to-many relationship.
    ///
    /// - Parameters:
    ///   - relationship: The relationship.
    ///   - refine: Narrows the rows down, sorts them, and limits how many belong to each base row.
    /// - Returns: What to include.
    public static func all<Target: Model>(
        _ relationship: KeyPath<Base, ToMany<Target>>, _ refine: (Query<Target>) -> Query<Target> = { $0 }
    ) -> Self where Value == [Target] {
        let (association, query) = (association(at: relationship), refine(.init()))
        return Related(local: association.map(\.local), isRequired: false) { tx, keys in
            let found: [RelatedKey: [Target]] = try tx.related(query, by: try association.get().key, keys)
            return keys.map { found[$0] ?? [] }
        }
    }

    /// The rows of a to-many relationship, each with what belongs to it.
    ///
    /// - Parameters:
    ///   - relationship: The relationship.
    ///   - refine: Narrows the rows down, sorts them, and limits how many belong to each base row.
    ///   - first: What to add to each of them.
    ///   - rest: What else to add.
    /// - Returns: What to include.
    public static func all<Target: Model, First, each Rest>(
        _ relationship: KeyPath<Base, ToMany<Target>>, _ refine: (Query<Target>) -> Query<Target> = { $0 },
        including first: Related<Target, First>, _ rest: repeat Related<Target, each Rest>
    ) -> Self where Value == [(Target, First, repeat each Rest)] {
        let (association, query) = (association(at: relationship), refine(.init()))
        return Related(local: association.map(\.local), isRequired: false) { tx, keys in
            let found = try tx.related(
                query, by: try association.get().key, keys, including: first, repeat each rest)
            return keys.map { found[$0] ?? [] }
        }
    }

    /// The first row of a to-many relationship; nil if it has none.
    ///
    /// - Parameters:
    ///   - relationship: The relationship.
    ///   - refine: Narrows the rows down and sorts them; without an order, the first is the one with the smallest id.
    /// - Returns: What to include.
    public static func first<Target: Model>(
        _ relationship: KeyPath<Base, ToMany<Target>>, _ refine: (Query<Target>) -> Query<Target> = { $0 }
    ) -> Self where Value == Target? {
        let (association, query) = (association(at: relationship), refine(.init()).limit(1))
        return Related(local: association.map(\.local), isRequired: false) { tx, keys in
            let found: [RelatedKey: [Target]] = try tx.related(query, by: try association.get().key, keys)
            return keys.map { found[$0]?.first }
        }
    }

    /// The number of rows of a to-many relationship.
    ///
    /// - Parameters:
    ///   - relationship: The relationship.
    ///   - refine: Narrows the rows down; a limit or an offset is refused.
    /// - Returns: What to include.
    public static func count<Target: Model>(
        _ relationship: KeyPath<Base, ToMany<Target>>, _ refine: (Query<Target>) -> Query<Target> = { $0 }
    ) -> Self where Value == Int {
        figure(relationship, .count, refine)
    }

    /// A figure over the rows of a to-many relationship.
    ///
    /// - Parameters:
    ///   - relationship: The relationship.
    ///   - figure: The figure; of no rows it is what `ReadTransaction.aggregate` says.
    ///   - refine: Narrows the rows down; a limit or an offset is refused.
    /// - Returns: What to include.
    public static func figure<Target: Model>(
        _ relationship: KeyPath<Base, ToMany<Target>>, _ figure: Aggregate<Target, Value>,
        _ refine: (Query<Target>) -> Query<Target> = { $0 }
    ) -> Self {
        let (association, query) = (association(at: relationship), refine(.init()))
        let function = figure.function
        return Related(local: association.map(\.local), isRequired: false) { tx, keys in
            try tx.figures(try function.get(), of: query, by: try association.get().key, keys)
        }
    }
}
