#if os(Linux)
    import Foundation
    import GRDB
    import PostgresTestServer
    import Testing

    /// Closing any descriptor of a database file drops all locks that SQLite has taken on it in the process
    /// (sqlite.org/howtocorrupt.html, section 2.2), so a second one may exist nowhere.
    @Suite("Database files")
    struct DatabaseFileTests {
        let bench: Workbench

        init() throws {
            bench = try Workbench()
            try bench.write(Self.witness, to: "witness.c")
        }

        /// Logs each open of a database, by SQLite or by other code of the process.
        private static let witness = """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <fcntl.h>
            #include <stdarg.h>
            #include <stdio.h>
            #include <stdlib.h>
            #include <string.h>
            #include <sys/syscall.h>
            #include <unistd.h>

            static void note(const char *path, void *caller) {
                const char *log = getenv("WITNESS_LOG");
                size_t length = strlen(path);
                if (log == NULL || length < 7) return;
                if (strcmp(path + length - 7, ".sqlite") && strcmp(path + length - 4, "-shm")) return;
                Dl_info place;
                int isSQLite = dladdr(caller, &place) && strstr(place.dli_fname, "libsqlite3");
                char line[4400];
                int count = snprintf(line, sizeof line, "%s %s\\n", isSQLite ? "sqlite" : "other", path);
                long file = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
                if (file < 0) abort();
                if (write((int)file, line, count) != count) abort();
                syscall(SYS_close, file);
            }

            #define AT(name) \\
                int name(int directory, const char *path, int flags, ...) { \\
                    va_list rest; va_start(rest, flags); int mode = va_arg(rest, int); va_end(rest); \\
                    note(path, __builtin_return_address(0)); \\
                    return (int)syscall(SYS_openat, directory, path, flags, mode); \\
                }
            #define OPEN(name) \\
                int name(const char *path, int flags, ...) { \\
                    va_list rest; va_start(rest, flags); int mode = va_arg(rest, int); va_end(rest); \\
                    note(path, __builtin_return_address(0)); \\
                    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode); \\
                }
            #define FILE_OPEN(name) \\
                FILE *name(const char *path, const char *mode) { \\
                    note(path, __builtin_return_address(0)); \\
                    return ((FILE *(*)(const char *, const char *))dlsym(RTLD_NEXT, #name))(path, mode); \\
                }
            OPEN(open)
            OPEN(open64)
            AT(openat)
            AT(openat64)
            FILE_OPEN(fopen)
            FILE_OPEN(fopen64)

            """

        /// Runs the command with the witness.
        ///
        /// - Returns: The openers and their databases, in order.
        private func opened(_ arguments: [String]) async throws -> [String] {
            let log = bench.url("witness.log")
            try? FileManager.default.removeItem(at: log)
            _ = try await bench.run(
                arguments, environment: ["LD_PRELOAD": bench.url("witness.so").path, "WITNESS_LOG": log.path])
            let lines = (try? String(contentsOf: log, encoding: .utf8))?.split(separator: "\n") ?? []
            return lines.map(String.init)
        }

        /// The words of every command, from the parser's own description.
        private func names() async throws -> Set<String> {
            struct Help: Decodable {
                struct Command: Decodable {
                    let commandName: String
                    let subcommands: [Command]?

                    func leaves(_ words: String) -> [String] {
                        let own = (subcommands ?? []).filter { $0.commandName != "help" }
                        guard !own.isEmpty else { return [words] }
                        return own.flatMap { $0.leaves(words + " " + $0.commandName) }
                    }
                }
                let command: Command
            }
            let help: Help = try await bench.succeed("--experimental-dump-help").json()
            return Set(help.command.leaves("").map { String($0.dropFirst()) })
        }

        /// A link to a service at an address where nobody answers.
        private static let link =
            "switchyard://join/Ag\(String(repeating: "A", count: 44))?service=http://127.0.0.1:1"

        /// Lines of the command, one run after the other, each with the number of words that name it.
        private static let runs: [(names: Int, line: String)] = [
            (1, "seed --days 2 --babies 1 --until 2025-11-06"), (2, "baby add Zoe"), (2, "baby list"),
            (2, "baby edit Zoe --name Zoé"), (2, "baby remove Zoé"), (2, "event-type add Swim --emoji 🏊"),
            (2, "event-type list"), (2, "event-type edit Swim --name Dive"), (2, "event-type remove Dive"),
            (1, "status"), (1, "history"), (1, "export feeds feeds.csv --format full"),
            (1, "import feeds feeds.csv"), (2, "intent list"), (2, "intent run StartFeeding"),
            (1, "undo"), (2, "widgets refresh"), (2, "widgets show"),
            (2, "config explain"), (2, "store info"), (3, "store schema show"), (3, "store schema diff 7 8"),
            (3, "store schema plan"), (3, "store schema lint"), (3, "store schema freeze --help"),
            (1, "schema-lint"), (2, "store migrate"), (2, "store adopt --dry-run --store sqlite:shop.sqlite"),
            (2, "store check"), (2, "store repair"),
            (2, "store verify sqlite:store.sqlite sqlite:store.sqlite"),
            (2, "store fork --store sqlite:copied.sqlite"), (2, "store backup b.json"),
            (2, "store restore b.json --mode replace"), (3, "store history show"),
            (3, "store history consumers"), (3, "store history prune"),
            (2, "mirror start --server sqlite:cloud.sqlite"), (2, "mirror status"),
            (2, "mirror exchange --server sqlite:cloud.sqlite"), (2, "mirror conflicts"),
            (2, "mirror verify --server sqlite:cloud.sqlite"), (2, "mirror stop"),
            (2, "mirror join \(link) --name Mia"),
            (2, "mirror members"), (2, "mirror share"), (2, "mirror leave"),
            (2, "mirror revoke --member 00000000-0000-0000-0000-000000000001"),
            (2, "store switch --to sqlite:other.sqlite"), (2, "store relocate --to moved --dry-run"),
            (2, "store relocate --to moved --store sqlite:other.sqlite"),
        ]

        @Test("every command opens database files through SQLite alone")
        func commands() async throws {
            let compiler = try await bench.shell("cc -shared -fPIC -o witness.so witness.c -ldl")
            try #require(compiler.status == 0, "\(compiler.error)")
            try DatabaseQueue(path: bench.url("shop.sqlite").path).inDatabase {
                try $0.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY)")
            }
            var counts: [String: Int] = [:]
            _ = try await bench.succeed("baby", "add", "Mia", "--store", "sqlite:copied.sqlite")
            // What is said or asked has spaces, and a copy needs a server's address.
            let server = PostgresServer.url ?? "postgres://localhost:1/none"
            let others = [
                (names: 1, words: ["say", "Undo in BabyMonitor"]),
                (names: 2, words: ["store", "query", "FeedSession limit 1"]),
                (names: 2, words: ["store", "copy", "shop.sqlite", server]),
            ]
            let runs = Self.runs.map {
                (names: $0.names, words: $0.line.split(separator: " ").map(String.init))
            }
            for (names, words) in runs + others {
                let name = words.prefix(names).joined(separator: " ")
                let lines = try await opened(words)
                counts[name, default: 0] += lines.count { $0.hasPrefix("sqlite ") }
                #expect(lines.filter { $0.hasPrefix("other ") } == [], "\(words)")
            }
            #expect(try await Set(counts.keys) == names())
            // Without a server, a copy fails before it opens the file.
            let idle = counts.filter { $1 == 0 && $0 != "store copy" }.keys.sorted()
            #expect(
                idle == [
                    "config explain", "intent list", "schema-lint", "store schema diff",
                    "store schema freeze",
                    "store schema lint", "store schema plan",
                ])
        }
    }
#endif
