internal import Foundation
internal import SwitchyardCore

/// The rows of one entity in a document, one at a time, for `WriteTransaction.insertRows`.
///
/// A sequence cannot throw, so an error ends it, and `requireSound` throws that error afterwards.
final class DocumentRows: Sequence, IteratorProtocol {
    private let scanner: JSONScanner
    private let entity: Entity
    private let key: String
    private let columns: [[UInt8]: Int]
    private var ids: Set<StoredValue> = []
    private var fault: (any Error)?
    private var isAtEnd = false
    private var last: JSONElement?
    /// The number of rows so far.
    private(set) var count = 0

    /// Begins at an array that comes next.
    ///
    /// - Throws: `JSONError`.
    init(_ scanner: JSONScanner, of entity: Entity, key: String) throws {
        (self.scanner, self.entity, self.key) = (scanner, entity, key)
        columns = Dictionary(
            uniqueKeysWithValues: entity.attributes.enumerated().map { (Array($1.name.utf8), $0) })
        try scanner.require("[", "Expected an array.")
    }

    /// The values of the next row; nil at the end or after an error.
    func next() -> [StoredValue]? {
        guard fault == nil, !isAtEnd else { return nil }
        do {
            guard try scanner.goesOn(to: "]", isFirst: count == 0) else {
                isAtEnd = true
                return nil
            }
            let element = try scanner.element()
            last = element
            let values = try element.row(of: entity, columns: columns)
            guard ids.insert(values[0]).inserted else {
                throw element.error(.duplicateID, "Another element of the array has the same id.", key: "id")
            }
            count += 1
            return values
        } catch let error as JSONError {
            fault = error.at(count, of: key)
        } catch { fault = error }
        return nil
    }

    /// Throws the error that ended the rows early, if there was one.
    ///
    /// - Throws: `JSONError`.
    func requireSound() throws {
        if let fault { throw fault }
    }

    /// An error of the row that came last.
    func error(_ code: JSONError.Code, _ message: String, key: String?) -> JSONError? {
        last?.error(code, message, key: key).at(count - 1, of: self.key)
    }

    /// The error to throw in place of a store's error: the document's own, or the same with its place if the
    /// last row caused it.
    func placing(_ error: any Error) -> any Error {
        guard fault == nil, let error = error as? StoreError, error.code == .valueNotRepresentable else {
            return fault ?? error
        }
        return self.error(.invalidValue, error.message, key: error.attribute) ?? error
    }
}
