internal import Foundation
internal import SwitchyardCore

/// Reads a document's parts in the order in which they are written.
struct DocumentReader {
    let file: JSONFile
    let entities: [(key: String, entity: Entity)]

    /// Checks everything but the rows: that the document is complete, has a valid header, and has each array
    /// once.
    ///
    /// - Parameters:
    ///   - schema: The schema of the store.
    ///   - optional: The entities whose arrays may be missing.
    /// - Throws: `JSONError`.
    func check(_ schema: Schema, optional: Set<String>) throws {
        var found: Set<String> = []
        let scanner = try file.scanner()
        try forEachPart(of: scanner) { name in
            guard found.insert(name).inserted else {
                throw scanner.error(.duplicateName, "The document has \(name) twice.")
            }
            if DocumentHeader.names.contains(name) {
                try DocumentHeader.check(name, scanner.element(), for: schema)
            } else {
                try scanner.forEachElement { _ in try scanner.skipElement() }
            }
        }
        let needed =
            ["version", "exportDate"]
            + entities.filter { !optional.contains($0.entity.name) }.map(\.key)
        if let name = needed.first(where: { !found.contains($0) }) {
            throw JSONError(
                .missing, "The document has no \(name), so it is not a backup of this store.",
                file: file.path)
        }
    }

    /// Calls the body with the rows of each entity.
    ///
    /// - Throws: `JSONError`; what the body throws.
    func forEachEntity(_ body: (Entity, DocumentRows) throws -> Void) throws {
        let scanner = try file.scanner()
        try forEachPart(of: scanner) { name in
            guard let (key, entity) = entities.first(where: { $0.key == name }) else {
                return try scanner.skipElement()
            }
            let rows = try DocumentRows(scanner, of: entity, key: key)
            try body(entity, rows)
            try rows.requireSound()
        }
    }

    /// Calls the body with each name of the document, when its value comes next.
    private func forEachPart(of scanner: JSONScanner, _ body: (String) throws -> Void) throws {
        try scanner.require("{", "Expected an object.")
        var isFirst = true
        while try scanner.goesOn(to: "}", isFirst: isFirst) {
            isFirst = false
            let element = try scanner.element()
            let names = DocumentHeader.names + entities.map(\.key)
            guard let name = try element.string(),
                let known = names.first(where: { $0.utf8.elementsEqual(name.utf8) })
            else {
                throw element.error(
                    .unknownName,
                    "The document has an unknown part; this store's parts are "
                        + "\(names.joined(separator: ", "))."
                )
            }
            try scanner.require(":", "Expected `:` after a name.")
            try body(known)
        }
        try scanner.requireEnd()
    }
}

extension JSONScanner {
    /// Calls the body with the position of each element of an array, when the element comes next.
    func forEachElement(_ body: (Int) throws -> Void) throws {
        try require("[", "Expected an array.")
        var count = 0
        while try goesOn(to: "]", isFirst: count == 0) {
            try body(count)
            count += 1
        }
    }
}
