internal import Foundation
internal import SwitchyardCore

/// A directory with one file per setting, which is how containers and service managers pass secrets.
///
/// A file's name is the key with `-` for each point: `store-postgres-password`. Its text is the value, without
/// one trailing line break. Unknown files are ignored, because the directory may serve several programs, unless
/// their name looks like a misspelt setting.
///
/// Neither the directory nor its files may be writable by others. They are often world-readable: Docker and
/// Kubernetes mount them with modes 0444 and 0644, owned by root.
///
/// swift-configuration's `DirectoryFilesProvider` (1.4) is not enough. It skips symbolic links, which Kubernetes
/// uses to mount secrets, trims white space from passwords, and repairs text that is not UTF-8; and it reports
/// neither which files it found, so that a misspelt one would go unnoticed, nor who may write them.
struct SecretsDirectory: Sendable {
    /// The path of the directory.
    let path: String
    /// The texts, by file name.
    let values: [String: String]

    /// The largest secret that is accepted, in bytes.
    static let sizeLimit = 1 << 16

    /// Reads a directory; nil if it does not exist and `mustExist` is false.
    ///
    /// - Parameters:
    ///   - path: The directory.
    ///   - known: The names of the files that are settings.
    ///   - mustExist: Whether a missing directory is an error.
    /// - Throws: `configuration`, naming the file, if its name looks like a misspelt setting, or if it cannot be
    ///   read, is writable by others or is not text.
    init?(path: String, known: [String], mustExist: Bool) throws {
        guard let listing = opendir(path) else {
            let code = errno
            if code == ENOENT, !mustExist { return nil }
            throw StoreError(
                .configuration,
                "The secrets directory \(path) cannot be read: \(String(cString: strerror(code))). Give the path of a "
                    + "directory that you may read, or leave it out.")
        }
        closedir(listing)
        self.path = path
        var values: [String: String] = [:]
        do {
            for name in try FileManager.default.contentsOfDirectory(atPath: path).sorted() {
                if known.contains(name) {
                    values[name] = try Self.text(path + "/" + name)
                } else if Self.isMeant(name, known: known) {
                    throw StoreError(
                        .configuration,
                        "The file `\(name)` in the secrets directory \(path) is not a known setting. "
                            + Spelling.advice(for: name, among: known, separator: "-"))
                }
            }
            var status = stat()
            if !values.isEmpty, stat(path, &status) == 0 {
                try Self.refuseWritable("directory", path, mode: UInt32(status.st_mode) & 0o7777)
            }
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(
                .configuration, "The secrets directory \(path) cannot be listed. Make it readable.",
                underlying: error)
        }
        self.values = values
    }

    /// Whether an unknown file was probably meant as a setting: its first word is that of a setting, or its name
    /// is close to that of one.
    private static func isMeant(_ name: String, known: [String]) -> Bool {
        func firstWord(_ name: String) -> String { name.lowercased().prefix { $0.isLetter }.description }
        guard !name.hasPrefix(".") else { return false }
        return known.contains { firstWord($0) == firstWord(name) }
            || name.count > 4 && Spelling.nearest(to: name, among: known) != nil
    }

    /// Refuses a file or directory that users other than its owner can write: they could choose the server to
    /// which a password is sent.
    private static func refuseWritable(_ what: String, _ path: String, mode: UInt32) throws {
        guard mode & 0o022 != 0 else { return }
        // Kubernetes mounts the directory with mode 1777, but read-only.
        if access(path, W_OK) != 0, errno == EROFS { return }
        throw StoreError(
            .configuration,
            "The secrets \(what) \(path) is writable by users other than its owner (mode "
                + "\(String(mode, radix: 8))). Run `chmod go-w \(path)`.")
    }

    /// The text of one file; nil for a directory.
    private static func text(_ path: String) throws -> String? {
        let file: SmallFile
        do {
            file = try SmallFile(path: path, limit: sizeLimit)
        } catch {
            var isDirectory: ObjCBool = false
            if case .notRegular = error,
                FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory),
                isDirectory.boolValue
            {
                return nil
            }
            throw StoreError(
                .configuration,
                "The secrets file \(path) \(error.words). Put the value into a file, or remove it.")
        }
        try refuseWritable("file", path, mode: file.mode)
        guard let text = String(validating: file.bytes, as: UTF8.self) else {
            throw StoreError(
                .configuration, "The secrets file \(path) is not UTF-8 text. Write the value as text.")
        }
        return text.withoutFinalLineBreak
    }
}

extension String {
    /// The text without one LF or CRLF at its end.
    fileprivate var withoutFinalLineBreak: String {
        // CR LF is a single Character.
        last == "\n" || last == "\r\n" ? String(dropLast()) : self
    }
}
