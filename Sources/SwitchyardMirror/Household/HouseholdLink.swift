public import Foundation
internal import SwitchyardCore

/// A link by which somebody joins a household, such as `switchyard://join/TOKEN?service=https://mirror.example.org`.
///
/// Whoever has it can accept the invitation, so it is a secret until then. An app that registers a scheme or a universal
/// link of its own changes what is before `join/`.
public struct HouseholdLink: Sendable, Hashable {
    /// The service's URL.
    public let service: URL
    /// The invitation.
    public let token: MirrorToken

    /// Creates a link to an invitation.
    public init(service: URL, token: MirrorToken) { (self.service, self.token) = (service, token) }

    /// Reads a link.
    ///
    /// - Throws: `invalidArgument` if the text is not a link, or if its service has no TLS and is not on the local host.
    public init(_ text: String) throws {
        guard let parts = URLComponents(string: text),
            // The word is the host of the URL, or a part of its path before the token.
            let word = ([parts.host ?? ""] + parts.path.split(separator: "/").map(String.init)).dropLast()
                .last,
            word == "join", let last = parts.path.split(separator: "/").last,
            let token = try? MirrorToken(String(last)), token.kind == .invitation,
            let name = parts.queryItems?.first(where: { $0.name == "service" })?.value,
            let service = URL(string: name)
        else {
            throw StoreError(
                .invalidArgument,
                "This is no link to a household, or a part of it is missing. Copy the whole link, or ask for another one."
            )
        }
        self.init(service: try service.requiredService, token: token)
    }

    /// Checks that devices can be sent to a service.
    ///
    /// - Throws: `invalidArgument` for a malformed URL, and for one without TLS unless its host is the local one.
    package static func requireService(_ url: URL) throws { _ = try url.requiredService }

    /// The link.
    public var text: String {
        var parts = URLComponents()
        (parts.scheme, parts.host, parts.path) = ("switchyard", "join", "/" + token.text)
        parts.queryItems = [URLQueryItem(name: "service", value: service.absoluteString)]
        return parts.string ?? ""
    }
}

extension HouseholdLink: CustomStringConvertible, CustomDebugStringConvertible {
    /// Names the service, and not the invitation.
    public var description: String { "HouseholdLink(\(service.absoluteString))" }
    /// The same as `description`.
    public var debugDescription: String { description }
}

extension URL {
    /// The URL of a service: with TLS, unless it is on this machine, where nobody can listen.
    ///
    /// - Throws: `invalidArgument` for any other.
    var requiredService: URL {
        get throws {
            let isLocal = ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host() ?? "")
            guard scheme == "https" || scheme == "http" && isLocal, host()?.isEmpty == false, user() == nil,
                query() == nil, fragment() == nil
            else {
                throw StoreError(
                    .invalidArgument,
                    "A mirror's service is named by a URL such as https://mirror.example.org, without a user and a query; "
                        + "http is for this machine alone.")
            }
            return self
        }
    }
}
