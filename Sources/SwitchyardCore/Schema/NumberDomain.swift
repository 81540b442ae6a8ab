/// Which numbers an attribute's Swift type can hold, where it cannot hold all that its column can.
///
/// A column holds integers of 64 bits or doubles. A value outside the domain could be stored and never be
/// read again, so it is refused on every backend, however it comes: from a file, in an update of many rows,
/// or by a calculation.
public enum NumberDomain: Sendable, Hashable, Codable {
    /// The integers of a range, such as -128 to 127 for an `Int8`.
    case integers(range: ClosedRange<Int64>)
    /// The doubles that are single-precision numbers too, the infinities among them: all that a `Float` reads
    /// without rounding.
    case singlePrecision

    /// Whether an attribute with this domain can hold a value; no value is no number, and never refused here.
    public func contains(_ value: StoredValue) -> Bool {
        switch (self, value) {
        case (_, .null): true
        case (.integers(let range), .int(let integer)): range.contains(integer)
        case (.singlePrecision, .double(let double)): Double(Float(double)) == double
        default: false
        }
    }

    /// The type of the column.
    var type: AttributeType {
        switch self {
        case .integers: .int
        case .singlePrecision: .double
        }
    }
}
