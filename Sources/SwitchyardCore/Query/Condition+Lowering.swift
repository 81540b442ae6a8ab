internal import Foundation

extension Condition {
    /// Lowers a predicate to a condition.
    static func lowering<Element: Model>(_ predicate: Predicate<Element>) -> Result<Condition, StoreError> {
        .failure(StoreError(.unsupported, "not yet"))
    }
}
