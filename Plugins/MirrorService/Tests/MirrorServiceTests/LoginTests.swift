import Foundation
import JWTKit
import SQLiteStore
import Switchyard
import SwitchyardCommands
import SwitchyardCore
import SwitchyardMirror
import SwitchyardMirrorService
import Testing

extension Dairy: StoreApp {
    static let commandName = "dairy"
    static let plugins: [any StorePlugin.Type] = [SQLitePlugin.self]
    static var plan: (any SchemaMigrationPlan.Type)? { nil }

    /// The token issuer's key.
    fileprivate static let issuer = ES256PrivateKey()

    static func publicKeys() -> String {
        let (x, y) = (issuer.parameters?.x ?? "", issuer.parameters?.y ?? "")
        return #"{"keys":[{"kty":"EC","crv":"P-256","alg":"ES256","kid":"dairy","x":"\#(x)","y":"\#(y)"}]}"#
    }
}

@Suite("An app's own login")
struct LoginTests {
    private static let household = StoreScope()

    private static func claims(
        _ person: String, role: HouseholdRole = .owner, audience: String = "https://mirror.example.org",
        expires: TimeInterval = 60
    ) -> TokenLogin.Claims {
        TokenLogin.Claims(
            sub: SubjectClaim(value: person), aud: AudienceClaim(value: audience),
            exp: ExpirationClaim(value: Date(timeIntervalSinceNow: expires)), household: household.uuid,
            role: role)
    }

    private static func token(_ claims: TokenLogin.Claims) async throws -> String {
        try await JWTKeyCollection().add(ecdsa: Dairy.issuer, kid: "dairy").sign(claims, kid: "dairy")
    }

    @Test("people come in by a token of the app's own login, each with the role that it says")
    func logins() async throws {
        try await ServiceBench.with(authenticator: try await Dairy.authenticator()) { bench in
            let (mias, bens) = (try await bench.open("mia"), try await bench.open("ben"))
            _ = try await mias.join(
                bench.url, bearing: try await Self.token(Self.claims("mia")), as: "Mia", device: nil)
            let household = try await bens.join(
                bench.url, bearing: try await Self.token(Self.claims("ben", role: .reader)), as: "Ben",
                device: nil)
            #expect(Set(household.members.map { "\($0.name) \($0.role)" }) == ["Mia owner", "Ben reader"])
            let mia = try await MirroredStore.open(mias, mirroring: .joined)
            try await mia.write { try $0.insert(Dairy.Feed(amount: 90, note: "")) }
            try await mia.exchange()
            let ben = try await MirroredStore.open(bens, mirroring: .joined)
            try await ben.exchange()
            #expect(try await ben.read { try $0.fetch(Dairy.Feed.all) }.map(\.amount) == [90])
            // A second device of the same person belongs to the same member.
            let tablet = try await bench.open("tablet")
            let again = try await tablet.join(
                bench.url, bearing: try await Self.token(Self.claims("mia")), as: "Mia", device: nil)
            #expect(again.members.count == 2)
            try await tablet.close()
            try await mia.close()
            try await ben.close()
        }
    }

    @Test("a token that has expired, is for somebody else, or was signed by somebody else lets nobody in")
    func refusals() async throws {
        let own = Self.claims("mia")
        let hmac = Data(Dairy.issuer.publicKey.pemRepresentation.utf8)
        let valid = try await Self.token(own)
        let parts = valid.split(separator: ".")
        let none = Data(#"{"alg":"none"}"#.utf8).base64EncodedString().replacing("=", with: "")
        let refused = [
            "expired": try await Self.token(Self.claims("mia", expires: -1)),
            "for another service": try await Self.token(
                Self.claims("mia", audience: "https://bank.example.org")),
            "another's key": try await JWTKeyCollection().add(ecdsa: ES256PrivateKey(), kid: "dairy").sign(
                own, kid: "dairy"),
            "the public key as a secret": try await JWTKeyCollection().add(
                hmac: HMACKey(from: hmac), digestAlgorithm: .sha256, kid: "dairy"
            ).sign(own, kid: "dairy"),
            "no signature": "\(none).\(parts[1]).",
            "another payload": "\(parts[0]).\(parts[1].dropLast())A.\(parts[2])",
            "no token": "hunter2",
        ]
        try await ServiceBench.with(authenticator: try await Dairy.authenticator()) { bench in
            for (reason, token) in refused {
                let store = try await bench.open(reason)
                await #expect("\(reason)") {
                    _ = try await store.join(bench.url, bearing: token, as: "Mia", device: nil)
                } throws: {
                    let error = $0 as? StoreError
                    return error?.code == .authentication && error?.message.contains(token) == false
                }
                try await store.close()
            }
            #expect(try await bench.service.household(Self.household).members.isEmpty)
        }
    }
}
