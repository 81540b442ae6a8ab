internal import Foundation
internal import SwitchyardMirror

/// What a request is about.
enum ServicePath {
    case exchange, rows, compare, head, household, join, login, leave, invitations
    case invitation(UUID)
    case member(UUID)
    case device(UUID)
    case parts(MutationParts)
    case part(Int, of: String)

    init?(method: String, path: String) {
        let parts = path.split(separator: "/").map(String.init)
        guard parts.count > 1, "/" + parts[0] == ServiceForm.root else { return nil }
        switch (method, parts.count, parts[1]) {
        case ("POST", 2, "exchange"): self = .exchange
        case ("POST", 2, "rows"): self = .rows
        case ("POST", 2, "compare"): self = .compare
        case ("GET", 2, "head"): self = .head
        case ("GET", 2, "household"): self = .household
        case ("POST", 2, "join"): self = .join
        case ("POST", 2, "login"): self = .login
        case ("POST", 2, "leave"): self = .leave
        case ("POST", 2, "invitations"): self = .invitations
        case ("DELETE", 3, "invitations"):
            guard let id = UUID(uuidString: parts[2]) else { return nil }
            self = .invitation(id)
        case ("DELETE", 3, "members"), ("PATCH", 3, "members"):
            guard let id = UUID(uuidString: parts[2]) else { return nil }
            self = .member(id)
        case ("DELETE", 3, "devices"):
            guard let id = UUID(uuidString: parts[2]) else { return nil }
            self = .device(id)
        case ("GET", 4, "parts"):
            guard let parts = MutationParts("\(parts[2]):\(parts[3])") else { return nil }
            self = .parts(parts)
        case ("PUT", 4, "parts"):
            guard MutationParts.isDigest(parts[2]), let number = Int(parts[3]),
                (0..<MutationParts.most).contains(number)
            else { return nil }
            self = .part(number, of: parts[2])
        default: return nil
        }
    }

    /// How many bytes the body has at most, if it has mutations; nil for a small one.
    var largestBody: Int? {
        switch self {
        case .exchange: ServiceForm.largestRequest
        case .part: MutationParts.bytesPerPart
        default: nil
        }
    }

    /// The path with names for what differs from request to request.
    var route: String {
        let route =
            switch self {
            case .exchange: "exchange"
            case .rows: "rows"
            case .compare: "compare"
            case .head: "head"
            case .household: "household"
            case .join: "join"
            case .login: "login"
            case .leave: "leave"
            case .invitations: "invitations"
            case .invitation: "invitations/{id}"
            case .member: "members/{id}"
            case .device: "devices/{id}"
            case .parts: "parts/{digest}/{count}"
            case .part: "parts/{digest}/{number}"
            }
        return "\(ServiceForm.root)/\(route)"
    }
}
