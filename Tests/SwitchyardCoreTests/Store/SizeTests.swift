import Foundation
import SwitchyardCore
import Testing

@testable import SwitchyardStore

@Suite("The size of a row")
struct SizeTests {
    private let entity = Entity(
        "Page",
        attributes: [
            Attribute("id", type: .uuid), Attribute("title", type: .text, isSearchable: true),
            Attribute("data", type: .blob, isOptional: true),
        ])

    private func complete(title: String, data: Int?, limit: Int) throws {
        var row = RowWriter(context: entity.errorContext)
        try row.write(.uuid(UUID()))
        try row.write(.text(title))
        try row.write(data.map { .blob(Data(count: $0)) } ?? .null)
        try RowCheck(entity, rowBytes: limit).complete(&row)
    }

    @Test("a row's size counts ids, text, its folded copy and blobs, up to the limit")
    func limit() throws {
        // 16 of the id, 3 + 3 of the title and its copy, 78 of the blob.
        try complete(title: "abc", data: 78, limit: 100)
        let error = #expect(throws: StoreError.self) { try complete(title: "abc", data: 79, limit: 100) }
        #expect(error?.code == .valueNotRepresentable)
        #expect(error?.entity == "Page")
        #expect(
            error?.message
                == "The values of a row would take 101 bytes, and the limit is 100. Keep large values in "
                + "rows of their own.")
        // U+0149 has two bytes, and three when it is folded.
        try complete(title: "\u{149}", data: nil, limit: 21)
        #expect(throws: StoreError.self) { try complete(title: "\u{149}", data: nil, limit: 20) }
    }

    @Test("the limit of a row's size leaves room in the messages of every backend")
    func stated() {
        #expect(Limits.rowBytes == 300_000_000)
        #expect(4 * Limits.valueBytes < Limits.rowBytes)
    }
}
