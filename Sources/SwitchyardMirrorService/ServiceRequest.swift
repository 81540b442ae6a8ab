internal import SwitchyardMirror

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
    public internal(set) var body: [UInt8]
    /// The address that it came from, for the limit of requests with unknown tokens; nil if that is not known.
    public let peer: String?
    let destination: ServicePath?

    /// The path with names in braces for what differs from request to request, such as `/v1/members/{id}`, for metrics and traces;
    /// nil if the service has no such resource.
    public var route: String? { destination?.route }

    /// Creates a request.
    public init(
        method: String, path: String, query: [String: String] = [:], headers: [String: String] = [:],
        body: [UInt8] = [], peer: String? = nil
    ) {
        (self.method, self.path, self.query) = (method, path, query)
        (self.headers, self.body, self.peer) = (headers, body, peer)
        destination = ServicePath(method: method, path: path)
    }
}

/// What is answered to a device.
public struct ServiceResponse: Sendable {
    /// The HTTP status.
    public let status: Int
    /// The name of the error's code, for metrics and traces; nil if the request was carried out.
    public let errorCode: String?
    /// What failed in the service, for its log, without values and secrets; nil for what the device is told as it is.
    public let failure: String?
    /// The headers, by their names in small letters.
    public private(set) var headers: [String: String]
    /// The body.
    public let body: [UInt8]

    /// Whether the body has rows and no secret, so that it may be compressed.
    public var isOfRows: Bool { headers["content-type"] == ServiceForm.message }

    init(
        status: Int, errorCode: String? = nil, failure: String? = nil, type: String?, body: [UInt8] = [],
        headers: [String: String] = [:]
    ) {
        (self.status, self.errorCode, self.failure) = (status, errorCode, failure)
        (self.headers, self.body) = (headers, body)
        // What is told is for this device and this moment.
        self.headers["cache-control"] = "no-store"
        self.headers["content-type"] = type
    }
}
