internal import CLibPQ
internal import Foundation
internal import SwitchyardCore

extension Session {
    /// Waits for notifications of the server, up to some time.
    ///
    /// - Parameters:
    ///   - end: A descriptor that becomes readable when the wait is to end.
    ///   - time: The maximum wait.
    /// - Returns: The texts of the notifications, empty after the maximum wait; nil if the wait was ended.
    /// - Throws: `connectionLost`.
    func awaitNotifications(orEndOf end: CInt, atMost time: Duration) throws -> [String]? {
        let deadline = ContinuousClock.now + time
        while true {
            let texts = notifications()
            if !texts.isEmpty { return texts }
            let left = deadline - .now
            guard left > .zero else { return [] }
            var descriptors = [
                pollfd(fd: pq_socket(handle), events: Int16(POLLIN), revents: 0),
                pollfd(fd: end, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&descriptors, 2, left.wholeMilliseconds)
            if descriptors[1].revents != 0 { return nil }
            guard descriptors[0].revents != 0 else { continue }
            guard pq_consumeInput(handle) == 1 else {
                throw lost(PostgresError(message: String(cString: pq_errorMessage(handle))))
            }
        }
    }

    private func notifications() -> [String] {
        var texts: [String] = []
        while let notification = pq_notifies(handle) {
            defer { pq_freemem(notification) }
            texts.append(String(cString: notification.pointee.extra))
        }
        return texts
    }
}
