package import Foundation

/// On whose behalf a transaction reads and writes the rows of a scope, as far as a database has rules for that.
///
/// PostgreSQL's row-level security asks for it, once `PostgresStore.grant(to:admitsLogins:)` has set it up. A transaction
/// without one is nobody's there, and elsewhere nothing depends on it. Who asks has proven nothing yet: the database compares
/// the digests with those that it keeps.
package struct ScopeIdentity: Sendable, Hashable {
    /// The id of a record, and the digest of the secret that its owner has.
    package struct Proof: Sendable, Hashable {
        package let id: UUID
        package let digest: Data

        package init(id: UUID, digest: Data) { (self.id, self.digest) = (id, digest) }
    }

    /// A person whom the app's own login knows.
    package struct Login: Sendable, Hashable {
        package let subject: String
        /// The role of a person who is no member yet; nil if only members may come.
        package let role: String?

        package init(subject: String, role: String?) { (self.subject, self.role) = (subject, role) }
    }

    package let scope: StoreScope
    /// The device that asks, or is about to come in.
    package let device: Proof
    /// The invitation by which it comes in.
    package let invitation: Proof?
    /// The login by which it comes in.
    package let login: Login?

    package init(scope: StoreScope, device: Proof, invitation: Proof? = nil, login: Login? = nil) {
        (self.scope, self.device, self.invitation, self.login) = (scope, device, invitation, login)
    }

    /// A setting of a transaction, by which the database learns of a part of the identity.
    package enum Setting: String, Sendable, CaseIterable {
        case scope, device, token, invitation, secret, subject, role

        /// The setting's name in the database.
        package var name: String { "switchyard.\(rawValue)" }
    }

    /// The value of a setting; empty for what the identity does not have.
    ///
    /// Digests are in base64, as in the records.
    package func value(of setting: Setting) -> String {
        switch setting {
        case .scope: scope.uuid.uuidString
        case .device: device.id.uuidString
        case .token: device.digest.base64EncodedString()
        case .invitation: invitation?.id.uuidString ?? ""
        case .secret: invitation?.digest.base64EncodedString() ?? ""
        case .subject: login?.subject ?? ""
        case .role: login?.role ?? ""
        }
    }
}
