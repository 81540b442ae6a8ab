import Foundation

/// A terminal for a test, which types beforehand and reads the screen afterwards.
final class Terminal: Sendable {
    /// The file that programs open.
    let path: String
    private let keyboard: Int32
    private let screen: Int32

    init() throws {
        let openTerminal = try Self.function("posix_openpt", (@convention(c) (Int32) -> Int32).self)
        let grant = try Self.function("grantpt", (@convention(c) (Int32) -> Int32).self)
        let unlock = try Self.function("unlockpt", (@convention(c) (Int32) -> Int32).self)
        let name = try Self.function(
            "ptsname", (@convention(c) (Int32) -> UnsafePointer<CChar>?).self)
        keyboard = openTerminal(O_RDWR | O_NOCTTY)
        guard keyboard >= 0, grant(keyboard) == 0, unlock(keyboard) == 0, let name = name(keyboard) else {
            throw CocoaError(.fileNoSuchFile)
        }
        path = String(cString: name)
        // Kept open, so that what the program has shown is still there when it has ended.
        screen = open(path, O_RDWR | O_NOCTTY)
        guard screen >= 0 else { throw CocoaError(.fileNoSuchFile) }
    }

    /// A function of the C library that its module shows only where X/Open's extensions are asked for.
    private static func function<Function>(_ name: String, _ type: Function.Type) throws -> Function {
        guard let address = dlsym(dlopen(nil, RTLD_NOW), name) else { throw CocoaError(.featureUnsupported) }
        return unsafeBitCast(address, to: type)
    }

    deinit {
        close(screen)
        close(keyboard)
    }

    func type(_ text: String) throws {
        let typed = Array(text.utf8)
        guard write(keyboard, typed, typed.count) == typed.count else {
            throw CocoaError(.fileWriteUnknown)
        }
    }

    /// All that was shown, what was typed included.
    func shown() throws -> String {
        guard fcntl(keyboard, F_SETFL, O_NONBLOCK) == 0 else { throw CocoaError(.fileReadUnknown) }
        var shown: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = read(keyboard, &buffer, buffer.count), count > 0 {
            shown += buffer[..<count]
        }
        return String(decoding: shown, as: UTF8.self)
    }
}
