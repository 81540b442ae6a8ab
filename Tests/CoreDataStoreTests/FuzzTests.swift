import Foundation
import TestBackends
import Testing

@testable import CoreDataStore

/// Whatever a file can hold in place of a model cache or an archive: a trap would end the process.
@Suite("Damaged caches and archives")
struct FuzzTests {
    /// A kind of content, and what reads it.
    private typealias Form = (
        name: String, bytes: [UInt8], read: @Sendable ([UInt8]) throws(UnreadableArchive) -> Void
    )

    private static func forms() throws -> [Form] {
        let model = ShapeModel.bytes(ShapeGenerator.shape(seed: 7))
        let value = ["a": [1, 2.5], "b": [Date(timeIntervalSince1970: 0), "ü", Data([1])]] as [String: Any]
        let archive = [UInt8](
            try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: false))
        let list = [UInt8](
            try PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0))
        return [
            ("model", model, { bytes throws(UnreadableArchive) in _ = try ModelCache.model(archive: bytes) }),
            (
                "cache", deflated(model),
                { bytes throws(UnreadableArchive) in _ = try ModelCache.model(bytes) }
            ),
            (
                "archive", archive,
                { bytes throws(UnreadableArchive) in _ = try ArchivedValue(archive: bytes) }
            ),
            (
                "property list", list,
                { bytes throws(UnreadableArchive) in
                    _ = try BinaryPropertyList(bytes, mostObjects: 1_000)
                }
            ),
            (
                "compressed", InflateTests.compressed,
                { bytes throws(UnreadableArchive) in
                    let output = try Inflate.bytes(bytes, limit: 5_000)
                    #expect(output.count <= 5_000)
                }
            ),
        ]
    }

    private static func altered(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
            let place = Int.random(in: bytes.indices, using: &generator)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0..<4: bytes[place] = .random(in: 0...255, using: &generator)
            case 4: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 5: bytes.remove(at: place)
            case 6: bytes.insert(contentsOf: bytes[place...].prefix(20), at: place)
            default: bytes.removeLast(min(bytes.count - place, 40))
            }
        }
        return bytes
    }

    @Test("are read, or refused", arguments: [UInt64(1), 2, 3, 4])
    func fuzz(seed: UInt64) throws {
        let (count, forms) = (Nightly.isOn ? 50_000 : 1_500, try Self.forms())
        for form in forms { try form.read(form.bytes) }
        var (generator, refusals) = (SeededGenerator(seed), [Int](repeating: 0, count: forms.count))
        for number in 0..<count {
            let index = number % forms.count
            let bytes = Self.altered(forms[index].bytes, &generator)
            do { try forms[index].read(bytes) } catch { refusals[index] += 1 }
        }
        for (form, refused) in zip(forms, refusals) {
            #expect(refused > count / forms.count / 20, "\(form.name)")
        }
    }
}
