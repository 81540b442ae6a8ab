internal import CLibPQ
internal import Foundation
internal import SwitchyardCore

extension Session {
    /// Gives the session its settings.
    ///
    /// In transaction pooling they travel with each transaction instead.
    func applySettings() throws {
        guard options.pooling == .session else { return }
        try simple(settingsSQL(isLocal: false))
    }

    /// Applies the settings to the session or, if local, to the transaction.
    func settingsSQL(isLocal: Bool) -> String {
        let calls = options.settings.map { name, value in
            "pg_catalog.set_config(\(literal(name)), \(literal(value)), \(isLocal))"
        }
        return "SELECT " + calls.joined(separator: ", ")
    }

    /// Whether a setting that the server reports has changed.
    var reportsForeignSettings: Bool {
        guard options.pooling == .session else { return false }
        let expected = [
            ("client_encoding", "UTF8"), ("TimeZone", "UTC"), ("standard_conforming_strings", "on"),
        ]
        return expected.contains { name, value in
            pq_parameterStatus(handle, name).map { strcmp($0, value) != 0 } ?? false
        }
    }

    /// A text as an SQL literal, quoted by libpq, which knows how the session reads backslashes.
    private func literal(_ text: String) -> String {
        guard let quoted = pq_escapeLiteral(handle, text, text.utf8.count) else { return "NULL" }
        defer { pq_freemem(quoted) }
        return String(cString: quoted)
    }
}
