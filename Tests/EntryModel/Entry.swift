public import Foundation
public import Switchyard

/// A model with an index of every kind, for the tests of both databases' query plans.
///
/// Its code is its id unless another is given, so that no two entries meet in it.
@Model
public struct Entry: Equatable {
    #Index<Entry>([\.first], [\.first, \.second], [\.rank], [\.title])
    #Unique<Entry>([\.code, \.price], nilsAreDistinct: false)

    /// The id.
    public let id: ID
    /// An optional key with two indexes.
    public var first: Int64?
    /// An optional key behind `first`.
    public var second: Int64?
    /// A key that is never nil.
    public var rank: Int64
    /// Text with an index over its folded copy.
    @Attribute(.searchable) public var title: String?
    /// The first half of the unique key.
    public var code: String?
    /// The second half of the unique key, where nil equals nil.
    public var price: Decimal?
}

extension Entry {
    /// Makes an entry with some of the values.
    public init(
        first: Int64? = nil, second: Int64? = nil, rank: Int64 = 0, code: String? = nil, price: Decimal? = nil
    ) {
        let id = ID()
        self.init(
            id: id, first: first, second: second, rank: rank, title: nil, code: code ?? "\(id)", price: price)
    }
}
