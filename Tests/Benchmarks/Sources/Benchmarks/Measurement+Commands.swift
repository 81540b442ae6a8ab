import Foundation

extension Measurement {
    /// Whole processes: the project's command against SQLite's own.
    static let commands: [String: Work] = [
        "prepare-csv": { place, _ in
            guard !FileManager.default.fileExists(atPath: place.file("feeds.csv")) else { return }
            let store = "sqlite:" + place.file("feeds.sqlite")
            try Tool.run(place.command, ["export", "feeds", place.file("feeds.csv"), "--store", store])
        },
        "import-switchyard": { place, clock in
            try remove(place, "import.sqlite")
            let store = "sqlite:" + place.file("import.sqlite")
            for name in ["Mia", "Leo"] {
                try Tool.run(place.command, ["baby", "add", name, "--store", store])
            }
            try clock.timeOnThread {
                try Tool.run(place.command, ["import", "feeds", place.file("feeds.csv"), "--store", store])
            }
        },
        "import-sqlite3": { place, clock in
            try remove(place, "import-sqlite3.sqlite")
            let file = place.file("import-sqlite3.sqlite")
            // The file's own columns, with indexes over those that the store's table has indexes for.
            try Tool.run(
                "sqlite3",
                [
                    file,
                    """
                    PRAGMA journal_mode = WAL;
                    CREATE TABLE feed (
                        babyName TEXT, timestamp TEXT, amountValue REAL, amountUnit TEXT, feedType TEXT);
                    CREATE INDEX feed_baby ON feed (babyName, timestamp);
                    CREATE INDEX feed_timestamp ON feed (timestamp);
                    """,
                ])
            try clock.timeOnThread {
                try Tool.run("sqlite3", [file, ".import --csv --skip 1 '\(place.file("feeds.csv"))' feed"])
            }
        },
        "export-switchyard": { place, clock in
            let store = "sqlite:" + place.file("feeds.sqlite")
            try clock.timeOnThread {
                try Tool.run(place.command, ["export", "feeds", place.file("export.csv"), "--store", store])
            }
        },
        "export-sqlite3": { place, clock in
            let query = """
                SELECT p.name, strftime('%Y-%m-%dT%H:%M:%S', f.startTime / 1000000, 'unixepoch') || printf('.%03dZ',
                    f.startTime / 1000 % 1000), f.amountValue, f.amountUnitSymbol, f.feedType
                FROM FeedSession f LEFT JOIN BabyProfile p ON p.id = f.profile ORDER BY f.startTime DESC, f.id
                """
            try clock.timeOnThread {
                try Tool.run(
                    "sqlite3", ["-csv", place.file("feeds.sqlite"), query],
                    output: place.file("export-sqlite3.csv"))
            }
        },
        "prepare-intent": { place, _ in
            let store = "sqlite:" + place.file("intent.sqlite")
            guard !FileManager.default.fileExists(atPath: place.file("intent.sqlite")) else { return }
            try Tool.run(place.command, ["baby", "add", "Mia", "--store", store])
        },
        "intent-switchyard": { place, clock in
            let store = "sqlite:" + place.file("intent.sqlite")
            try clock.timeOnThread {
                for _ in 0..<50 {
                    try Tool.run(
                        place.command,
                        ["intent", "run", "UpdateDiaperTime", "--baby", "Mia", "--store", store])
                }
            }
        },
        "intent-sqlite3": { place, clock in
            let insert = """
                INSERT INTO DiaperChange ("id", "timestamp", "type") VALUES (randomblob(16), unixepoch() * 1000000, 'pee')
                """
            try clock.timeOnThread {
                for _ in 0..<50 { try Tool.run("sqlite3", [place.file("intent.sqlite"), insert]) }
            }
        },
    ]
}
