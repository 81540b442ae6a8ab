package import SwitchyardCore

/// How two edits of one attribute that did not see each other become one value.
package enum MergePolicy: Sendable, Hashable {
    /// The later edit wins, by the clocks of the devices.
    case lastEdit
    /// The edit that reaches the server last wins.
    case serverOrder
    /// The greater value wins.
    case maximum
    /// The lesser value wins.
    case minimum
    /// Both increments count: the difference between the edit's two values is added.
    case counter
}

/// What an edit of a row does that was deleted meanwhile.
package enum DeletedRowPolicy: Sendable, Hashable {
    /// The row stays deleted, and the conflict log keeps the edit.
    case delete
    /// The row comes back as it was, with the edit.
    case resurrect
}

/// The policies of a schema; those that are not named are the default, which loses nothing without an entry in the log.
package struct MergePolicies: Sendable, Hashable {
    /// By entity and attribute.
    package var attributes: [String: [String: MergePolicy]] = [:]
    /// By entity.
    package var deletedRows: [String: DeletedRowPolicy] = [:]

    package init() {}

    package func policy(_ attribute: Attribute, of entity: Entity) -> MergePolicy {
        attributes[entity.name]?[attribute.name] ?? .lastEdit
    }

    package func deletedRow(_ entity: Entity) -> DeletedRowPolicy { deletedRows[entity.name] ?? .delete }
}

extension MergePolicy {
    /// The value of two edits for the policies that go by the values alone.
    ///
    /// - Returns: Nil for a policy that goes by time, or values that it has no rule for.
    func combine(current: StoredValue, edit: AttributeEdit) -> StoredValue? {
        switch self {
        case .lastEdit, .serverOrder: return nil
        case .maximum:
            guard current.type == edit.after.type || current.isNull || edit.after.isNull else { return nil }
            return StoredValue.precedes(current, edit.after) ? edit.after : current
        case .minimum:
            if current.isNull { return edit.after }
            if edit.after.isNull { return current }
            guard current.type == edit.after.type else { return nil }
            return StoredValue.precedes(edit.after, current) ? edit.after : current
        case .counter:
            guard let before = edit.before else { return nil }
            return Self.sum(current, edit.after, minus: before)
        }
    }

    private static func sum(_ a: StoredValue, _ b: StoredValue, minus c: StoredValue) -> StoredValue? {
        func integer(_ value: StoredValue) -> Int64? {
            switch value {
            case .null: 0
            case .int(let number): number
            default: nil
            }
        }
        if let a = integer(a), let b = integer(b), let c = integer(c) {
            let (difference, tooFar) = b.subtractingReportingOverflow(c)
            let (sum, tooMuch) = a.addingReportingOverflow(difference)
            return tooFar || tooMuch ? nil : .int(sum)
        }
        func double(_ value: StoredValue) -> Double? {
            switch value {
            case .null: 0
            case .double(let number): number
            default: nil
            }
        }
        guard let a = double(a), let b = double(b), let c = double(c) else { return nil }
        let sum = a + (b - c)
        // Neither NaN nor −0 is a value.
        return sum.isNaN ? nil : .double(sum == 0 ? 0 : sum)
    }
}
