/// How searchable text is folded: without case and diacritics, the same in every process.
///
/// The tables are of Unicode 15.0 and Switchyard's own. Those of a system differ from one version to the next, and a
/// store may be written on one system and searched on another.
///
/// A text is folded cluster by cluster, a scalar and the marks after it:
/// - The scalar is case folded, by the full mapping ("ß" becomes "ss"). If it decomposes canonically and the
///   decomposition begins with a Latin, Greek or Cyrillic letter, that letter takes its place first.
/// - Marks after a Latin, Greek or Cyrillic letter, or anything else before U+0510, are removed.
/// - Marks after other scalars are kept: there, they tell words apart. They are decomposed and ordered by their
///   combining class. The first one is removed if it is before U+0510 and the scalar has no case.
///
/// These are the rules of Foundation on Linux, which folded the text of older stores; changing them would
/// require rewriting their folded copies.
public enum SearchFolding {
    /// Returns the text without case and diacritics.
    public static func fold(_ text: String) -> String { foldASCII(text) ?? foldClusters(text) }

    /// The text in lower case if it is ASCII, which has no diacritics; nil otherwise.
    private static func foldASCII(_ text: String) -> String? {
        var text = text
        return text.withUTF8 { utf8 in
            guard utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
            return String(unsafeUninitializedCapacity: utf8.count) { folded in
                for (index, byte) in utf8.enumerated() {
                    folded[index] = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
                }
                return utf8.count
            }
        }
    }

    /// Where the letters end whose marks are removed.
    private static let plainLetters: Unicode.Scalar = "\u{510}"

    private static func foldClusters(_ text: String) -> String {
        let tables = FoldingTables.shared
        var folded = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let first = rest.popFirst() {
            let mapping = tables.mappings[Int(tables[first].mapping)]
            if (mapping.last ?? first) >= plainLetters, let next = rest.first, tables[next].isMark {
                let letter = mapping.isEmpty ? [first] : mapping
                folded.append(contentsOf: cluster(letter, hasCase: !mapping.isEmpty, marks: &rest, tables))
                continue
            }
            // One by one, which is faster than an array at once.
            for scalar in mapping { folded.append(scalar) }
            if mapping.isEmpty { folded.append(first) }
            while let next = rest.first, tables[next].isMark { rest.removeFirst() }
        }
        return String(folded)
    }

    /// The most scalars of a cluster; more marks begin another one.
    private static let clusterSize = 64

    /// Adds the marks that follow to the scalars of a cluster.
    private static func cluster(
        _ scalars: [Unicode.Scalar], hasCase: Bool, marks: inout Substring.UnicodeScalarView,
        _ tables: FoldingTables
    ) -> [Unicode.Scalar] {
        var cluster = scalars
        if !hasCase, let mark = marks.first, mark < plainLetters { marks.removeFirst() }
        while cluster.count < clusterSize, let mark = marks.first, tables[mark].isMark {
            let parts = tables.parts(of: mark)
            guard cluster.count + parts.count <= clusterSize else { break }
            cluster += parts
            marks.removeFirst()
        }
        sortMarks(of: &cluster, tables)
        return cluster
    }

    /// Sorts the marks at the end of a cluster by their combining class, from the first that has one.
    private static func sortMarks(of cluster: inout [Unicode.Scalar], _ tables: FoldingTables) {
        let letter = cluster.lastIndex { !tables[$0].isMark } ?? 0
        guard let start = cluster[letter...].firstIndex(where: { tables[$0].combiningClass != 0 }) else {
            return
        }
        // An insertion sort, which is stable; there are rarely more than two.
        for index in cluster.indices.dropFirst(start + 1) {
            let mark = cluster[index]
            let combiningClass = tables[mark].combiningClass
            var place = index
            while place > start, tables[cluster[place - 1]].combiningClass > combiningClass {
                cluster[place] = cluster[place - 1]
                place -= 1
            }
            cluster[place] = mark
        }
    }
}

extension StoredValue {
    /// The folded copy of a searchable text; null for null.
    package var folded: StoredValue {
        if case .text(let text) = self { .text(SearchFolding.fold(text)) } else { self }
    }
}
