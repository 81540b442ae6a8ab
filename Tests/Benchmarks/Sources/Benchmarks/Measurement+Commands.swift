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
            // Without a history, which a store that the command makes would keep.
            try await Feeds.store(place, "import.sqlite", filled: false).close()
            let store = "sqlite:" + place.file("import.sqlite")
            for name in ["Mia", "Leo"] {
                try Tool.run(place.command, ["baby", "add", name, "--store", store])
            }
            try clock.timeOnThread {
                try Tool.run(place.command, ["import", "feeds", place.file("feeds.csv"), "--store", store])
            }
        },
        "import-sqlite3-store": { place, clock in
            // The store's own table: a view with the file's columns and a trigger that looks the baby up,
            // which is how sqlite3 imports such a file.
            try remove(place, "import-sqlite3.sqlite")
            try await Feeds.store(place, "import-sqlite3.sqlite", filled: false).close()
            let file = place.file("import-sqlite3.sqlite")
            for name in ["Mia", "Leo"] {
                try Tool.run(place.command, ["baby", "add", name, "--store", "sqlite:" + file])
            }
            try Tool.run(
                "sqlite3",
                [
                    file,
                    """
                    CREATE VIEW feed_file AS
                        SELECT '' AS babyName, '' AS timestamp, 0.0 AS amountValue, '' AS amountUnit, '' AS feedType;
                    CREATE TRIGGER feed_import INSTEAD OF INSERT ON feed_file BEGIN
                        INSERT INTO FeedSession (
                            "id", "profile", "startTime", "endTime", "amountValue", "amountUnitSymbol", "feedType")
                        SELECT
                            CAST(printf('%016d', total_changes()) AS BLOB),
                            (SELECT "id" FROM BabyProfile WHERE "name" = NEW.babyName), time, time,
                            CAST(NEW.amountValue AS REAL), NEW.amountUnit, nullif(NEW.feedType, '')
                        FROM (SELECT CAST(strftime('%s', NEW.timestamp) AS INTEGER) * 1000000
                            + CAST(substr(NEW.timestamp, 21, 3) AS INTEGER) * 1000 AS time);
                    END
                    """,
                ])
            try clock.timeOnThread {
                try Tool.run(
                    "sqlite3", [file, ".import --csv --skip 1 '\(place.file("feeds.csv"))' feed_file"])
            }
            try Tool.run("sqlite3", [file, "DROP VIEW feed_file"])
        },
        "import-sqlite3-plain": { place, clock in
            // A table with the file's own columns as text, with indexes over those that the store has indexes
            // for.
            try remove(place, "import-plain.sqlite")
            let file = place.file("import-plain.sqlite")
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
            try await Feeds.store(place, "intent.sqlite", filled: false).close()
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
