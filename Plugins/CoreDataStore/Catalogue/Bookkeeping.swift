/// The tables that Core Data keeps for itself.
enum Bookkeeping {
    /// What a table is for; nil for one that is not Core Data's.
    static func purpose(of table: String) -> String? {
        switch table {
        case "Z_PRIMARYKEY": "the entities, and the last key of each"
        case "Z_METADATA": "the store's UUID and the version of its model"
        case "Z_MODELCACHE": "the archived model"
        case "ACHANGE": "the history: what changed in which row"
        case "ATRANSACTION": "the history: its transactions"
        case "ATRANSACTIONSTRING": "the history: names of authors, contexts and processes"
        case "ANSCKRECORDMETADATA": "CloudKit: which record each row is, and what is still to be uploaded"
        case "ANSCKRECORDZONEMETADATA": "CloudKit: the zones of the records"
        case _ where table.hasPrefix("ANSCK"): "CloudKit: the state of the exchange"
        default: nil
        }
    }
}
