/// One attribute set by an update.
public struct Assignment: Sendable, Hashable {
    /// The attribute's name.
    public let attribute: String
    /// The new value, calculated from the row before the update.
    public let value: Operand

    /// Sets an attribute to an operand's value.
    public init(attribute: String, value: Operand) {
        self.attribute = attribute
        self.value = value
    }
}
