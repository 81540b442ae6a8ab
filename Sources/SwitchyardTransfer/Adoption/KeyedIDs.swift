internal import Foundation
internal import SwitchyardCore

/// The ids of rows by their keys, for tables whose ids do not come from the keys.
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
        if let number = Self.number(key), numbers.last.map({ $0 < number }) ?? true {
            numbers.append(number)
            ids.append(id)
        } else if let texts = Self.texts(key) {
            others[texts] = id
        }
    }

    private func index(of number: Int64) -> Int? {
        var (low, high) = (0, numbers.count)
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low < numbers.count && numbers[low] == number ? low : nil
    }

    private static func number(_ key: [ForeignValue]) -> Int64? {
        guard key.count == 1, let text = key[0].keyText else { return nil }
        if case .integer(let number) = key[0] { return number }
        guard let number = Int64(text), String(number) == text else { return nil }
        return number
    }

    private static func texts(_ key: [ForeignValue]) -> [String]? {
        let texts = key.compactMap(\.keyText)
        return texts.count == key.count ? texts : nil
    }
}
