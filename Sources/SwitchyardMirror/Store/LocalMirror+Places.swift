internal import Foundation
package import SwitchyardCore

/// Where the device has been in the server's history, and what it has received there.
extension LocalMirror {
    /// How many exchanges are known by the rows that they brought; of those before, all rows count as received.
    private static let mostReceived = 1_000

    package func cursor() throws -> HistoryPosition? { try records.cursor() }

    package func trail() throws -> [HistoryPosition] { try records.all(.place).map { try $0.position() } }

    package func setCursor(_ cursor: HistoryPosition) throws {
        if try self.cursor() != cursor { try extendTrail([cursor]) }
        if try records.count(.received) > Self.mostReceived * 5 / 4 { try forgetReceived() }
    }

    package func extendTrail(_ places: [HistoryPosition]) throws {
        try records.put(
            .place,
            places.map {
                MirrorRecords.Record(
                    id: .numbered($0.sequence), number: $0.sequence, data: [UInt8]($0.digest.data))
            })
        if try records.count(.place) > ExchangePage.mostPlaces * 2 { try thin(try trail()) }
    }

    /// Keeps the last places, and of those before only some, at growing distances.
    private func thin(_ places: [HistoryPosition]) throws {
        guard let last = places.last else { return }
        var distance = 0.0
        var removed: [UUID] = []
        for (age, place) in places.reversed().enumerated() {
            let own = Double(last.sequence - place.sequence)
            if age < ExchangePage.mostPlaces || own >= distance * 1.25 {
                distance = own
            } else {
                removed.append(.numbered(place.sequence))
            }
        }
        try records.remove(.place, removed)
    }

    private func forgetReceived() throws {
        let kept = try records.all(.received, order: .descending, limit: Self.mostReceived)
        guard let oldest = kept.last?.number else { return }
        try records.remove(.received, upTo: oldest)
        try noteReceived(nil, upTo: oldest)
    }

    package func forgetCursor() throws { try records.remove(.place, after: -1) }

    package func cutTrail(after sequence: Int64) throws {
        try records.remove(.place, after: sequence)
        try records.remove(.received, after: sequence)
    }

    package func received(after sequence: Int64) throws -> [RowKey: Int64] {
        var received: [RowKey: Int64] = [:]
        for record in try records.all(.received, after: sequence) {
            let keys = try record.data.isEmpty ? shownByServer() : Self.keys(record.data)
            for key in keys { received[key] = record.number }
        }
        return received
    }

    package func hasReceivedAll(after sequence: Int64) throws -> Bool {
        try records.all(.received, after: sequence).contains { $0.data.isEmpty }
    }

    /// The rows that the server has, as far as this device knows.
    private func shownByServer() throws -> [RowKey] {
        let bases = try bases(try pending().flatMap { $0.changes.map(\.key) })
        let keys = Set(try keys()).union(bases.keys)
        return keys.filter { bases[$0].map { $0 != nil } ?? true }
    }

    package func noteReceived(_ keys: [RowKey]?, upTo sequence: Int64) throws {
        guard let keys else {
            return try records.put(.received, id: UUIDv7.next(), number: sequence, [])
        }
        guard !keys.isEmpty else { return }
        try records.put(.received, id: UUIDv7.next(), number: sequence, Self.bytes(keys))
    }

    /// Says which rows were received in the words of a later version.
    func raiseReceived(_ way: VersionProjection) throws {
        for record in try records.all(.received) where !record.data.isEmpty {
            let keys = try Self.keys(record.data).compactMap { key in
                way.entity(older: key.entity).map { RowKey($0.newer.name, key.id) }
            }
            // Without any, it would stand for all rows.
            if keys.isEmpty {
                try records.remove(.received, [record.id])
            } else {
                try records.put(.received, id: record.id, number: record.number, Self.bytes(keys))
            }
        }
    }

    private static func bytes(_ keys: [RowKey]) -> [UInt8] {
        var bytes = ByteWriter()
        for (entity, keys) in Dictionary(grouping: keys, by: \.entity) {
            bytes.write(text: entity)
            bytes.write(number: UInt64(keys.count))
            for key in keys { bytes.write(key.id) }
        }
        return bytes.bytes
    }

    private static func keys(_ data: [UInt8]) throws -> [RowKey] {
        var bytes = ByteReader(data)
        var keys: [RowKey] = []
        while !bytes.isAtEnd {
            let entity = try bytes.text()
            for _ in 0..<(try bytes.number()) { keys.append(RowKey(entity, try bytes.uuid())) }
        }
        return keys
    }
}

extension UUID {
    /// The id of the record of a numbered place.
    static func numbered(_ number: Int64) -> UUID {
        DerivedID(namespace: placeNamespace).uuid(["\(number)"])
    }

    private static let placeNamespace = UUID(
        uuid: (0x6D, 0x69, 0x72, 0x72, 0x6F, 0x72, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1))
}
