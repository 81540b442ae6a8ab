import Foundation
import Switchyard

/// What a worker tried and what came of it, in a file that survives the worker: one line for each event.
final class Journal: Sendable {
    /// What came of a post.
    enum Outcome: String {
        /// The write returned.
        case done
        /// The write threw an error that says that nothing was written.
        case failed
        /// The outcome was unknown, and the store then said that it was committed.
        case committed
        /// The outcome was unknown, and the store then said that it was not committed.
        case absent
        /// The outcome was unknown, and nobody could be asked.
        case unsettled
    }

    private let descriptor: Int32

    init(path: String) throws {
        descriptor = open(path, O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw MissingPart(description: "\(path) cannot be written (\(errno)).") }
    }

    deinit { close(descriptor) }

    func begin(_ number: Int) { write("begin \(number)") }
    /// What a write that has begun is about to commit; a later line for the same number is that of another attempt.
    func deed(_ number: Int, _ deed: Deed) throws {
        write("deed \(number) \(String(decoding: try JSONEncoder().encode(deed), as: UTF8.self))")
    }
    func end(_ number: Int, _ outcome: Outcome, _ word: String = "-") {
        write("\(outcome.rawValue) \(number) \(word)")
    }
    /// An operation other than a post has failed as it may.
    func refusal(_ code: StoreError.Code) { write("refusal 0 \(code)") }
    /// The id under which a post that is done can be looked up.
    func operation(_ id: OperationID) { write("operation \(id)") }
    func violation(_ text: String) {
        write("violation \(text.split(whereSeparator: \.isNewline).joined(separator: " "))")
    }

    /// One write(2), which a kill does not divide.
    private func write(_ line: String) {
        var bytes = Array((line + "\n").utf8)
        while !bytes.isEmpty {
            let written = Foundation.write(descriptor, bytes, bytes.count)
            if written > 0 { bytes.removeFirst(written) } else if errno != EINTR { return }
        }
    }
}

/// A worker's journal as it is read afterwards.
struct JournalContents {
    var begun: Set<Int> = []
    var outcomes: [Int: Journal.Outcome] = [:]
    /// The codes of errors, with how often each came.
    var codes: [String: Int] = [:]
    var operations: [OperationID] = []
    var deeds: [Int: Deed] = [:]
    var violations: [String] = []
    /// How many operations have thrown an error.
    var refusals: Int { codes.values.reduce(0, +) }

    init(path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            switch words[0] {
            case "begin": begun.insert(Int(words[1]) ?? -1)
            case "deed":
                deeds[Int(words[1]) ?? -1] = try JSONDecoder().decode(Deed.self, from: Data(words[2].utf8))
            case "operation": if let id = OperationID(words[1]) { operations.append(id) }
            case "violation": violations.append(String(line.dropFirst("violation ".count)))
            case "refusal": codes[words[2], default: 0] += 1
            default:
                guard let outcome = Journal.Outcome(rawValue: words[0]), let number = Int(words[1]) else {
                    throw MissingPart(description: "the journal's line `\(line)` makes no sense")
                }
                outcomes[number] = outcome
                if words[2] != "-" { codes[words[2], default: 0] += 1 }
            }
        }
    }
}
