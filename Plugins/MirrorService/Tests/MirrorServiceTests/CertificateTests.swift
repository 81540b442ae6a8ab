import Crypto
import Foundation
import SwiftASN1
import Switchyard
import SwitchyardCore
import Testing
import X509

@testable import MirrorServiceCommands
@testable import SwitchyardMirror

/// An authority of the tests' own, and certificates that it has signed.
private struct Authority {
    private let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
    private let name: DistinguishedName

    init() throws { name = try DistinguishedName { CommonName("Authority of a test") } }

    private func certificate(
        _ subject: DistinguishedName, _ publicKey: Certificate.PublicKey, days: Range<Int>,
        _ extensions: Certificate.Extensions
    ) throws -> String {
        func day(_ number: Int) -> Date { Date(timeIntervalSinceNow: Double(number) * 86_400) }
        return try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: publicKey,
            notValidBefore: day(days.lowerBound), notValidAfter: day(days.upperBound), issuer: name,
            subject: subject, signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions,
            issuerPrivateKey: key
        ).serializeAsPEM().pemString
    }

    /// Its own certificate.
    func root() throws -> String {
        try certificate(
            name, key.publicKey, days: -10..<10,
            try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(KeyUsage(keyCertSign: true))
            })
    }

    /// Writes the certificate of a host, and its key, into a directory.
    func write(
        to directory: URL, host: String = "localhost", days: Range<Int> = -5..<5
    ) throws -> (certificate: String, key: String) {
        let own = P256.Signing.PrivateKey()
        let text = try certificate(
            try DistinguishedName { CommonName("A service") },
            Certificate.PublicKey(own.publicKey), days: days,
            try Certificate.Extensions { SubjectAlternativeNames([.dnsName(host)]) })
        let files = ("\(UUID()).pem", "\(UUID()).key")
        let urls = (directory.appending(path: files.0), directory.appending(path: files.1))
        try Data(text.utf8).write(to: urls.0)
        try Data(own.pemRepresentation.utf8).write(to: urls.1)
        return (urls.0.path, urls.1.path)
    }
}

// One test after the other: they share the file of the authorities that are trusted.
@Suite("A service's certificate", .serialized)
struct CertificateTests {
    /// The file of the authorities that this process trusts, if a test may write it.
    private static let authorities = ProcessInfo.processInfo.environment["SWITCHYARD_TEST_AUTHORITIES"]

    private static func withDirectory(_ body: (URL) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(directory)
    }

    /// What a device is told that comes by a link.
    private static func refusal(_ tls: (certificate: String, key: String)) async throws -> StoreError? {
        try await ServiceBench.with(tls: tls) { bench in
            let store = try await bench.open("mia")
            let link = try await bench.invite()
            let refusal: StoreError?
            do {
                _ = try await store.join(link, as: "Mia", device: nil)
                refusal = nil
            } catch { refusal = error as? StoreError }
            try await store.close()
            return refusal
        }
    }

    private static func expect(
        _ problem: CertificateProblem, _ sentence: String, of error: StoreError?
    ) throws {
        let error = try #require(error)
        #expect(error.code == .connectionLost)
        #expect(error.underlying as? CertificateProblem == problem)
        #expect(error.message.contains(sentence), "\(error.message)")
    }

    @Test("of an authority that nobody trusts is a state")
    func untrusted() async throws {
        try await Self.withDirectory { directory in
            try Self.expect(
                .untrusted, "is not trusted here",
                of: try await Self.refusal(try Authority().write(to: directory)))
        }
    }

    @Test(
        "of a trusted authority is taken, and a state if it has expired, is not valid yet or is another host's",
        .enabled(if: authorities != nil, "only Plugins/MirrorService/Tests/run lets it trust an authority"))
    func trusted() async throws {
        try await Self.withDirectory { directory in
            let authority = try Authority()
            let trusted = try FileHandle(forWritingTo: URL(filePath: try #require(Self.authorities)))
            try trusted.truncate(atOffset: 0)
            try trusted.write(contentsOf: Data(authority.root().utf8))
            try trusted.close()
            #expect(try await Self.refusal(try authority.write(to: directory)) == nil)
            for days in [-9 ..< -1, 1..<9] {
                try Self.expect(
                    .notValidNow, "is not valid now. Check the clock",
                    of: try await Self.refusal(try authority.write(to: directory, days: days)))
            }
            try Self.expect(
                .otherHost, "of another host",
                of: try await Self.refusal(try authority.write(to: directory, host: "bank.example.org")))
        }
    }

    @Test("is told from other errors by the texts of libcurl")
    func texts() {
        let texts: [(String, CertificateProblem?)] = [
            ("SSL certificate problem: certificate has expired", .notValidNow),
            ("SSL certificate problem: certificate is not yet valid", .notValidNow),
            ("SSL certificate problem: self-signed certificate", .untrusted),
            ("SSL certificate problem: unable to get local issuer certificate", .untrusted),
            ("SSL: no alternative certificate subject name matches target host name 'localhost'", .otherHost),
            ("SSL: certificate subject name 'a' does not match target hostname 'b'", .otherHost),
            ("Failed to connect to localhost port 1 after 0 ms: Couldn't connect to server", nil),
            ("OpenSSL SSL_connect: Connection reset by peer in connection to localhost:1", nil),
        ]
        for (text, problem) in texts { #expect(CertificateProblem(ofCurl: text) == problem, "\(text)") }
    }
}
