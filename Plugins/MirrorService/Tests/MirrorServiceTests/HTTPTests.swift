import Foundation
import Switchyard
import SwitchyardCore
import Testing

@testable import MirrorServiceCommands
@testable import SwitchyardMirror
@testable import SwitchyardMirrorEngine

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A mirror over HTTP")
struct HTTPTests {
    @Test("two phones share a household over HTTP, and one is revoked")
    func sharing() async throws {
        try await ServiceBench.with { bench in
            let mia = try await bench.join("Mia", by: try await bench.invite())
            try await mia.write { try $0.insert(Dairy.Feed(amount: 90, note: "Brüderchen 🍼")) }
            try await mia.exchange()
            let ben = try await bench.join("Ben", by: try await mia.invite(.member))
            try await ben.exchange()
            #expect(try await ben.read { try $0.fetch(Dairy.Feed.all) }.map(\.note) == ["Brüderchen 🍼"])
            try await ben.write { try $0.insert(Dairy.Feed(amount: 120, note: "")) }
            // Nobody asks for an exchange: the service tells Mia's phone.
            for try await feeds in mia.observe({ try $0.fetch(Dairy.Feed.all) }) where feeds.count == 2 {
                break
            }
            let members = try await mia.household().members
            try await mia.revoke(member: try #require(members.first { $0.name == "Ben" }?.id))
            await #expect(throws: StoreError.self) { try await ben.exchange() }
            #expect(ben.status.phase == .ended)
            #expect(try await ben.read { try $0.fetch(Dairy.Feed.all) }.isEmpty)
            try await mia.close()
            try await ben.close()
        }
    }

    @Test("a service that is not there is a state")
    func unreachable() async throws {
        try await ServiceBench.with { bench in
            let link = try await bench.invite()
            let gone = HouseholdLink(
                service: try #require(URL(string: "http://127.0.0.1:1")), token: link.token)
            let store = try await bench.open("mia")
            await #expect {
                _ = try await store.join(gone, as: "Mia", device: nil)
            } throws: { ($0 as? StoreError)?.code == .connectionLost }
            // It is not bound to the address that nobody answers at.
            _ = try await store.join(link, as: "Mia", device: nil)
            try await store.close()
        }
    }

    // MARK: Compression

    @Test("a client takes gzip if it names it with a quality above 0")
    func codings() {
        for header in ["gzip", "deflate, gzip", "br;q=1.0, GZIP;q=0.1", " gzip ; q=1"] {
            #expect(Gzip.isAccepted(header), "\(header)")
        }
        for header in [nil, "", "br", "gzip;q=0", "gzip; q=0.0", "x-gzip2", "gzip;q=many", "*"] {
            #expect(!Gzip.isAccepted(header), "\(header ?? "none")")
        }
    }

    @Test("a page of rows travels as gzip, and nothing else does")
    func compression() async throws {
        try await ServiceBench.with { bench in
            let mia = try await bench.join("Mia", by: try await bench.invite())
            try await mia.write { tx in
                for amount in 0..<1_000 { try tx.insert(Dairy.Feed(amount: amount, note: "the same note")) }
            }
            try await mia.exchange()
            let ben = try await RawDevice(joining: bench, by: try await mia.invite(.member))
            let rows = RowsRequest(after: nil, seen: nil).encoded(try Dairy.schema)
            let (page, response) = try await ben.post("rows", rows, accepting: "gzip")
            #expect(response.value(forHTTPHeaderField: "content-encoding") == "gzip")
            let sent = try #require(
                response.value(forHTTPHeaderField: "content-length").flatMap { Int($0) })
            #expect(sent < page.count / 2)
            let (plain, plainly) = try await ben.post("rows", rows, accepting: "identity")
            #expect(plainly.value(forHTTPHeaderField: "content-encoding") == nil)
            #expect(plain == page)
            // A body with a secret tells nothing by its size.
            let (_, household) = try await ben.get("household", accepting: "gzip")
            #expect(household.statusCode == 200)
            #expect(household.value(forHTTPHeaderField: "content-encoding") == nil)
            // The client of an app takes what its system inflates.
            let grandma = try await bench.join("Grandma", by: try await mia.invite(.reader))
            try await grandma.exchange()
            #expect(try await grandma.read { try $0.count(Dairy.Feed.all) } == 1_000)
            try await grandma.close()
            try await mia.close()
        }
    }

    // MARK: What is no request

    @Test("a stranger is refused before the body has come")
    func unreadBody() async throws {
        try await ServiceBench.with { bench in
            let port = try #require(bench.url.port)
            let token = MirrorToken(.device, scope: StoreScope(), id: UUID()).text
            let shell = Process()
            shell.executableURL = URL(filePath: "/bin/bash")
            let head =
                "POST /v1/exchange HTTP/1.1\\r\\nHost: x\\r\\nAuthorization: Bearer \(token)\\r\\n"
                + "Content-Length: 1000000\\r\\n\\r\\n"
            // Of the body only the beginning is sent.
            shell.arguments = [
                "-c",
                "exec 3<>/dev/tcp/127.0.0.1/\(port) && printf '\(head)x' >&3 && timeout 30 head -n 1 <&3",
            ]
            let output = Pipe()
            shell.standardOutput = output
            try shell.run()
            let answer = await withCheckedContinuation { done in
                DispatchQueue.global().async {
                    done.resume(returning: output.fileHandleForReading.readDataToEndOfFile())
                }
            }
            #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 401"))
        }
    }

    @Test("bytes that are no request end nothing but their connection")
    func noise() async throws {
        try await ServiceBench.with { bench in
            let port = try #require(bench.url.port)
            let noise = [
                "\\x16\\x03\\x01\\x02\\x00", "GET\\r\\n\\r\\n",
                "POST /v1/exchange HTTP/1.1\\r\\nContent-Length: -1\\r\\n\\r\\n",
                "GET /health HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n\\x00\\x00\\x00\\r\\n\\r\\n",
                "POST /v1/exchange HTTP/1.1\\r\\nHost: x\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\nfffffffffffffffff\\r\\n",
            ]
            for bytes in noise {
                let shell = Process()
                shell.executableURL = URL(filePath: "/bin/bash")
                shell.arguments = [
                    "-c", "exec 3<>/dev/tcp/127.0.0.1/\(port) && printf '\(bytes)' >&3 && timeout 2 cat <&3",
                ]
                shell.standardOutput = FileHandle.nullDevice
                shell.standardError = FileHandle.nullDevice
                try shell.run()
                await withCheckedContinuation { done in
                    DispatchQueue.global().async {
                        shell.waitUntilExit()
                        done.resume()
                    }
                }
                let (_, response) = try await RawDevice.send("GET", bench.url.appending(path: "health"))
                #expect(response.statusCode == 200)
            }
        }
    }
}
