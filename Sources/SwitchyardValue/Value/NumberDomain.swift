/// The numbers that an attribute's Swift type can hold, if it cannot hold all numbers of its column.
///
/// A column holds 64-bit integers or doubles. A value outside the domain could be stored but never read back, so every
/// backend refuses it, whether it comes from a file, a bulk update or a calculation.
public enum NumberDomain: Sendable, Hashable, Codable {
    /// The integers of a range, such as -128 to 127 for an `Int8`.
    case integers(range: ClosedRange<Int64>)
    /// The doubles that a `Float` can hold without rounding, including the infinities.
    case singlePrecision

    /// Whether an attribute with this domain can hold a value.
    ///
    /// Null is always allowed here.
    public func contains(_ value: StoredValue) -> Bool {
        switch (self, value) {
        case (_, .null): true
        case (.integers(let range), .int(let integer)): range.contains(integer)
        case (.singlePrecision, .double(let double)): Double(Float(double)) == double
        default: false
        }
    }

    /// The type of the column.
    package var type: AttributeType {
        switch self {
        case .integers: .int
        case .singlePrecision: .double
        }
    }
}
