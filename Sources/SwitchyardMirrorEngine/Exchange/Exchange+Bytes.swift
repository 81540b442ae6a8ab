internal import Foundation
package import SwitchyardCore

/// The parts of messages and stages as bytes.
extension ByteWriter {
    package mutating func write(content: [UInt8]) {
        write(number: UInt64(content.count))
        bytes += content
    }

    package mutating func write(_ position: HistoryPosition) {
        write(signed: position.sequence)
        bytes += position.digest.data
    }

    package mutating func write(optional position: HistoryPosition?) {
        bytes.append(position == nil ? 0 : 1)
        if let position { write(position) }
    }

    package mutating func write(_ verdict: Verdict) {
        write(verdict.id)
        switch (verdict.kind, verdict.reason) {
        case (.accepted, _): bytes.append(0)
        case (.merged, _): bytes.append(1)
        case (.rejected, nil): bytes.append(2)
        case (.rejected, let reason?):
            bytes.append(3)
            write(reason)
        }
    }
}

extension ByteReader {
    package mutating func position() throws -> HistoryPosition {
        let sequence = try signed()
        guard HistorySettings.sequences.contains(sequence), let digest = HistoryDigest(Data(try take(16)))
        else { throw StoreError.unreadableMutation }
        return HistoryPosition(sequence: sequence, digest: digest)
    }

    package mutating func optionalPosition() throws -> HistoryPosition? { try byte() == 0 ? nil : position() }

    package mutating func verdict() throws -> Verdict {
        let id = try uuid()
        switch try byte() {
        case 0: return Verdict(id: id, kind: .accepted)
        case 1: return Verdict(id: id, kind: .merged)
        case 2: return Verdict(id: id, kind: .rejected)
        case 3: return Verdict(id: id, kind: .rejected, reason: try rejection())
        default: throw StoreError.unreadableMutation
        }
    }

    /// A number of things.
    package mutating func int() throws -> Int {
        guard let number = Int(exactly: try number()) else { throw StoreError.unreadableMutation }
        return number
    }
}
