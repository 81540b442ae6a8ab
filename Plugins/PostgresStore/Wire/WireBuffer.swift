/// Bytes in the order of the network, in memory that is used again.
struct WireBuffer: ~Copyable {
    private(set) var start: UnsafeMutableRawPointer
    private(set) var count = 0
    private var capacity: Int

    init(capacity: Int = 256) {
        start = .allocate(byteCount: capacity, alignment: 16)
        self.capacity = capacity
    }

    deinit { start.deallocate() }

    /// The bytes so far; good until the next change.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    /// Forgets the bytes from `count` on and keeps the memory.
    mutating func truncate(to count: Int = 0) {
        self.count = min(self.count, count)
    }

    /// Makes room for `extra` bytes more.
    @inline(__always)
    mutating func reserve(_ extra: Int) {
        if capacity - count < extra { grow(extra) }
    }

    @inline(never)
    private mutating func grow(_ extra: Int) {
        let newCapacity = max(capacity * 2, count + extra)
        let grown = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 16)
        grown.copyMemory(from: start, byteCount: count)
        start.deallocate()
        start = grown
        capacity = newCapacity
    }

    /// Appends an integer, most significant byte first.
    @inline(__always)
    mutating func append<Integer: FixedWidthInteger & BitwiseCopyable>(_ integer: Integer) {
        reserve(MemoryLayout<Integer>.size)
        (start + count).storeBytes(of: integer.bigEndian, as: Integer.self)
        count += MemoryLayout<Integer>.size
    }

    /// Appends bytes as they are.
    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        (start + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    /// Replaces an integer that was appended at `offset`.
    mutating func replace(_ integer: Int32, at offset: Int) {
        (start + offset).storeBytes(of: integer.bigEndian, as: Int32.self)
    }
}
