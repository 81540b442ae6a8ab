package import Foundation
package import SwitchyardCore

/// The secret by which a service knows a device or an invitation: its household, its id, and 128 random bits.
///
/// The service keeps a digest of the random bits alone.
public struct MirrorToken: Sendable, Hashable {
    package enum Kind: UInt8, Sendable {
        case device = 1
        case invitation = 2
    }

    package let kind: Kind
    /// The household's scope in the server's store; nil if that has no scopes.
    package let scope: StoreScope?
    /// The device, which is the identity of its store, or the invitation.
    package let id: UUID
    package let secret: Data

    private static let secretBytes = 16

    package init(_ kind: Kind, scope: StoreScope?, id: UUID, secret: Data = MirrorToken.newSecret()) {
        (self.kind, self.scope, self.id, self.secret) = (kind, scope, id, secret)
    }

    /// Reads a token.
    ///
    /// - Throws: `authentication` if the text is not a token. The error does not show the text.
    public init(_ text: String) throws {
        guard let token = Self(reading: text) else {
            throw StoreError(
                .authentication,
                "The token is none of a mirror's service, or a part of it is missing. Copy it once more.")
        }
        self = token
    }

    private init?(reading text: String) {
        let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        guard
            let bytes = Data(base64Encoded: base64 + String(repeating: "=", count: (4 - text.count % 4) % 4))
        else { return nil }
        var reader = ByteReader([UInt8](bytes))
        guard let kind = (try? reader.byte()).flatMap(Kind.init(rawValue:)),
            let hasScope = try? reader.byte(),
            hasScope < 2
        else { return nil }
        var scope: StoreScope?
        if hasScope == 1 {
            guard let id = try? reader.uuid() else { return nil }
            scope = StoreScope(id)
        }
        guard let id = try? reader.uuid(), let secret = try? reader.take(Self.secretBytes), reader.isAtEnd
        else {
            return nil
        }
        self.init(kind, scope: scope, id: id, secret: Data(secret))
    }

    /// The token as text, which is a secret: 48 to 70 letters, digits, `-` and `_`.
    public var text: String {
        var bytes = ByteWriter()
        bytes.bytes = [kind.rawValue, scope == nil ? 0 : 1]
        if let scope { bytes.write(scope.uuid) }
        bytes.write(id)
        bytes.bytes += secret
        return Data(bytes.bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    /// What the service keeps of the secret.
    ///
    /// One round of a hash is enough: there are too many secrets to try.
    package var digest: Data { Self.digest(of: secret) }

    package static func digest(of secret: Data) -> Data { Data([UInt8](secret).sha256) }

    package static func newSecret() -> Data {
        // Swift's generator is the system's, which is made for secrets.
        Data((0..<secretBytes).map { _ in UInt8.random(in: .min ... .max) })
    }
}

extension MirrorToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Says that it is a token, and not which.
    public var description: String { "MirrorToken(hidden)" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// Contains nothing of the token, since debuggers and `dump` show it.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension Data {
    /// Whether the bytes are the same, in a time that does not tell where they differ.
    package func isEqualInConstantTime(to other: Data) -> Bool {
        count == other.count && zip(self, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
