internal import Foundation
internal import SwitchyardCore

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// What is wrong with the certificate of a mirror's service, so that nothing was sent to it.
///
/// It is the underlying error of `connectionLost`, such as that of ``MirrorStatus/problem``. A network's sign-in page causes it as
/// well as a mistake of who runs the service, so the exchange is tried again.
public enum CertificateProblem: String, Error, Sendable, Hashable, Codable {
    /// It has expired or is not valid yet, or the clock of this device is wrong.
    case notValidNow
    /// It is from an authority that the system does not trust.
    case untrusted
    /// It is for a host of another name.
    case otherHost

    var reason: String {
        switch self {
        case .notValidNow:
            "has a certificate that is not valid now. Check the clock of this device; else it is to be renewed"
        case .untrusted:
            "has a certificate that is not trusted here. A network's sign-in page may stand before it"
        case .otherHost: "has a certificate of another host. A network's sign-in page may stand before it"
        }
    }
}

extension CertificateProblem {
    /// The problem that a failed request tells of; nil for any other failure.
    init?(_ error: URLError) {
        switch error.code {
        case .serverCertificateHasBadDate, .serverCertificateNotYetValid: self = .notValidNow
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot: self = .untrusted
        default:
            // Foundation on Linux gives all errors of TLS the code `unknown`, with libcurl's text.
            guard error.code == .unknown else { return nil }
            self.init(ofCurl: error.localizedDescription)
        }
    }

    /// The problem that an error's text of libcurl with OpenSSL tells of.
    ///
    /// Source: libcurl's `vtls/openssl.c` and the texts of OpenSSL's `X509_verify_cert_error_string`.
    init?(ofCurl text: String) {
        if text.hasPrefix("SSL certificate problem:") {
            let isOfTime = text.hasSuffix("has expired") || text.hasSuffix("not yet valid")
            self = isOfTime ? .notValidNow : .untrusted
        } else if text.hasPrefix("SSL: "), text.contains("target host") {
            self = .otherHost
        } else {
            return nil
        }
    }
}
