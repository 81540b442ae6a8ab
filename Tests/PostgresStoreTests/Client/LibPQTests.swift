import Foundation
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

    @Test("without libpq the error names the library")
    func missing() {
        let error = #expect(throws: StoreError.self) { try LibPQ.load(["libpq-of-nobody.so"]) }
        #expect(error?.code == .unsupported)
        #expect(error?.description.contains("Install libpq") == true)
        #expect(error?.detail?.contains("libpq-of-nobody.so") == true)
    }

    @Test("a libpq that lacks a function is refused by the function's name")
    func tooOld() {
        let error = #expect(throws: StoreError.self) { try LibPQ.load([Self.otherLibrary]) }
        #expect(error?.code == .unsupported)
        #expect(error?.description.contains("lacks PQcancel") == true)
    }

    @Test("the first loadable libpq is used, and used again")
    func loads() throws {
        try LibPQ.require()
        try LibPQ.require()
        let values = try ConnectionParameters(url: "postgres://host/babies").values
        #expect(values == ["host": "host", "dbname": "babies"])
    }

    #if os(Linux)
        /// Prints the values and sizes that the client uses, by libpq's header or by the declarations that stand for it.
        private static let printer = #"""
            #include "CLibPQ.h"
            #include <stdio.h>
            #define SHOW(value) printf(#value " %ld\n", (long)(value));
            int main(void) {
                SHOW(CONNECTION_OK) SHOW(CONNECTION_BAD)
                SHOW(PGRES_POLLING_FAILED) SHOW(PGRES_POLLING_READING) SHOW(PGRES_POLLING_WRITING) SHOW(PGRES_POLLING_OK)
                SHOW(PGRES_EMPTY_QUERY) SHOW(PGRES_COMMAND_OK) SHOW(PGRES_TUPLES_OK) SHOW(PGRES_COPY_OUT)
                SHOW(PGRES_COPY_IN) SHOW(PGRES_BAD_RESPONSE) SHOW(PGRES_NONFATAL_ERROR) SHOW(PGRES_FATAL_ERROR)
                SHOW(PGRES_COPY_BOTH) SHOW(PGRES_SINGLE_TUPLE) SHOW(PGRES_PIPELINE_SYNC) SHOW(PGRES_PIPELINE_ABORTED)
                SHOW(PQTRANS_IDLE) SHOW(PQTRANS_ACTIVE) SHOW(PQTRANS_INTRANS) SHOW(PQTRANS_INERROR) SHOW(PQTRANS_UNKNOWN)
                SHOW(PQERRORS_TERSE) SHOW(PQERRORS_DEFAULT) SHOW(PQERRORS_VERBOSE) SHOW(PQERRORS_SQLSTATE)
                SHOW(PQ_PIPELINE_OFF) SHOW(PQ_PIPELINE_ON) SHOW(PQ_PIPELINE_ABORTED) SHOW(PG_DIAG_SQLSTATE)
                SHOW(sizeof(Oid)) SHOW(sizeof(PGnotify)) SHOW(offsetof(PGnotify, relname)) SHOW(offsetof(PGnotify, extra))
                SHOW(sizeof(PQconninfoOption)) SHOW(offsetof(PQconninfoOption, keyword)) SHOW(offsetof(PQconninfoOption, val))
                SHOW(offsetof(PQconninfoOption, envvar)) SHOW(offsetof(PQconninfoOption, dispchar))
                return 0;
            }

            """#

        @Test("the declarations for a missing header match libpq's own")
        func ownTypes() throws {
            let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
            let include = root.appending(path: "Plugins/PostgresStore/CLibPQ/include").path
            let directory = FileManager.default.temporaryDirectory.appending(
                path: "libpq-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(at: directory) }
            try Data(Self.printer.utf8).write(to: directory.appending(path: "printer.c"))
            let script = """
                cd '\(directory.path)'
                cc -I'\(include)' -o header printer.c && cc -DCLIBPQ_OWN_TYPES -I'\(include)' -o own printer.c || exit 1
                ./header >header.txt && ./own >own.txt
                """
            let process = try Process.run(URL(filePath: "/bin/sh"), arguments: ["-c", script])
            process.waitUntilExit()
            try #require(process.terminationStatus == 0)
            let header = try String(contentsOf: directory.appending(path: "header.txt"), encoding: .utf8)
            #expect(header.contains("PGRES_PIPELINE_ABORTED 11\n"))
            #expect(try String(contentsOf: directory.appending(path: "own.txt"), encoding: .utf8) == header)
        }
    #endif
}
