public import Observation

/// The newest result of a read, for a view.
///
/// ```swift
/// @State private var feeds = LiveQuery(Feed.all.sorted(by: \.start), of: store)
/// …
/// List(feeds.value) { … }
///     .overlay { if feeds.phase == .reading { ProgressView() } }
/// ```
///
/// It follows the store from its creation until it is released.
@MainActor
@Observable
public final class LiveQuery<Value: Sendable & Equatable> {
    /// The newest result; the initial value until the first result arrives.
    ///
    /// After a change of the query, the previous result stays until the new one has been read.
    public private(set) var value: Value
    /// Whether `value` is the result of the query, and still follows the store.
    public private(set) var phase = LiveQueryPhase.reading
    /// The error that ended the observation, if any; `value` stays what it was.
    public private(set) var error: (any Error)?
    @ObservationIgnored private let store: any Store
    @ObservationIgnored private var task: Task<Void, Never>?

    /// Observes a read.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - initialValue: The value until the first result is there.
    ///   - body: Reads from the transaction; it may run again from the start.
    public init(
        of store: any Store, initialValue: Value,
        _ body: @escaping @Sendable (ReadTransaction) throws -> Value
    ) {
        value = initialValue
        self.store = store
        follow(body)
    }

    /// Observes the rows of a query.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - store: The store.
    ///   - initialValue: The rows until the first result is there.
    public convenience init<Element: Model & Equatable>(
        _ query: Query<Element>, of store: any Store, initialValue: [Element] = []
    ) where Value == [Element] {
        self.init(of: store, initialValue: initialValue) { try $0.fetch(query) }
    }

    /// Observes the rows of a query, each made into a value with what belongs to it.
    ///
    /// ```swift
    /// @State private var cards = LiveQuery(
    ///     Baby.sorted(by: \.name), including: .count(\.feeds), as: BabyCard.init, of: store)
    /// ```
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - first: What to add to each row.
    ///   - rest: What else to add.
    ///   - make: Makes a value of a row and of what belongs to it.
    ///   - store: The store.
    ///   - initialValue: The values until the first result is there.
    public convenience init<Element: Model, First, each Rest, Row>(
        _ query: Query<Element>, including first: Related<Element, First>,
        _ rest: repeat Related<Element, each Rest>,
        as make: @escaping @Sendable (Element, First, repeat each Rest) throws -> Row,
        of store: any Store, initialValue: [Row] = []
    ) where Value == [Row] {
        self.init(of: store, initialValue: initialValue) {
            try $0.fetch(query, including: first, repeat each rest, as: make)
        }
    }

    deinit { task?.cancel() }

    /// Observes another read from now on, also after an error.
    ///
    /// No result of the read before arrives afterwards.
    ///
    /// - Parameter body: Reads from the transaction; it may run again from the start.
    public func follow(_ body: @escaping @Sendable (ReadTransaction) throws -> Value) {
        task?.cancel()
        phase = .reading
        error = nil
        task = Task { [weak self, store] in
            do {
                for try await value in store.observe(body) {
                    guard let self, !Task.isCancelled else { return }
                    self.value = value
                    phase = .following
                }
                guard !Task.isCancelled else { return }
                self?.phase = .ended
            } catch {
                guard !Task.isCancelled else { return }
                self?.error = error
                self?.phase = .ended
            }
        }
    }

    /// Observes the rows of another query from now on, as those of a changed search.
    ///
    /// - Parameter query: The query.
    public func follow<Element: Model & Equatable>(_ query: Query<Element>) where Value == [Element] {
        follow { try $0.fetch(query) }
    }
}

/// The phase of a `LiveQuery`.
public enum LiveQueryPhase: Sendable, Hashable {
    /// The first result, or the first since the query was changed, has not arrived yet.
    case reading
    /// The value is the newest result.
    case following
    /// The value no longer follows the store: the store was closed, or there is an error.
    case ended
}
