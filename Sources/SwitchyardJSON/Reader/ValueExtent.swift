/// The extent of a value, found piece by piece.
struct ValueExtent {
    /// Something that cannot be part of a value.
    enum Fault {
        /// A mark stands where a value should begin.
        case noValue
        /// There are more levels than a row can have.
        case tooDeep
    }

    /// Whether the value has ended.
    private(set) var isComplete = false
    /// Whether the value is a number or a word, which ends before the next mark or white space.
    private(set) var isWord = false
    private(set) var fault: Fault?
    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    /// Looks at the next piece of the text.
    ///
    /// - Returns: How many of its bytes belong to the value: all, unless the value ends in it or has a fault.
    mutating func extend(over bytes: UnsafeBufferPointer<UInt8>) -> Int {
        // Written without iterators, which cost ten times as much where the compiler does not optimise.
        var count = 0
        while count < bytes.count {
            let byte = bytes[count]
            if !isInString {
                if let consumed = mark(byte, at: count) { return consumed }
            } else if isEscaped {
                isEscaped = false
            } else if byte == 0x5C {
                isEscaped = true
            } else if byte == 0x22 {
                isInString = false
                if depth == 0 { return end(count + 1) }
            }
            count += 1
        }
        return count
    }

    /// Looks at a byte outside of a string.
    ///
    /// - Returns: How many bytes belong to the value, if it ends or fails here.
    private mutating func mark(_ byte: UInt8, at count: Int) -> Int? {
        switch byte {
        case 0x7B, 0x5B, 0x22:  // { [ "
            if isWord { return end(count) }
            if byte == 0x22 {
                isInString = true
                return nil
            }
            depth += 1
            if depth > JSONScanner.mostLevels { return fail(.tooDeep, count) }
        case 0x7D, 0x5D:  // } ]
            if isWord { return end(count) }
            if depth == 0 { return fail(.noValue, count) }
            depth -= 1
            if depth == 0 { return end(count + 1) }
        case 0x2C, 0x3A:  // , :
            if isWord { return end(count) }
            if depth == 0 { return fail(.noValue, count) }
        case 0x20, 0x0A, 0x0D, 0x09:
            if isWord { return end(count) }
        default:
            if depth == 0 { isWord = true }
        }
        return nil
    }

    private mutating func end(_ count: Int) -> Int {
        isComplete = true
        return count
    }

    private mutating func fail(_ fault: Fault, _ count: Int) -> Int {
        self.fault = fault
        return count
    }
}
