internal import SwitchyardCore

/// The elements of a JSON array, which are compared by their canonical text.
struct JSONList {
    private struct Element {
        let value: StoredValue
        /// What numbers and texts are ordered by; nil for other elements.
        let order: StoredValue?

        func precedes(_ other: Element) -> Bool {
            guard let order, let otherOrder = other.order else { return false }
            return StoredValue.precedes(order, otherOrder)
        }
    }

    private var elements: [Element] = []

    /// Reads a value.
    ///
    /// - Returns: An empty list for null; nil if it is no array.
    private init?(_ value: StoredValue) {
        if value.isNull { return }
        guard case .json(let text) = value else { return nil }
        var reader = JSONReader(text, depthLimit: 512)
        do {
            guard try reader.nextKind() == .array else { return nil }
            try reader.enterArray()
            while try reader.nextElement() {
                var copy = reader
                let order: StoredValue? =
                    switch try reader.nextKind() {
                    case .string: .text(String(decoding: try copy.readString(), as: UTF8.self))
                    case .number:
                        Double(String(decoding: try copy.readNumber().text, as: UTF8.self)).map {
                            .double($0)
                        }
                    case .object, .array, .word: nil
                    }
                elements.append(Element(value: .json(try reader.readCanonical()), order: order))
            }
        } catch {
            return nil
        }
    }

    /// Merges two lists: what either has added to the base is there once, and what either has removed is not.
    ///
    /// - Returns: Nil if a value is no list.
    static func union(_ current: StoredValue, _ edit: StoredValue, base: StoredValue) -> StoredValue? {
        guard let mine = JSONList(current), let theirs = JSONList(edit), let base = JSONList(base) else {
            return nil
        }
        let (known, kept) = (base.values, theirs.values)
        var taken: Set<StoredValue> = []
        var merged = mine.elements.filter {
            (kept.contains($0.value) || !known.contains($0.value)) && taken.insert($0.value).inserted
        }
        merged += theirs.elements.filter { !known.contains($0.value) && taken.insert($0.value).inserted }
        if merged.isEmpty, current.isNull || edit.isNull { return .null }
        if mine.isAscending, theirs.isAscending { merged.sort { $0.precedes($1) } }
        let texts = merged.compactMap { if case .json(let text) = $0.value { text } else { nil } }
        return .json("[\(texts.joined(separator: ","))]")
    }

    private var values: Set<StoredValue> { Set(elements.map(\.value)) }

    private var isAscending: Bool { zip(elements, elements.dropFirst()).allSatisfy { $0.precedes($1) } }
}
