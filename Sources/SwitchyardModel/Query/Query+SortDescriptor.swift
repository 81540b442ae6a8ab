public import Foundation

extension Query {
    /// Returns the same rows with an attribute appended to their sort keys.
    ///
    /// A descriptor that compares text by a locale, as Foundation's default on Apple systems does, is refused with
    /// `unsupported` when the query runs, because no index of any backend has that order. Text compared with `.lexical`
    /// sorts by its UTF-8 bytes.
    ///
    /// ```swift
    /// BabyProfile.all.sorted(by: SortDescriptor(\.name, comparator: .lexical))
    /// ```
    public func sorted(by descriptor: SortDescriptor<Element>) -> Self {
        ordered(by: Self.key(of: descriptor))
    }

    private static func key(of descriptor: SortDescriptor<Element>) -> Result<SortKey, StoreError> {
        guard let keyPath = descriptor.keyPath else {
            return .failure(
                StoreError(
                    .unsupported, "The sort descriptor has no key path; sort by a key path.",
                    entity: Element.entityName))
        }
        if let comparator = descriptor.stringComparator, String.StandardComparator(comparator) != .lexical {
            return .failure(
                StoreError(
                    .unsupported,
                    "The sort descriptor compares text by a locale, which no store can do. Use the comparator "
                        + ".lexical, or sorted(by:) with a key path.", entity: Element.entityName))
        }
        return Element.attribute(at: keyPath).map {
            SortKey($0, descriptor.order == .forward ? .ascending : .descending)
        }
    }
}
