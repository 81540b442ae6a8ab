internal import CLibPQ
internal import Foundation
internal import SwitchyardCore
internal import SwitchyardSQL

extension Session {
    /// Applies the settings to the session.
    ///
    /// With transaction pooling they travel with each transaction instead.
    func applySettings() throws {
        guard options.pooling == .session else { return }
        try simple(settingsSQL(isLocal: false))
    }

    /// The SQL that applies the settings to the session or, if local, to the transaction.
    func settingsSQL(isLocal: Bool) -> String {
        var values = options.settings.map { ($0.name, literal($0.value)) }
        // A reported commit must survive a power failure, unless the author of the connection's parameters chose
        // otherwise. A default of the role or the database is overridden; a setting that promises more is kept.
        let given = pq_options(handle).map { String(cString: $0) } ?? ""
        if !given.contains("synchronous_commit") {
            let current = "pg_catalog.current_setting('synchronous_commit')"
            values.append(
                ("synchronous_commit", "CASE \(current) WHEN 'off' THEN 'on' ELSE \(current) END"))
        }
        let calls = values.map { name, value in
            "pg_catalog.set_config(\(literal(name)), \(value), \(isLocal))"
        }
        return "SELECT " + calls.joined(separator: ", ")
    }

    /// The statement that tells the server on whose behalf the transaction reads and writes, until it ends: the next one in
    /// the same session of a pooler is nobody's.
    ///
    /// Every part is set, so that none is left of what another program may have set for the session.
    static func settings(of identity: ScopeIdentity) -> SQLStatement {
        let settings = ScopeIdentity.Setting.allCases
        let calls = settings.enumerated().map { number, setting in
            "pg_catalog.set_config('\(setting.name)', $\(number + 1), true)"
        }
        return SQLStatement(
            text: "SELECT " + calls.joined(separator: ", "),
            parameters: settings.map { .value(.text(identity.value(of: $0)), .text) })
    }

    /// The statements that follow the BEGIN: a lock, and the lock timeout, set without taking a snapshot, which the
    /// settings would.
    ///
    /// Citus passes it on to the other machines of a cluster with their BEGIN (docs.citusdata.com,
    /// "citus.propagate_set_commands").
    func preamble(of transaction: Transaction) -> [String] {
        let (lock, isDistributed) = (transaction.lock, transaction.isDistributed)
        guard lock != nil || isDistributed else { return [] }
        let timeout = options.settings.first { $0.name == "lock_timeout" }?.value ?? ""
        return (isDistributed ? ["SET LOCAL citus.propagate_set_commands = 'local'"] : [])
            + ["SET LOCAL lock_timeout = \(literal(timeout))"] + (lock.map { [$0] } ?? [])
    }

    /// Whether a setting that the server reports has changed.
    var reportsForeignSettings: Bool {
        guard options.pooling == .session else { return false }
        return Self.expectedSettings.contains { name, value in
            pq_parameterStatus(handle, name.cString).map { strcmp($0, value.cString) != 0 } ?? false
        }
    }

    private static let expectedSettings: [(StaticString, StaticString)] = [
        ("client_encoding", "UTF8"), ("TimeZone", "UTC"), ("standard_conforming_strings", "on"),
    ]

    /// A text as an SQL literal, quoted by libpq, which knows how the session treats backslashes.
    private func literal(_ text: String) -> String {
        guard let quoted = pq_escapeLiteral(handle, text, text.utf8.count) else { return "NULL" }
        defer { pq_freemem(quoted) }
        return String(cString: quoted)
    }
}

extension StaticString {
    /// The text for C, where it is at all times.
    fileprivate var cString: UnsafePointer<CChar> {
        UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
