import Foundation
import GRDB
import SwitchyardCore
import Testing

@testable import SQLiteStore

@Suite("SQLite's result codes")
struct SQLiteFailureTests {
    /// The number of SQLite's documentation, the system's error, and what comes of them.
    struct Case: Sendable, CustomTestStringConvertible {
        let number: CInt
        let systemError: CInt
        let code: StoreError.Code
        let words: String
        var testDescription: String { "\(number), errno \(systemError)" }

        init(_ number: CInt, errno systemError: CInt = 0, _ code: StoreError.Code, _ words: String) {
            (self.number, self.systemError, self.code, self.words) = (number, systemError, code, words)
        }
    }

    @Test(
        "each SQLite result code has an error code, an explanation and advice",
        arguments: [
            // SQLITE_FULL, and what is a full disk by another name: the log's header, its index, a file that
            // cannot be made.
            Case(13, .full, "The disk is full; nothing was written. Make room and try again."),
            Case(
                778, errno: ENOSPC, .full, "The disk is full; nothing was written. Make room and try again."),
            Case(4874, errno: ENOSPC, .full, "The disk is full"), Case(4874, .full, "The disk is full"),
            Case(14, errno: ENOSPC, .full, "The disk is full"),
            Case(778, errno: EDQUOT, .full, "This user's quota of the disk is used up"),
            Case(14, errno: EDQUOT, .full, "This user's quota"),
            Case(
                778, errno: EFBIG, .full,
                "The store's file /s or its log has reached the limit on the size of files"),
            Case(
                22, .full,
                "The store's file /s has reached the size of files that this system's SQLite can use"),
            // Descriptors.
            Case(
                14, errno: EMFILE, .inputOutput, "this process has as many files open as it may; close some"),
            Case(270, errno: EMFILE, .inputOutput, "this process has as many files open as it may"),
            Case(14, errno: ENFILE, .inputOutput, "this machine has as many files open as it can"),
            // The disk, and network volumes.
            Case(
                266, errno: EIO, .inputOutput, "The disk of the store's file /s failed (Input/output error)"),
            Case(3850, errno: ENOLCK, .inputOutput, "cannot be locked, as on some network volumes"),
            Case(3850, .inputOutput, "cannot be locked, as on some network volumes"),
            Case(5130, .inputOutput, "cannot be locked"),
            Case(522, .corrupted, "cut short or damaged. Restore it from a backup"),
            Case(8458, .corrupted, "cut short or damaged"), Case(8202, .corrupted, "cut short or damaged"),
            Case(10, .inputOutput, "could not be read or written; check the disk and its permissions"),
            // Permissions and places.
            Case(8, .readOnly, "cannot be written; check its permissions"),
            Case(14, errno: EROFS, .readOnly, "read-only file system"),
            Case(14, errno: EACCES, .inputOutput, "cannot be opened; check the path and its permissions"),
            Case(3, .inputOutput, "cannot be opened; check the path and its permissions"),
            Case(526, .inputOutput, "there is a directory in its place"),
            Case(1032, .replaced, "was deleted, moved or replaced while the store was open"),
            // Others at the same time.
            Case(5, .busy, "Another connection or process kept the store locked"),
            Case(6, .busy, "Another connection or process kept the store locked"),
            Case(15, .busy, "Other processes kept changing the log"),
            Case(517, .serialization, "Another transaction wrote"),
            Case(17, .serialization, "were changed while"),
            Case(4, .transactionAborted, "rolled back before its end"),
            Case(9, .cancelled, "was interrupted"),
            // The rest.
            Case(7, .backend, "SQLite got no memory from the system"),
            Case(3082, .backend, "SQLite got no memory from the system"),
            Case(11, .corrupted, "is damaged. Restore it from a backup."),
            Case(26, .notAStore, "is not an SQLite database"),
            Case(18, .valueNotRepresentable, "too large for SQLite"), Case(20, .check, "of a type"),
            Case(23, .configuration, "The connection's authorizer refused"),
            Case(1, .backend, "with result code 1"), Case(2, .backend, "with result code 2"),
            Case(21, .backend, "with result code 21"), Case(25, .backend, "with result code 25"),
        ])
    func meaning(expected: Case) {
        let failure = SQLiteFailure(
            code: expected.number, message: "not an error", systemError: expected.systemError, path: "/s")
        #expect(failure.storeCode == expected.code)
        #expect(failure.explanation.contains(expected.words), "\(failure.explanation)")
        #expect(failure.explanation.hasSuffix(".") && !failure.explanation.contains("SQLite failed"))
    }

    @Test("SQLite's own message appears only in the debug description")
    func detail() throws {
        let error = StoreError.translating(
            DatabaseError(resultCode: .SQLITE_NOMEM, message: "out of memory"), in: try .people(), at: "/s")
        #expect((error as? StoreError)?.detail == "SQLite 7: out of memory")
        #expect((error as? StoreError)?.description.contains("out of memory") == false)
    }
}
