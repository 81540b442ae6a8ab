import Foundation
import SwitchyardConformance
import SwitchyardCore
import SwitchyardMirror
import SwitchyardMirrorService
import Synchronization

/// The way from devices to the instances of a service: requests are lost, doubled and late, and other things answer.
final class SoakNetwork: ServiceTransport {
    private enum Fault: CaseIterable {
        case lost, unanswered, doubled, late, cut, page, failure
    }

    private let services: [MirrorService]
    private let report: Report
    private let generator: Mutex<SeededGenerator>
    private let faulty = Atomic(true)

    init(_ services: [MirrorService], seed: UInt64, report: Report) {
        (self.services, self.report) = (services, report)
        generator = Mutex(SeededGenerator(seed: seed))
    }

    /// Whether there are faults.
    var isFaulty: Bool {
        get { faulty.load(ordering: .sequentiallyConsistent) }
        set { faulty.store(newValue, ordering: .sequentiallyConsistent) }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let (fault, service, delay) = generator.withLock { generator in
            (
                isFaulty && Int.random(in: 0..<6, using: &generator) == 0
                    ? Fault.allCases.randomElement(using: &generator) : nil,
                services[Int.random(in: 0..<services.count, using: &generator)],
                Int.random(in: 1...300, using: &generator)
            )
        }
        if let fault { report.count("requests \(fault)") }
        switch fault {
        case .lost: throw Self.gone
        case .page: return TransportResponse(status: 200, type: "text/html", body: Data("<html>".utf8))
        case .failure: return TransportResponse(status: 500, type: "text/html", body: Data())
        case .late: try await Task.sleep(for: .milliseconds(delay))
        case .doubled: _ = await respond(to: request, service)
        case .unanswered:
            _ = await respond(to: request, service)
            throw Self.gone
        case .cut, nil: break
        }
        let response = await respond(to: request, service)
        guard case .cut = fault else { return response }
        return TransportResponse(
            status: response.status, type: response.type, body: response.body.prefix(response.body.count / 2))
    }

    private func respond(to request: TransportRequest, _ service: MirrorService) async -> TransportResponse {
        let query = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        let response = await service.respond(
            to: ServiceRequest(
                method: request.method, path: request.url.path,
                query: Dictionary(query.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 }),
                headers: request.headers, body: [UInt8](request.body ?? Data())))
        // A device that ends cancels what the service does for it here, which no network does.
        if response.status == 500, let failure = response.failure, !Task.isCancelled {
            report.violation("the service failed: \(failure)")
        }
        return TransportResponse(
            status: response.status, type: response.headers["content-type"], body: Data(response.body))
    }

    private static var gone: StoreError { StoreError(.connectionLost, "The network is gone.") }
}
