internal import Foundation
internal import SwitchyardCore
internal import Synchronization

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Requests over the network, by the system's own client.
final class URLSessionTransport: ServiceTransport {
    private let session: URLSession
    private let transfers = Transfers()

    init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = URLSession(configuration: configuration, delegate: transfers, delegateQueue: nil)
    }

    // The session keeps its delegate until then.
    deinit { session.invalidateAndCancel() }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        var sent = URLRequest(url: request.url, timeoutInterval: TimeInterval(request.patience))
        sent.httpMethod = request.method
        sent.httpBody = request.body
        for (name, value) in request.headers { sent.setValue(value, forHTTPHeaderField: name) }
        return try await transfers.transfer(
            session.dataTask(with: sent), to: request.url.host() ?? "its address",
            within: .seconds(request.patience))
    }
}

/// The requests on their way, and what has come of their answers.
private final class Transfers: NSObject, URLSessionDataDelegate, Sendable {
    private struct Transfer {
        var data = Data()
        var isTooLarge = false
        var deadline: TransferDeadline
        let continuation: CheckedContinuation<TransportResponse, any Error>
        let host: String
    }

    private let transfers = Mutex<[Int: Transfer]>([:])

    func transfer(
        _ task: URLSessionDataTask, to host: String, within patience: Duration
    ) async throws -> TransportResponse {
        // FoundationNetworking can lose the end of a request that was answered; nobody would wake who waits for it.
        let deadline = TransferDeadline(waiting: patience, from: .now)
        let alarm = Task {
            var due = deadline.end
            while due > .now {
                try await Task.sleep(until: due, clock: .continuous)
                due = transfers.withLock { $0[task.taskIdentifier]?.deadline.end } ?? due
            }
            task.cancel()
            end(task, URLError(.timedOut))
        }
        defer { alarm.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                transfers.withLock {
                    $0[task.taskIdentifier] = Transfer(
                        deadline: deadline, continuation: continuation, host: host)
                }
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
    }

    // The token goes to no other address.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        transfers.withLock { $0[task.taskIdentifier]?.deadline.extend(from: .now) }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLarge = transfers.withLock { transfers in
            guard var transfer = transfers.removeValue(forKey: dataTask.taskIdentifier) else { return false }
            transfer.data.append(data)
            transfer.deadline.extend(from: .now)
            transfer.isTooLarge = transfer.data.count > ServiceForm.largestAnswer
            defer { transfers[dataTask.taskIdentifier] = transfer }
            return transfer.isTooLarge
        }
        if isTooLarge { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        end(task, error)
    }

    /// Ends a transfer, unless it has ended.
    private func end(_ task: URLSessionTask, _ error: (any Error)?) {
        guard let transfer = transfers.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else {
            return
        }
        if let response = task.response as? HTTPURLResponse, error == nil {
            let type = response.value(forHTTPHeaderField: "content-type")
            return transfer.continuation.resume(
                returning: TransportResponse(status: response.statusCode, type: type, body: transfer.data))
        }
        transfer.continuation.resume(
            throwing: transfer.isTooLarge
                ? StoreError(.connectionLost, "The answer is larger than any of a mirror's service.")
                : StoreError.unreached(transfer.host, error))
    }
}

/// Until when a transfer is waited for: anew with each piece that was sent or received, so that a slow network carries large bodies.
package struct TransferDeadline {
    package private(set) var end: ContinuousClock.Instant
    private let patience: Duration
    private let last: ContinuousClock.Instant

    /// How much longer than a piece may take it is waited for: the session's own timer comes first.
    private static let grace = Duration.seconds(5)
    /// The longest time of a transfer, however often a piece of it comes.
    private static let longest = Duration.seconds(3_600)

    /// - Parameters:
    ///   - patience: How long to wait for each piece.
    ///   - start: When the transfer begins.
    package init(waiting patience: Duration, from start: ContinuousClock.Instant) {
        self.patience = patience
        last = start + Self.longest
        end = start
        extend(from: start)
    }

    /// Waits on, since a piece was sent or received.
    package mutating func extend(from now: ContinuousClock.Instant) {
        end = min(now + patience + Self.grace, last)
    }
}

extension StoreError {
    /// The error of a service that could not be reached.
    fileprivate static func unreached(_ host: String, _ error: (any Error)?) -> StoreError {
        if let problem = (error as? URLError).flatMap({ CertificateProblem($0) }) {
            return unreached(host, problem.reason, problem)
        }
        let reason: String
        switch (error as? URLError)?.code {
        case .cancelled: return taskCancelled
        case .timedOut: reason = "does not answer"
        case .cannotFindHost, .dnsLookupFailed: reason = "has a name that is not known here"
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff:
            reason = "cannot be reached: there is no network"
        case .secureConnectionFailed: reason = "does not take part in a secure connection"
        default: reason = "cannot be reached"
        }
        return unreached(host, reason, error)
    }

    private static func unreached(
        _ host: String, _ reason: String, _ error: (any Error)?
    ) -> StoreError {
        StoreError(
            .connectionLost,
            "The mirror's service at \(host) \(reason). It is tried again; nothing was changed.",
            underlying: error)
    }
}
