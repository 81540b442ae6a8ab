internal import Foundation
internal import Switchyard
internal import SwitchyardCSV

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
        /// The number of the set of babies that the spelling stands for.
        let babies: Int32
        /// The baby that gets new rows.
        let first: BabyProfile.ID?
    }

    /// Where a baby stands among those of its name.
    struct Place: Hashable {
        /// The number of the set of all babies of the name without regard to case.
        let namesakes: Int32
        /// The number of the set of those with exactly its name; the same if these are all.
        let exactNamesakes: Int32
        /// Its position among its namesakes, in the order of their making.
        let rank: Int32
    }

    /// The spellings that were asked for so far.
    private(set) var entries: [Entry] = []
    /// All babies of a name without regard to case, by the number of the name, in the order of their making.
    private(set) var groups: [[BabyProfile.ID?]] = []
    private var places: [BabyProfile.ID?: Place] = [:]
    private var names: [BabyProfile.ID?: String] = [:]
    private var groupsByKey: [String: Int] = [:]
    private var entriesBySpelling: [[UInt8]: Int] = [:]
    private var recent = RecentValues<Int>()
    private var setCount: Int32 = 0

    init(_ babies: [BabyProfile]) {
        var groups: [[BabyProfile.ID?]] = [[nil]]
        names[nil] = ""
        groupsByKey[""] = 0
        for baby in babies.sorted(by: { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }) {
            let name = WhiteSpace.trimmed(baby.name)
            names[baby.id] = name
            if let group = groupsByKey[name.lowercased()] {
                groups[group].append(baby.id)
            } else {
                groupsByKey[name.lowercased()] = groups.count
                groups.append([baby.id])
            }
        }
        for group in groups { addGroup(group) }
    }

    /// Takes in a baby that was added under a name that no baby had.
    mutating func add(_ baby: BabyProfile) {
        let name = WhiteSpace.trimmed(baby.name)
        names[baby.id] = name
        groupsByKey[name.lowercased()] = groups.count
        addGroup([baby.id])
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

    /// Where a baby stands among those of its name; nil for one that is not there.
    func place(of baby: BabyProfile.ID?) -> Place? { places[baby] }

    private mutating func addGroup(_ babies: [BabyProfile.ID?]) {
        let all = nextSet()
        // Swift compares strings by canonical equivalence, so that composed and decomposed spellings of a name
        // are one.
        let spellings = Set(babies.map { names[$0] })
        let sets = Dictionary(
            spellings.map { ($0, spellings.count == 1 ? all : nextSet()) }, uniquingKeysWith: { $1 })
        for (rank, baby) in babies.enumerated() {
            places[baby] = Place(
                namesakes: all, exactNamesakes: sets[names[baby]] ?? all,
                rank: Int32(truncatingIfNeeded: rank))
        }
        groups.append(babies)
    }

    private mutating func nextSet() -> Int32 {
        setCount += 1
        return setCount
    }

    private mutating func makeEntry(_ spelling: [UInt8]) -> Int? {
        let name = String(decoding: spelling, as: UTF8.self)
        guard let group = groupsByKey[name.lowercased()] else { return nil }
        let exact = groups[group].first { names[$0] == name }
        guard let first = exact ?? groups[group].first, let place = places[first] else { return nil }
        entries.append(
            Entry(
                group: group, babies: exact == nil ? place.namesakes : place.exactNamesakes, first: first))
        entriesBySpelling[spelling] = entries.count - 1
        return entries.count - 1
    }
}
