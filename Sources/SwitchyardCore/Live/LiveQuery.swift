public import Observation

/// The newest result of a read, for a view.
///
/// ```swift
/// @State private var feeds = LiveQuery(Feed.all.sorted(by: \.start), of: store)
/// …
/// List(feeds.value ?? []) { … }
/// ```
///
/// It follows the store from its creation until it is released.
@MainActor
@Observable
public final class LiveQuery<Value: Sendable & Equatable> {
    /// The newest result; nil until the first one is there.
    public private(set) var value: Value?
    /// The error that ended the observation, if any; `value` stays what it was.
    public private(set) var error: (any Error)?
    @ObservationIgnored private var task: Task<Void, Never>?

    /// Observes a read.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - body: Reads from the transaction; it may run again from the start.
    public init(of store: any Store, _ body: @escaping @Sendable (ReadTransaction) throws -> Value) {
        task = Task { [weak self] in
            do {
                for try await value in store.observe(body) {
                    guard let self else { return }
                    self.value = value
                }
            } catch {
                guard !Task.isCancelled else { return }
                self?.error = error
            }
        }
    }

    /// Observes the rows of a query.
    public convenience init<Element: Model & Equatable>(_ query: Query<Element>, of store: any Store)
    where Value == [Element] {
        self.init(of: store) { try $0.fetch(query) }
    }

    deinit { task?.cancel() }
}
