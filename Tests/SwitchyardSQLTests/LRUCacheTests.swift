import SwitchyardSQL
import Testing

@Suite("A cache that keeps what was used last")
struct LRUCacheTests {
    private func filled() -> LRUCache<String, Int> {
        var cache = LRUCache<String, Int>(capacity: 3)
        for (key, value) in [("a", 1), ("b", 2), ("c", 3)] { cache.insert(value, for: key) }
        return cache
    }

    @Test("an LRU cache holds its capacity, and evicts the value inserted first")
    func order() {
        var cache = LRUCache<String, Int>(capacity: 3)
        cache.insert(1, for: "a")
        cache.insert(2, for: "b")
        #expect(cache.evict() == nil)
        cache.insert(3, for: "c")
        #expect(cache.evict() == 1)
        #expect(cache.count == 2)
        #expect(cache.evict() == nil)
    }

    @Test("an LRU cache keeps a value that was looked up or inserted again")
    func use() {
        var cache = filled()
        #expect(cache.value(for: "a") == 1)
        cache.insert(20, for: "b")
        #expect(cache.evict() == 3)
        #expect(cache.value(for: "c") == nil)
        #expect(cache.value(for: "b") == 20)
        #expect(cache.value(for: "b") == 20)
        cache.insert(4, for: "d")
        #expect(cache.evict() == 1)
        #expect(cache.count == 2)
    }

    @Test("an LRU cache can hand out a value, and forget all")
    func removal() {
        var cache = filled()
        #expect(cache.remove("b") == 2)
        #expect(cache.remove("b") == nil)
        #expect(cache.count == 2)
        cache.removeAll()
        #expect(cache.count == 0)
        #expect(cache.evict() == nil)
    }

    @Test("an LRU cache holds at least one value")
    func smallest() {
        var cache = LRUCache<String, Int>(capacity: 0)
        #expect(cache.evict() == nil)
        cache.insert(1, for: "a")
        #expect(cache.evict() == 1)
    }

    @Test(
        "an LRU cache distinguishes statements with equal hashes", arguments: ["", "é", "SELECT 1"])
    func texts(_ start: String) {
        let end = String(repeating: "x", count: 40)
        var cache = LRUCache<StatementText, Int>(capacity: 4)
        for (number, first) in ["a", "b", "c"].enumerated() {
            cache.insert(number, for: StatementText(first + start + end))
        }
        #expect(
            ["a", "b", "c", "d"].map { cache.value(for: StatementText($0 + start + end)) } == [0, 1, 2, nil])
        cache.insert(9, for: StatementText(start))
        #expect(cache.value(for: StatementText(start)) == 9)
    }
}
