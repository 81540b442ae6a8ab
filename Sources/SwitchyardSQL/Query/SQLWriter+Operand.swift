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
            try arithmetic(
                lhs, calculation, rhs, type: self.type(of: operand, in: source) ?? type, in: source)
        case .negated(let inner):
            try negated(inner, type: self.type(of: operand, in: source) ?? type, in: source)
        case .coalesce(let first, let second):
            let common = try self.type(of: operand, in: source) ?? type
            write("COALESCE(")
            try self.operand(first, as: common, in: source)
            write(", ")
            try self.operand(second, as: common, in: source)
            write(")")
        case .conditional(let condition, let first, let second):
            let common = try self.type(of: operand, in: source) ?? type
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
        case .folded(let name):
            write(source.column(try source.layout.column(TableLayout.foldedName(of: name)).name))
        case .figure(let function, let relationship, let condition):
            write("(SELECT ")
            write(try aggregate(function, in: try self.source(of: relationship, in: source)))
            write(" FROM ")
            let inner = try related(by: relationship, in: source)
            let outside = calculations
            calculations = .condition
            try also(condition, in: inner)
            calculations = outside
            write(")")
        case .referenced(let reference, let value):
            write("(SELECT ")
            try self.operand(value, as: type, in: try self.source(of: reference, in: source))
            write(" FROM ")
            _ = try related(by: reference, in: source)
            write(")")
        case .overall(let function, _, _):
            throw StoreError(
                .unsupported, "A figure over all rows, \(function.word), is calculated before the statement.",
                entity: source.layout.entity.name)
        }
    }

    /// The type of an operand's values; nil if it is always nil.
    func type(of operand: Operand, in source: SQLSource) throws -> AttributeType? {
        switch operand {
        case .attribute(let name): return try source.layout.column(name).attribute.type
        case .value(let value): return value.type
        case .folded: return .text
        case .figure(let function, let relationship, _):
            let target = source.layout.entity.association(relationship)?.target ?? relationship
            return function.type(in: try generator.layout(target).entity)
        case .referenced(let reference, let value):
            let target = source.layout.entity.association(reference)?.target ?? reference
            return try type(of: value, in: SQLSource(try generator.layout(target), inside: source))
        case .overall: return nil
        case .negated(let inner): return try self.type(of: inner, in: source)
        case .arithmetic(let lhs, _, let rhs), .coalesce(let lhs, let rhs), .conditional(_, let lhs, let rhs):
            return try self.type(of: lhs, in: source) ?? type(of: rhs, in: source)
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

    /// Whether its value can be nil.
    func canBeNull(in source: SQLSource) throws -> Bool {
        switch self {
        case .attribute(let name), .folded(let name): try source.layout.column(name).attribute.isOptional
        case .value(let value): value.isNull
        case .figure(.count, _, _), .figure(.countOf, _, _), .figure(.countDistinct, _, _),
            .figure(.sum, _, _):
            false
        case .figure, .referenced, .overall: true
        // A calculation without a result is nil.
        case .arithmetic, .negated: true
        case .coalesce(let lhs, let rhs): try lhs.canBeNull(in: source) && rhs.canBeNull(in: source)
        case .conditional(_, let lhs, let rhs):
            try lhs.canBeNull(in: source) || rhs.canBeNull(in: source)
        }
    }
}
