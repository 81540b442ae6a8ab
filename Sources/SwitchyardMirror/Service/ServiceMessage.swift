package import Foundation
package import SwitchyardCore

/// What a device and a service say to each other beside the messages of an exchange, as JSON.
package enum ServiceMessage {
    /// Why a request was not carried out.
    package struct Failure: Sendable, Codable {
        /// The name of an error's code.
        package let code: String
        package let message: String

        package init(code: String, message: String) { (self.code, self.message) = (code, message) }
    }

    /// The answer to who wants to know where it is.
    package struct Greeting: Sendable, Codable {
        /// The identity of the server's store.
        package let store: UUID
        package let household: Household

        package init(store: UUID, household: Household) { (self.store, self.household) = (store, household) }
    }

    /// The answer to who has logged in by the app's own login.
    package struct LoginAnswer: Sendable, Codable {
        package let greeting: Greeting
        /// The household's scope; nil in a store without scopes.
        package let scope: UUID?

        package init(greeting: Greeting, scope: UUID?) { (self.greeting, self.scope) = (greeting, scope) }
    }

    /// The number of the last transaction of a household.
    package struct Head: Sendable, Codable, Equatable {
        package let sequence: Int64

        package init(_ sequence: Int64) { self.sequence = sequence }
    }

    /// An invitation that was made.
    package struct NewInvitation: Sendable, Codable {
        /// The token of a link to it.
        package let token: String

        package init(token: String) { self.token = token }
    }

    /// A new role of a member.
    package struct MemberChange: Sendable, Codable {
        package let role: HouseholdRole
        package let ends: Date?

        package init(role: HouseholdRole, ends: Date?) { (self.role, self.ends) = (role, ends) }
    }

    /// The numbers of the parts of a large mutation that have arrived.
    package struct Arrived: Sendable, Codable {
        package let parts: [Int]

        package init(parts: [Int]) { self.parts = parts }
    }

    /// Something that has no content.
    package struct Nothing: Sendable, Codable {
        package init() {}
    }

    package static func encoded(_ content: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.outputFormatting = .sortedKeys
        return [UInt8](try encoder.encode(content))
    }

    /// Reads a message.
    ///
    /// - Throws: `corrupted` for anything else.
    package static func decoded<Content: Decodable>(_ bytes: some Sequence<UInt8>) throws -> Content {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        do { return try decoder.decode(Content.self, from: Data(bytes)) } catch {
            throw StoreError.unreadableMessage
        }
    }
}

/// The paths, headers and types of a service's first version.
package enum ServiceForm {
    package static let root = "/v1"
    /// The type of a message of an exchange, and of any other; by it an answer is told from a proxy's page.
    package static let message = "application/vnd.switchyard.mirror"
    package static let json = "application/vnd.switchyard.mirror+json"
    /// The header that names the device's schema: its version, a space, and its fingerprint.
    package static let schema = "switchyard-schema"
    /// The header that names the parts of the request's first mutation, if it is a large one.
    package static let parts = "switchyard-parts"
    /// How long a request for the head waits at most, in seconds.
    package static let longestWait = 50
    /// The largest body of a request, in bytes; of one that sends no mutation it is much less.
    package static let largestRequest = 2 << 20
    package static let largestSmallRequest = 16 << 10
    /// The largest body of an answer, in bytes.
    package static let largestAnswer = 512 << 20
}

extension SchemaIdentity {
    /// The header's text.
    package var text: String { "\(version) \(fingerprint)" }

    package init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[1].count <= 200 else { return nil }
        let numbers = parts[0].split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 3, let major = numbers[0], let minor = numbers[1], let patch = numbers[2]
        else {
            return nil
        }
        self.init(version: SchemaVersion(major, minor, patch), fingerprint: String(parts[1]))
    }
}

extension StoreError {
    /// The errors that a service tells its devices; of any other it says only that something failed.
    package static let toldByServices: [Code] = [
        .authentication, .revoked, .notPermitted, .notFound, .identityConflict, .schemaMismatch,
        .schemaTooNew,
        .invalidArgument, .corrupted, .busy, .outOfService, .full, .readOnly, .connectionLost,
        .outcomeUnknown,
    ]

    /// The error that a service has told.
    package init(_ failure: ServiceMessage.Failure) {
        guard let code = Self.toldByServices.first(where: { $0.description == failure.code }) else {
            self.init(.backend, "The mirror's service has failed: \(failure.message.shownInMessage)")
            return
        }
        self.init(code, failure.message.shownInMessage)
    }
}

extension String {
    /// A text from elsewhere, without control characters and not longer than a message.
    fileprivate var shownInMessage: String {
        String(
            String.UnicodeScalarView(unicodeScalars.filter { $0.properties.generalCategory != .control })
                .prefix(500))
    }
}
