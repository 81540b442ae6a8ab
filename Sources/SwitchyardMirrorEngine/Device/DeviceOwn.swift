package import SwitchyardCore

/// What a device keeps to itself: the entities and attributes whose edits leave no history are not sent, so that nobody compares
/// or replaces them either.
extension Schema {
    /// The entities whose rows a mirror keeps in step.
    package var sharedEntities: [Entity] { entities.filter { !$0.isLeftOutOfHistory } }
}

extension Entity {
    /// A row without the values that are the device's own: null in their place.
    package func shared(_ row: [StoredValue]) -> [StoredValue] {
        zip(attributes, row).map { $0.history == .leftOut ? .null : $1 }
    }

    /// A patch that leaves the values alone which are the device's own.
    package func shared(_ patch: RowPatch) -> RowPatch {
        guard let values = patch.values else { return patch }
        return RowPatch(
            patch.key, zip(attributes, values).map { $0.history == .leftOut ? nil : $1 },
            inserter: patch.inserter)
    }
}
