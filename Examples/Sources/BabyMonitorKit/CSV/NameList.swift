internal import SwitchyardCSV

/// Names that a report lists once each, in order of appearance, up to its limit.
struct NameList {
    private var seen: Set<String> = []

    /// Adds the beginning of a name to a report's list, if the list has neither it nor its limit.
    mutating func add(_ name: UnsafeRawBufferPointer, to list: inout [String]) {
        guard seen.count < ImportReport.longestList else { return }
        let shown = Excerpt.of(name)
        if seen.insert(shown).inserted { list.append(shown) }
    }
}
