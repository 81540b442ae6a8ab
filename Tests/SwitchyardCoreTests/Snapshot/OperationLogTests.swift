import Foundation
import SwitchyardCore
import Testing

@testable import SwitchyardRowStore

@Suite("The operation ids that a store in memory or in files remembers")
struct OperationLogTests {
    /// An id with which old ones are forgotten.
    private func forgetful(_ number: UInt8) -> OperationID {
        OperationID(UUID(uuid: (number, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64)))
    }

    private func log(_ json: String) throws -> OperationLog {
        try JSONDecoder().decode(OperationLog.self, from: Data(json.utf8))
    }

    @Test("operation ids expire by the clock, except for the last thousand")
    func forgetting() throws {
        let (old, ahead, recent) = (forgetful(1), forgetful(2), forgetful(3))
        var log = try log(
            """
            {
                "\(old)": {"time": 0, "number": 500},
                "\(ahead)": {"time": 9000000000, "number": 501},
                "\(recent)": {"time": 0, "number": 502}
            }
            """)
        // The 1,501st write: the last thousand are those from number 502 on.
        for number in 503...1_500 {
            let id = UUID(
                uuid: (255, UInt8(number / 256), UInt8(number % 256), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
            try log.record(OperationID(id))
        }
        #expect(log.contains(old))
        try log.record(forgetful(4))
        #expect(!log.contains(old))
        #expect(!log.contains(ahead))
        #expect(log.contains(recent))
        #expect(log.contains(forgetful(4)))
    }

    @Test("a known operation id is refused")
    func duplicate() throws {
        var log = try log("{}")
        try log.record(forgetful(1))
        let error = #expect(throws: StoreError.self) { try log.record(forgetful(1)) }
        #expect(error?.code == .duplicateOperation)
    }

    @Test(
        "an operation log with impossible values is refused",
        arguments: [
            #"{"time": -9223372036854775808, "number": 1}"#, #"{"time": 0, "number": 9223372036854775807}"#,
        ])
    func implausible(entry: String) {
        #expect(throws: DecodingError.self) { try log("{\"\(forgetful(1))\": \(entry)}") }
        #expect(throws: DecodingError.self) { try log(#"{"no id": {"time": 0, "number": 1}}"#) }
    }
}
