/// The properties of each scalar that `SearchFolding` needs.
struct FoldingTables: Sendable {
    static let shared = FoldingTables()

    /// The properties of a scalar.
    struct Properties: Sendable {
        /// The place of what the scalar becomes in `mappings`; 0 if it stays what it is.
        fileprivate(set) var mapping: UInt16 = 0
        /// The canonical combining class, by which marks are sorted; 0 for a scalar without one.
        fileprivate(set) var combiningClass: UInt8 = 0
        /// Whether the scalar belongs to the one before it.
        fileprivate(set) var isMark = false
    }

    /// The scalars without case and diacritics.
    private(set) var mappings: [[Unicode.Scalar]] = [[]]
    /// The properties of the scalars of each page with any, page by page; those of the first page are the default.
    private var properties: [Properties]
    /// The first index in `properties` of each page.
    private var pages: [Int]
    private var decompositions: [Unicode.Scalar: [Unicode.Scalar]] = [:]

    private static let pageSize: UInt32 = 128

    /// The properties of a scalar.
    subscript(_ scalar: Unicode.Scalar) -> Properties {
        properties[pages[Int(scalar.value / Self.pageSize)] + Int(scalar.value % Self.pageSize)]
    }

    /// The canonical decomposition of a mark, or the mark itself.
    func parts(of mark: Unicode.Scalar) -> [Unicode.Scalar] { decompositions[mark] ?? [mark] }

    private init() {
        properties = Array(repeating: Properties(), count: Int(Self.pageSize))
        pages = Array(repeating: 0, count: Int(0x11_0000 / Self.pageSize))
        for group in Self.groups(Self.mappingData) {
            guard group.count == 5 else {
                map(group[0], to: group.dropFirst().map(Self.scalar))
                continue
            }
            for index in 0..<group[1] {
                map(group[0] + index * group[2], to: [Self.scalar(group[3] + index * group[4])])
            }
        }
        for group in Self.groups(Self.markData) {
            change(group) { properties, combiningClass in
                properties.isMark = true
                properties.combiningClass = combiningClass
            }
        }
        for group in Self.groups(Self.otherClassData) { change(group) { $0.combiningClass = $1 } }
        for group in Self.groups(Self.decompositionData) {
            decompositions[Self.scalar(group[0])] = group.dropFirst().map(Self.scalar)
        }
    }

    private mutating func map(_ value: UInt32, to mapping: [Unicode.Scalar]) {
        let place = UInt16(truncatingIfNeeded: mappings.count)
        mappings.append(mapping)
        change([value, 1, 0]) { properties, _ in properties.mapping = place }
    }

    /// Changes the properties of a run of scalars, given as the first one, their number and their combining class.
    private mutating func change(_ run: [UInt32], _ body: (inout Properties, UInt8) -> Void) {
        for value in run[0]..<run[0] + run[1] {
            let page = Int(value / Self.pageSize)
            if pages[page] == 0 {
                pages[page] = properties.count
                properties += Array(repeating: Properties(), count: Int(Self.pageSize))
            }
            body(
                &properties[pages[page] + Int(value % Self.pageSize)], UInt8(truncatingIfNeeded: run[2]))
        }
    }

    /// The groups of hexadecimal numbers, which are joined by points.
    private static func groups(_ data: String) -> [[UInt32]] {
        data.split(whereSeparator: \.isWhitespace).map { group in
            group.split(separator: ".").compactMap { UInt32($0, radix: 16) }
        }
    }

    private static func scalar(_ value: UInt32) -> Unicode.Scalar { Unicode.Scalar(value) ?? "\u{FFFD}" }
}
