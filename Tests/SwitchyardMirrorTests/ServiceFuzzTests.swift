import Foundation
import SwitchyardCore
import TestBackends
import Testing

@testable import SwitchyardMirror

@Suite("Whatever a service or a device may be sent beside an exchange")
struct ServiceFuzzTests {
    private static let date = Date(timeIntervalSince1970: 1_762_454_079)
    private static let token = MirrorToken(.invitation, scope: StoreScope(UUID()), id: UUID())

    private static let household = Household(
        me: UUID(),
        members: [
            Household.Member(
                id: UUID(), name: "Brüder 🍼", role: .owner, joined: date, ends: date,
                devices: [Household.Device(id: UUID(), name: "phone", joined: date, lastSeen: date)])
        ],
        invitations: [
            Household.Invitation(
                id: UUID(), role: .reader, inviter: UUID(), expires: date, uses: 3, membershipEnds: nil)
        ])

    /// A text or a message, and what reads it.
    private typealias Form = (name: String, bytes: [UInt8], read: @Sendable ([UInt8]) throws -> Void)

    private static func json<Content: Codable & Sendable>(_ content: Content) throws -> Form {
        (
            "\(Content.self)", try ServiceMessage.encoded(content),
            { let _: Content = try ServiceMessage.decoded($0) }
        )
    }

    private static func text(
        _ name: String, _ text: String, _ read: @escaping @Sendable (String) throws -> Void
    )
        -> Form
    {
        (name, Array(text.utf8), { try read(String(decoding: $0, as: UTF8.self)) })
    }

    private static func forms() throws -> [Form] {
        let service = try #require(URL(string: "https://mirror.example.org/families"))
        let greeting = ServiceMessage.Greeting(store: UUID(), household: household)
        return [
            try json(greeting), try json(ServiceMessage.LoginAnswer(greeting: greeting, scope: UUID())),
            try json(ServiceMessage.Head(1)), try json(ServiceMessage.NewInvitation(token: token.text)),
            try json(ServiceMessage.MemberChange(role: .member, ends: date)),
            try json(ServiceMessage.Arrived(parts: [0, 1, 2])),
            try json(ServiceMessage.Failure(code: "revoked", message: "You are out.")),
            try json(
                HouseholdRecords.Arrival(
                    device: UUID(), secret: token.secret, deviceName: "phone", name: "Mia")),
            try json(InvitationTerms(role: .owner, lifetime: 60, uses: 2, membershipEnds: date)),
            text("token", token.text) { _ = try MirrorToken($0) },
            text("link", HouseholdLink(service: service, token: token).text) { _ = try HouseholdLink($0) },
            text("schema", "1.2.3 abc") { _ = SchemaIdentity($0) },
            text("parts", "\(String(repeating: "a", count: 64)):3") { _ = MutationParts($0) },
        ]
    }

    private static func altered(_ bytes: [UInt8], _ random: inout SystemRandomNumberGenerator) -> [UInt8] {
        if Int.random(in: 0..<10, using: &random) == 0 {
            return (0..<Int.random(in: 0...200, using: &random)).map { _ in
                .random(in: 0...255, using: &random)
            }
        }
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[place] = .random(in: 0...255, using: &random)
            case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2: bytes.remove(at: place)
            case 3:
                let signs = Array("-0123456789e[{\"\\u".utf8).shuffled(using: &random)
                bytes.insert(contentsOf: signs.prefix(3), at: place)
            case 4: bytes.insert(contentsOf: bytes[place...].prefix(20), at: place)
            default: bytes.removeLast(bytes.count - place)
            }
        }
        return bytes
    }

    @Test("is read, or refused by an error that says nothing of it")
    func fuzz() throws {
        let count = Nightly.isOn ? 1_000_000 : 26_000
        var random = SystemRandomNumberGenerator()
        let forms = try Self.forms()
        for form in forms { try form.read(form.bytes) }
        var refusals = 0
        for number in 0..<count {
            let form = forms[number % forms.count]
            let bytes = Self.altered(form.bytes, &random)
            do { try form.read(bytes) } catch {
                refusals += 1
                let code = (error as? StoreError)?.code
                guard [.corrupted, .authentication, .invalidArgument].contains(code) else {
                    Issue.record("\(form.name): \(String(reflecting: error)) for \(bytes)")
                    return
                }
            }
        }
        #expect(refusals > count / 3)
    }
}
