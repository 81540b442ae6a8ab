internal import Foundation
internal import Switchyard

/// Finds the babies that a name in a file stands for.
///
/// Names are compared without the white space around them and without regard to case; a baby with exactly the
/// name is preferred. Names need not be unique: what any baby of the name has is known, and what is new goes
/// to the one that was added first. No name stands for no baby.
struct BabyDirectory {
    /// What a spelling stands for.
    struct Entry {
        /// The number of the name without regard to case.
        let group: Int
        /// The babies; the first is the one that gets new rows.
        let babies: [BabyProfile.ID?]
    }

    /// The spellings that were asked for so far.
    private(set) var entries: [Entry] = []
    /// All babies of a name without regard to case, by the number of the name, in the order of their making.
    private(set) var groups: [[BabyProfile?]] = []
    private var groupsByKey: [String: Int] = [:]
    private var entriesBySpelling: [[UInt8]: Int] = [:]
    private var recent = RecentValues<Int>()

    init(_ babies: [BabyProfile]) {
        groups.append([nil])
        groupsByKey[""] = 0
        for baby in babies.sorted(by: { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }) { add(baby) }
    }

    /// Takes in a baby that was added under a name that no baby had, or in the order of their making.
    mutating func add(_ baby: BabyProfile) {
        let key = Self.key(baby.name)
        if let group = groupsByKey[key] {
            groups[group].append(baby)
        } else {
            groupsByKey[key] = groups.count
            groups.append([baby])
        }
    }

    /// The number of the entry for a spelling; nil if no baby is called so.
    ///
    /// - Parameter spelling: Trimmed UTF-8.
    /// - Returns: The index in `entries`.
    mutating func entry(for spelling: UnsafeRawBufferPointer) -> Int? {
        if let entry = recent.value(of: spelling) { return entry }
        let bytes = [UInt8](spelling)
        guard let entry = entriesBySpelling[bytes] ?? makeEntry(bytes) else { return nil }
        recent.remember(bytes, entry)
        return entry
    }

    private mutating func makeEntry(_ spelling: [UInt8]) -> Int? {
        let name = String(decoding: spelling, as: UTF8.self)
        guard let group = groupsByKey[Self.key(name)] else { return nil }
        let all = groups[group]
        let exact = all.filter { Self.trimmed($0?.name ?? "") == name }
        entries.append(Entry(group: group, babies: (exact.isEmpty ? all : exact).map { $0?.id }))
        entriesBySpelling[spelling] = entries.count - 1
        return entries.count - 1
    }

    private static func trimmed(_ name: String) -> String {
        name.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Swift compares strings by canonical equivalence, so that composed and decomposed spellings of a name
    /// are one.
    private static func key(_ name: String) -> String { trimmed(name).lowercased() }
}
