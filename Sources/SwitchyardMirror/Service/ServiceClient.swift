package import Foundation
internal import SwitchyardCore

/// Sends requests to a service, and tells its answers from those of whatever else is on the way.
struct ServiceClient: Sendable {
    private let service: URL
    private let transport: any ServiceTransport

    init(_ service: URL, over transport: any ServiceTransport) {
        (self.service, self.transport) = (service, transport)
    }

    /// A request, beside its token.
    struct Call {
        let method: String
        /// The path after the version's root.
        let path: String
        var query: [String: String] = [:]
        var headers: [String: String] = [:]
        var body: [UInt8]?
        /// How long to wait for each piece that is sent or received, in seconds.
        var patience = 30
    }

    /// Sends a message and reads the service's answer, as JSON.
    ///
    /// - Throws: As `send(_:bearing:expecting:)`.
    func send<Answer: Decodable>(_ call: Call, bearing token: String) async throws -> Answer {
        try ServiceMessage.decoded(try await send(call, bearing: token, expecting: ServiceForm.json))
    }

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - call: The request.
    ///   - token: What the sender is known by.
    ///   - type: The type of the answer.
    /// - Returns: The body of the answer.
    /// - Throws: What the service has told; `connectionLost` if nobody or somebody else has answered; `cancelled`.
    func send(_ call: Call, bearing token: String, expecting type: String) async throws -> Data {
        var parts = URLComponents(
            url: service.appending(path: ServiceForm.root + call.path), resolvingAgainstBaseURL: false)
        if !call.query.isEmpty {
            parts?.queryItems = call.query.sorted { $0.key < $1.key }.map {
                URLQueryItem(name: $0, value: $1)
            }
        }
        guard let url = parts?.url else {
            throw StoreError(.invalidArgument, "The URL of the mirror's service cannot be used.")
        }
        var headers = call.headers
        headers["authorization"] = "Bearer \(token)"
        headers["content-type"] = call.body.map { _ in "application/octet-stream" }
        let response = try await transport.send(
            TransportRequest(
                method: call.method, url: url, headers: headers, body: call.body.map { Data($0) },
                patience: call.patience))
        if response.status == 200, response.type == type { return response.body }
        // Whatever comes from elsewhere, such as a network's sign-in page, says nothing about the household.
        guard response.status != 200, response.type == ServiceForm.json,
            let failure: ServiceMessage.Failure = try? ServiceMessage.decoded(response.body)
        else {
            throw StoreError(
                .connectionLost,
                "The answer (status \(response.status)) is not that of a mirror's service: a network's sign-in page, a proxy, or "
                    + "another address. It is tried again; nothing was changed.")
        }
        throw StoreError(failure)
    }
}

/// What carries requests to a service.
package protocol ServiceTransport: Sendable {
    /// Sends a request, and follows no redirection.
    ///
    /// - Throws: `connectionLost` if nobody has answered, or more than an answer can be; `cancelled`.
    func send(_ request: TransportRequest) async throws -> TransportResponse
}

/// A request to a service.
package struct TransportRequest: Sendable {
    package let method: String
    package let url: URL
    package let headers: [String: String]
    package let body: Data?
    /// How long to wait for each piece that is sent or received, in seconds.
    package let patience: Int
}

/// What somebody has answered to it.
package struct TransportResponse: Sendable {
    package let status: Int
    /// The type of the body.
    package let type: String?
    package let body: Data

    package init(status: Int, type: String?, body: Data) {
        (self.status, self.type, self.body) = (status, type, body)
    }
}
