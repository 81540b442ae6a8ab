/// Rows in the order of their ids, as an array of short chunks.
///
/// A copy shares all chunks but the few that change after it was made, so a snapshot or a savepoint costs next to
/// nothing.
struct SortedRows: Sendable {
    /// No chunk is empty.
    private var chunks: [[Row]] = []
    private(set) var count = 0

    struct Row: Sendable {
        let id: RowID
        var values: [StoredValue]
    }

    private static let capacity = 256

    /// The values of a row; nil if it does not exist.
    ///
    /// - Complexity: O(log n).
    subscript(id: RowID) -> [StoredValue]? {
        let (chunk, row, isPresent) = position(of: id)
        return isPresent ? chunks[chunk][row].values : nil
    }

    /// Inserts a row or replaces the existing one.
    mutating func set(_ values: [StoredValue], for id: RowID) {
        let (chunk, row, isPresent) = position(of: id)
        if isPresent {
            chunks[chunk][row].values = values
            return
        }
        count += 1
        let new = Row(id: id, values: values)
        if chunk == chunks.count {
            chunks.append([new])
            return
        }
        chunks[chunk].insert(new, at: row)
        guard chunks[chunk].count > Self.capacity else { return }
        // Rows inserted in order should leave full chunks behind, so the new chunk begins with only the last row.
        let isAtEnd = chunk == chunks.count - 1 && row == chunks[chunk].count - 1
        let middle = isAtEnd ? row : chunks[chunk].count / 2
        let upper = Array(chunks[chunk][middle...])
        chunks[chunk].removeSubrange(middle...)
        chunks.insert(upper, at: chunk + 1)
    }

    /// Removes a row if it exists.
    mutating func remove(_ id: RowID) {
        let (chunk, row, isPresent) = position(of: id)
        guard isPresent else { return }
        count -= 1
        chunks[chunk].remove(at: row)
        if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
    }

    /// Calls the body with each row whose id is in a range, in the order of the ids or the other way round, until it
    /// returns false.
    ///
    /// - Complexity: O(log n), and the rows that the body is called with.
    func forEach(
        _ direction: SortDirection = .ascending, in range: ClosedRange<RowID> = .all,
        _ body: (Row) throws -> Bool
    ) rethrows {
        switch direction {
        case .ascending:
            var (chunk, row, _) = position(of: range.lowerBound)
            while chunk < chunks.count {
                for row in chunks[chunk][row...] {
                    guard row.id <= range.upperBound, try body(row) else { return }
                }
                (chunk, row) = (chunk + 1, 0)
            }
        case .descending:
            var (chunk, row, isPresent) = position(of: range.upperBound)
            guard chunk < chunks.count else { return }
            row += isPresent ? 1 : 0
            while true {
                for row in chunks[chunk][..<row].reversed() {
                    guard row.id >= range.lowerBound, try body(row) else { return }
                }
                guard chunk > 0 else { return }
                chunk -= 1
                row = chunks[chunk].count
            }
        }
    }

    /// Where a row is or belongs: its chunk, its index in the chunk, and whether it exists.
    private func position(of id: RowID) -> (chunk: Int, row: Int, isPresent: Bool) {
        // The id belongs to the last chunk that begins at or before it.
        let after = chunks.partitioningIndex { $0[0].id > id }
        guard after > 0 else { return (0, 0, false) }
        let chunk = after - 1
        let row = chunks[chunk].partitioningIndex { $0.id >= id }
        return (chunk, row, row < chunks[chunk].count && chunks[chunk][row].id == id)
    }
}

extension Array {
    /// The first index whose element satisfies a condition that stays true once it is true; `count` if none does.
    fileprivate func partitioningIndex(_ isAfter: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
