internal import SwitchyardCore

/// Operands.
extension SQLWriter {
    /// Writes an operand, whose constants take the given type, or their own if there is none.
    mutating func operand(_ operand: Operand, as type: AttributeType?, in source: SQLSource) throws {
        switch operand {
        case .attribute(let name): write(source.column(try source.layout.column(name).name))
        case .value(.null): write("NULL")
        case .value(let value): self.value(value, type ?? value.type ?? .text)
        case .arithmetic(let lhs, let calculation, let rhs):
            try arithmetic(lhs, calculation, rhs, type: operand.type(in: source) ?? type, in: source)
        case .negated(let inner):
            try negated(inner, type: operand.type(in: source) ?? type, in: source)
        case .coalesce(let first, let second):
            let common = try operand.type(in: source) ?? type
            write("COALESCE(")
            try self.operand(first, as: common, in: source)
            write(", ")
            try self.operand(second, as: common, in: source)
            write(")")
        case .conditional(let condition, let first, let second):
            let common = try operand.type(in: source) ?? type
            write("CASE WHEN ")
            let outside = calculations
            calculations = .condition
            try self.condition(condition, negated: false, in: source)
            calculations = outside
            write(" THEN ")
            try self.operand(first, as: common, in: source)
            write(" ELSE ")
            try self.operand(second, as: common, in: source)
            write(" END")
        case .count(let relationship):
            write("(SELECT COUNT(*) FROM ")
            _ = try related(by: relationship, in: source)
            write(")")
        }
    }
}

extension Operand {
    /// Whether it is the constant nil.
    var isNull: Bool {
        if case .value(.null) = self { true } else { false }
    }

    /// Whether it is a plain column.
    var isAttribute: Bool {
        if case .attribute = self { true } else { false }
    }

    /// The type of its values; nil if it is always nil.
    func type(in source: SQLSource) throws -> AttributeType? {
        switch self {
        case .attribute(let name): try source.layout.column(name).attribute.type
        case .value(let value): value.type
        case .count: .int
        case .negated(let inner): try inner.type(in: source)
        case .arithmetic(let lhs, _, let rhs), .coalesce(let lhs, let rhs), .conditional(_, let lhs, let rhs):
            try lhs.type(in: source) ?? rhs.type(in: source)
        }
    }

    /// Whether its value can be nil.
    func canBeNull(in source: SQLSource) throws -> Bool {
        switch self {
        case .attribute(let name): try source.layout.column(name).attribute.isOptional
        case .value(let value): value.isNull
        case .count: false
        // A calculation without a result is nil.
        case .arithmetic, .negated: true
        case .coalesce(let lhs, let rhs): try lhs.canBeNull(in: source) && rhs.canBeNull(in: source)
        case .conditional(_, let lhs, let rhs):
            try lhs.canBeNull(in: source) || rhs.canBeNull(in: source)
        }
    }
}
