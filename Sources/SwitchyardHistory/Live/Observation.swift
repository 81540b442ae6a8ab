/// The results of a read, whenever they change: now, and after each commit that touches what was read.
///
/// Commits that come quickly are answered together, and a slow consumer gets the newest result, not a queue: the store
/// is only read when the consumer asks for the next element.
public struct StoreObservation<Value: Sendable & Equatable>: AsyncSequence, Sendable {
    fileprivate let store: any Store
    fileprivate let body: @Sendable (ReadTransaction) throws -> Value

    /// Begins to follow the store.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(store: store, body: body, changes: store.changes().makeAsyncIterator())
    }

    /// Receives results.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let store: any Store
        fileprivate let body: @Sendable (ReadTransaction) throws -> Value
        fileprivate var changes: StoreChanges.AsyncIterator
        private var last: (value: Value, entities: Set<String>)?

        fileprivate init(
            store: any Store, body: @escaping @Sendable (ReadTransaction) throws -> Value,
            changes: StoreChanges.AsyncIterator
        ) {
            self.store = store
            self.body = body
            self.changes = changes
        }

        /// Waits until the result differs from the previous one.
        ///
        /// - Returns: The result; nil if the store was closed or the task was cancelled.
        /// - Throws: What the read throws; as `StoreChanges.AsyncIterator.next()`.
        public mutating func next() async throws -> Value? {
            guard let first = last else {
                try await changes.begin()
                last = try await read()
                return last?.value
            }
            var (value, entities) = first
            while let change = try await changes.next() {
                // Each commit changes the history.
                if let changed = change.entities, changed.isDisjoint(with: entities),
                    entities.isDisjoint(with: Entity.historyTables.map(\.name))
                {
                    continue
                }
                let old = value
                guard let new = try await read() else { return nil }
                (value, entities) = new
                last = new
                if value != old { return value }
            }
            return nil
        }

        /// Reads; nil if the store was closed or the task was cancelled.
        private func read() async throws -> (value: Value, entities: Set<String>)? {
            do {
                return try await store.read { [body] in try $0.tracking(body) }
            } catch let error as StoreError
                where error.code == .closed || error.code == .cancelled && Task.isCancelled
            {
                return nil
            }
        }
    }
}

extension Store {
    /// Observes the result of a read: once now, and again whenever a commit, by this process or another, has changed it.
    ///
    /// ```swift
    /// for try await feeds in store.observe({ try $0.fetch(Feed.where(#Predicate { $0.end == nil })) }) {
    ///     show(feeds)
    /// }
    /// ```
    ///
    /// What the body reads decides which commits matter, so it may read different things in each run.
    ///
    /// - Parameter body: Reads from the transaction; it may run again from the start.
    /// - Returns: The sequence of results, which ends when the store is closed or the task is cancelled.
    public func observe<Value: Sendable & Equatable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Value
    ) -> StoreObservation<Value> { StoreObservation(store: self, body: body) }

    /// Observes the rows of a query.
    ///
    /// - Returns: As `observe(_:)`.
    public func observe<Element: Model & Equatable>(_ query: Query<Element>) -> StoreObservation<[Element]> {
        observe { try $0.fetch(query) }
    }

    /// Observes the rows of a query, each made into a value with what belongs to it.
    ///
    /// ```swift
    /// let cards = store.observe(Baby.sorted(by: \.name), including: .count(\.feeds), as: BabyCard.init)
    /// ```
    ///
    /// - Parameters:
    ///   - query: The rows.
    ///   - first: What to add to each row.
    ///   - rest: What else to add.
    ///   - make: Makes a value of a row and of what belongs to it.
    /// - Returns: As `observe(_:)`.
    public func observe<Element: Model, First, each Rest, Row: Sendable & Equatable>(
        _ query: Query<Element>, including first: Related<Element, First>,
        _ rest: repeat Related<Element, each Rest>,
        as make: @escaping @Sendable (Element, First, repeat each Rest) throws -> Row
    ) -> StoreObservation<[Row]> {
        observe { try $0.fetch(query, including: first, repeat each rest, as: make) }
    }
}
