import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("libpq")
struct LibPQTests {
    #if canImport(Darwin)
        private static let otherLibrary = "libSystem.B.dylib"
    #else
        private static let otherLibrary = "libm.so.6"
    #endif

    @Test("where libpq is not installed, the error names it")
    func missing() {
        let error = #expect(throws: StoreError.self) { try LibPQ.load(["libpq-of-nobody.so"]) }
        #expect(error?.code == .unsupported)
        #expect(error?.description.contains("Install libpq") == true)
        #expect(error?.detail?.contains("libpq-of-nobody.so") == true)
    }

    @Test("a library that lacks a function is refused, naming it")
    func tooOld() {
        let error = #expect(throws: StoreError.self) { try LibPQ.load([Self.otherLibrary]) }
        #expect(error?.code == .unsupported)
        #expect(error?.description.contains("lacks PQcancel") == true)
    }

    @Test("the first library that can be loaded is taken, and taken again")
    func loads() throws {
        try LibPQ.require()
        try LibPQ.require()
        let values = try ConnectionParameters(url: "postgres://host/babies").values
        #expect(values == ["host": "host", "dbname": "babies"])
    }
}
