internal import Foundation
internal import Switchyard
internal import SwitchyardCSV

/// Finds the babies that a name in a file stands for.
///
/// Names are trimmed of white space and of byte order marks, which concatenated files have in their middle. They are
/// compared ignoring case; a baby with exactly the same name takes precedence. Names need not be unique: an event of any
/// baby with the name counts as known, and new rows go to the baby that was added first. An empty name stands for no baby.
struct BabyDirectory {
    /// The meaning of a spelling.
    struct Entry {
        /// The index of the name, ignoring case.
        let group: Int
        /// The index of the set of babies that the spelling stands for.
        let babies: Int32
        /// The baby that gets new rows.
        let first: BabyProfile.ID?
    }

    /// A baby's place among those with its name.
    struct Place: Hashable {
        /// The index of the set of all babies with the name, ignoring case.
        let namesakes: Int32
        /// The index of the set of babies with exactly its name; the same one if these are all.
        let exactNamesakes: Int32
        /// Its position among its namesakes, in order of creation.
        let rank: Int32
    }

    /// The spellings looked up so far.
    private(set) var entries: [Entry] = []
    /// All babies with a name, ignoring case, by the index of the name, in order of creation.
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
            let name = Self.name(baby.name)
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

    /// Adds a baby that was created under a new name.
    mutating func add(_ baby: BabyProfile) {
        let name = Self.name(baby.name)
        names[baby.id] = name
        groupsByKey[name.lowercased()] = groups.count
        addGroup([baby.id])
    }

    /// The name in a cell: UTF-8 without white space and byte order marks around it.
    static func name(_ cell: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var name = WhiteSpace.trimmed(cell)
        while name.count >= 3, name[0] == 0xEF, name[1] == 0xBB, name[2] == 0xBF {
            name = WhiteSpace.trimmed(UnsafeRawBufferPointer(rebasing: name.dropFirst(3)))
        }
        return name
    }

    private static func name(_ text: String) -> String {
        var text = text
        return text.withUTF8 { String(decoding: name(UnsafeRawBufferPointer($0)), as: UTF8.self) }
    }

    /// The index of the entry for a spelling; nil if no baby has that name.
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

    /// A baby's place among those with its name; nil for an unknown baby.
    func place(of baby: BabyProfile.ID?) -> Place? { places[baby] }

    private mutating func addGroup(_ babies: [BabyProfile.ID?]) {
        let all = nextSet()
        // Swift compares strings by canonical equivalence, so composed and decomposed spellings of a name are equal.
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
