internal import Foundation
internal import SwitchyardCore

/// The ids of rows by their keys.
///
/// Keys of one ascending integer take 24 bytes each.
struct KeyedIDs: Sendable {
    private var numbers: [Int64] = []
    /// The ids of `numbers`.
    private var ids: [UUID] = []
    private var others: [[String]: UUID] = [:]

    /// The number of rows.
    var count: Int { numbers.count + others.count }

    /// Calls the body with each id.
    func forEachID(_ body: (UUID) -> Void) {
        ids.forEach(body)
        others.values.forEach(body)
    }

    /// The id of a row; nil for an unknown key.
    func id(of key: [ForeignValue]) -> UUID? {
        if let number = Self.number(key), let index = index(of: number) { return ids[index] }
        return others.isEmpty ? nil : Self.texts(key).flatMap { others[$0] }
    }

    /// Adds a row.
    mutating func insert(_ id: UUID, for key: [ForeignValue]) {
        if !insertNumbered(id, for: key), let texts = Self.texts(key) { others[texts] = id }
    }

    /// Adds a row whose key is one integer, and greater than those before.
    ///
    /// - Returns: Whether the key is one.
    mutating func insertNumbered(_ id: UUID, for key: [ForeignValue]) -> Bool {
        guard let number = Self.number(key), numbers.last.map({ $0 < number }) ?? true else { return false }
        numbers.append(number)
        ids.append(id)
        return true
    }

    private func index(of number: Int64) -> Int? { numbers.ascendingIndex(of: number) }

    fileprivate static func number(_ key: [ForeignValue]) -> Int64? {
        guard key.count == 1 else { return nil }
        if case .integer(let number) = key[0] { return number }
        guard let text = key[0].keyText, let number = Int64(text), String(number) == text else { return nil }
        return number
    }

    private static func texts(_ key: [ForeignValue]) -> [String]? {
        let texts = key.compactMap(\.keyText)
        return texts.count == key.count ? texts : nil
    }
}

/// The rows that were seen, to find two with one id.
///
/// Keys of one ascending integer take 8 bytes each, and no ids.
struct SeenRows {
    private var numbers: [Int64] = []
    private var ids: Set<UUID> = []

    /// Adds a row.
    ///
    /// - Parameters:
    ///   - id: The row's id.
    ///   - key: The key that the id comes from; nil if it comes from elsewhere.
    /// - Returns: Whether no other row has the id.
    mutating func insert(_ id: UUID, from key: [ForeignValue]?) -> Bool {
        guard let number = key.flatMap(KeyedIDs.number) else { return ids.insert(id).inserted }
        guard numbers.last.map({ $0 < number }) ?? true else {
            return numbers.ascendingIndex(of: number) == nil && ids.insert(id).inserted
        }
        // An integer that was out of order before can be greater than the last one.
        guard ids.isEmpty || !ids.contains(id) else { return false }
        numbers.append(number)
        return true
    }
}

extension [Int64] {
    /// Where a number is in an ascending list; nil if it is not.
    fileprivate func ascendingIndex(of number: Int64) -> Int? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] == number ? low : nil
    }
}
