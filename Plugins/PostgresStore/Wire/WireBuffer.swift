/// Bytes in network byte order, in memory that is reused.
struct WireBuffer: ~Copyable {
    private(set) var start: UnsafeMutableRawPointer
    private(set) var count = 0
    private var capacity: Int

    /// - Parameter capacity: The number of bytes for which there is room at first; what a small row takes.
    init(capacity: Int = 512) {
        start = .allocate(byteCount: capacity, alignment: 16)
        self.capacity = capacity
    }

    deinit { start.deallocate() }

    /// The bytes so far, valid until the next change.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    /// Removes the bytes from `count` on and keeps the memory.
    mutating func truncate(to count: Int = 0) {
        self.count = min(self.count, count)
    }

    /// Makes room for `extra` more bytes.
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

    @inline(__always)
    mutating func append<Integer: FixedWidthInteger & BitwiseCopyable>(_ integer: Integer) {
        reserve(MemoryLayout<Integer>.size)
        (start + count).storeBytes(of: integer.bigEndian, as: Integer.self)
        count += MemoryLayout<Integer>.size
    }

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
