extension AttributeType {
    /// The tag of a missing value.
    package static let nullTag: UInt8 = 0
    /// The tag of a value that is not kept.
    package static let unknownTag: UInt8 = 255

    /// The first byte of a value in the history and in a digest, which stays what it is: both are kept.
    package var tag: UInt8 {
        switch self {
        case .bool: 1
        case .int: 2
        case .double: 3
        case .decimal: 4
        case .text: 5
        case .blob: 6
        case .uuid: 7
        case .timestamp: 8
        case .day: 9
        case .json: 10
        }
    }

    /// The type with a tag, if any.
    package init?(tag: UInt8) {
        guard let type = Self.allCases.first(where: { $0.tag == tag }) else { return nil }
        self = type
    }
}
