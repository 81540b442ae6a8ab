internal import Foundation
internal import GRDB
internal import GRDBSQLite

/// Collations that replace those of an app: they compare bytes, and count the comparisons.
///
/// A table without rowid can then be read in its stored order, which needs no comparison.
final class StandInCollations {
    private(set) var comparisons = 0

    /// Gives the connection a collation of each name that it does not know; the stand-ins must outlive its statements.
    func install(on database: Database) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_collation_needed(database.sqliteConnection, context) { context, connection, encoding, name in
            sqlite3_create_collation_v2(
                connection, name, encoding, context,
                { context, leftCount, left, rightCount, right in
                    guard let context, let left, let right else { return leftCount - rightCount }
                    Unmanaged<StandInCollations>.fromOpaque(context).takeUnretainedValue().comparisons += 1
                    let order = memcmp(left, right, Int(min(leftCount, rightCount)))
                    return order != 0 ? order : leftCount - rightCount
                }, nil)
        }
    }
}
