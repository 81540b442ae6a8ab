import SwiftDiagnostics
import SwiftSyntax

/// An error in the declaration of a model.
struct ModelDiagnostic: DiagnosticMessage, Error {
    /// A short stable name.
    let id: String
    let message: String
    var severity: DiagnosticSeverity { .error }
    var diagnosticID: MessageID { MessageID(domain: "Switchyard", id: id) }

    init(_ id: String, _ message: String) {
        self.id = id
        self.message = message
    }
}

/// A correction that an editor offers for an error.
struct Correction: FixItMessage {
    let message: String
    var fixItID: MessageID { MessageID(domain: "Switchyard", id: message) }

    init(_ message: String) { self.message = message }
}

extension FixIt {
    /// Replaces one node with another.
    static func replacing(_ message: String, _ old: some SyntaxProtocol, with new: some SyntaxProtocol)
        -> FixIt
    {
        FixIt(message: Correction(message), changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
    }
}
