import Foundation
import SwitchyardCore
import SwitchyardMirrorService
import Testing

@testable import MirrorServiceCommands
@testable import SwitchyardMirror
@testable import SwitchyardMirrorEngine

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A device whose requests a test writes itself.
struct RawDevice {
    let url: URL
    let token: MirrorToken
    private static let session = URLSession(configuration: .ephemeral)

    /// Accepts an invitation.
    init(joining bench: ServiceBench, by link: HouseholdLink) async throws {
        let own = MirrorToken(.device, scope: link.token.scope, id: UUID())
        let arrival = HouseholdRecords.Arrival(
            device: own.id, secret: own.secret, deviceName: nil, name: "raw")
        let (_, response) = try await Self.send(
            "POST", bench.url.appending(path: "v1/join"), try ServiceMessage.encoded(arrival), link.token.text
        )
        try #require(response.statusCode == 200)
        (url, token) = (bench.url, own)
    }

    func get(_ path: String, accepting coding: String) async throws -> (Data, HTTPURLResponse) {
        try await Self.send(
            "GET", url.appending(path: "v1/\(path)"), nil, token.text, ["Accept-Encoding": coding])
    }

    func post(
        _ path: String, _ body: [UInt8], accepting coding: String
    ) async throws -> (Data, HTTPURLResponse) {
        let schema = SchemaIdentity(try Dairy.schema).text
        return try await Self.send(
            "POST", url.appending(path: "v1/\(path)"), body, token.text,
            ["Accept-Encoding": coding, ServiceForm.schema: schema])
    }

    /// Sends a request, with or without a token.
    static func send(
        _ method: String, _ url: URL, _ body: [UInt8]? = nil, _ token: String? = nil,
        _ headers: [String: String] = [:]
    ) async throws -> (Data, HTTPURLResponse) {
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.httpBody = body.map { Data($0) }
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let (data, response) = try await session.data(for: request)
        return (data, try #require(response as? HTTPURLResponse))
    }
}
