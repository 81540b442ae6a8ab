/// A request of a device, as an HTTP server has received it.
public struct ServiceRequest: Sendable {
    /// The method, in capitals.
    public let method: String
    /// The path, from its first slash, without the query.
    public let path: String
    /// The query's parameters.
    public let query: [String: String]
    /// The headers, by their names in small letters.
    public let headers: [String: String]
    /// The body.
    public let body: [UInt8]

    /// Creates a request.
    public init(
        method: String, path: String, query: [String: String] = [:], headers: [String: String] = [:],
        body: [UInt8] = []
    ) {
        (self.method, self.path, self.query) = (method, path, query)
        (self.headers, self.body) = (headers, body)
    }
}

/// What is answered to a device.
public struct ServiceResponse: Sendable {
    /// The HTTP status.
    public let status: Int
    /// The headers, by their names in small letters.
    public private(set) var headers: [String: String]
    /// The body.
    public let body: [UInt8]

    init(status: Int, type: String?, body: [UInt8] = [], headers: [String: String] = [:]) {
        (self.status, self.headers, self.body) = (status, headers, body)
        // What is told is for this device and this moment.
        self.headers["cache-control"] = "no-store"
        self.headers["content-type"] = type
    }
}
