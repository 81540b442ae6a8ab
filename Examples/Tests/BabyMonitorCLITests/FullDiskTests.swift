import Foundation
import Testing

@Suite("A full disk leaves the store as it was")
struct FullDiskTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    /// Five thousand feeds, more than the little room that is left can take.
    private func makeFile() async throws {
        var text = "babyName,timestamp,amountValue,amountUnit,feedType"
        for index in 0..<5000 {
            let (hour, minute) = (index / 60 % 24, index % 60)
            text +=
                "\nMia,2025-\(Self.two(index / 1440 / 28 + 1))-\(Self.two(index / 1440 % 28 + 1))T"
                + "\(Self.two(hour)):\(Self.two(minute)):00.000Z,80.0,mL,babyFormula"
        }
        try bench.write(text, to: "feeds.csv")
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    @Test("a command that meets a file size limit leaves the store unchanged")
    func limitedFile() async throws {
        try await makeFile()
        _ = try await bench.succeed("seed", "--days", "3", "--until", "2025-11-06")
        let before = try await bench.succeed("export", "feeds", "--format", "full").output
        // Blocks of 512 bytes; the signal that comes with the limit is ignored, as it is not a full disk's.
        let outcome = try await bench.shell(
            "trap '' XFSZ; ulimit -f 600; exec \"$@\"", "import", "feeds", "feeds.csv", "--create-babies")
        #expect(outcome.status == 1)
        #expect(outcome.output == "")
        #expect(
            outcome.error
                == "babymonitor: The store's file \(bench.url("store.sqlite").path) or its log has reached the limit on the size of "
                + "files; nothing was written. Raise the limit (ulimit -f), or move the store to a file system for larger files.\n"
        )
        #expect(try await bench.succeed("export", "feeds", "--format", "full").output == before)
        #expect(try await bench.succeed("store", "check").output == "The store is sound.\n")
        #expect(
            try await bench.succeed("import", "feeds", "feeds.csv", "--create-babies").output
                == "Imported 5000 feeds, skipped 0.\n")
    }

    /// Whether a file system of a test's own can be had, in a name space that only its processes see.
    static let canMount: Bool = {
        let probe = Process()
        probe.executableURL = URL(filePath: "/bin/sh")
        probe.arguments = ["-c", "unshare -rm sh -c 'mount -t tmpfs none /mnt' 2>/dev/null"]
        guard (try? probe.run()) != nil else { return false }
        probe.waitUntilExit()
        return probe.terminationStatus == 0
    }()

    @Test(
        "a command without room for the WAL leaves the store unchanged",
        .enabled(if: canMount, "no file system can be mounted in a name space of its own here"))
    func noRoomForTheLog() async throws {
        try FileManager.default.createDirectory(
            at: bench.url("small"), withIntermediateDirectories: false)
        _ = try await bench.succeed("seed", "--days", "3", "--until", "2025-11-06")
        // Room for nothing, for the log's name alone, and for its header and a part of its index.
        let script = """
            command=$1
            rm -r store.sqlite.WidgetCache
            mount -t tmpfs -o size=600k none small && cp store.sqlite* small/ || exit 90
            cat /dev/zero > small/rest 2> /dev/null
            export SWITCHYARD_STORE_URL=sqlite:small/store.sqlite
            for room in 0 4096 8192 20480; do
                truncate -s -$room small/rest
                "$command" baby add Leo; echo "$room: $?"
                rm -f small/store.sqlite-*
            done
            rm small/rest
            "$command" store check
            """
        let outcome = try await bench.shell(
            "script=$2; exec unshare -rm sh -c \"$script\" sh \"$1\"", script)
        #expect(
            outcome.output == "0: 1\n4096: 1\n8192: 1\n20480: 1\nThe store is sound.\n", "\(outcome.error)")
        let message = "babymonitor: The disk is full; nothing was written. Make room and try again.\n"
        #expect(outcome.error == String(repeating: message, count: 4))
    }

    @Test(
        "a command on a full file system leaves the store unchanged",
        .enabled(if: canMount, "no file system can be mounted in a name space of its own here"))
    func smallFileSystem() async throws {
        try await makeFile()
        try FileManager.default.createDirectory(
            at: bench.url("small"), withIntermediateDirectories: false)
        _ = try await bench.succeed("seed", "--days", "3", "--until", "2025-11-06")
        let script = """
            command=$1
            rm -r store.sqlite.WidgetCache
            mount -t tmpfs -o size=600k none small && cp store.sqlite* small/ || exit 90
            export SWITCHYARD_STORE_URL=sqlite:small/store.sqlite
            "$command" import feeds feeds.csv --create-babies; echo "import $?"
            "$command" export feeds --format full > after.csv; echo "export $?"
            "$command" store check; echo "check $?"
            cat /dev/zero > small/rest 2> /dev/null
            for reading in status history "widgets show" "baby list"; do
                "$command" $reading > answer || echo "$reading failed"
                test -s answer || echo "$reading says nothing"
            done
            """
        let outcome = try await bench.shell(
            "script=$2; exec unshare -rm sh -c \"$script\" sh \"$1\"", script)
        #expect(outcome.output == "import 1\nexport 0\nThe store is sound.\ncheck 0\n", "\(outcome.error)")
        #expect(
            outcome.error == "babymonitor: The disk is full; nothing was written. Make room and try again.\n")
        #expect(
            try bench.read("after.csv")
                == (try await bench.succeed("export", "feeds", "--format", "full").output))
    }
}
