internal import Foundation
internal import SwitchyardCore

/// A directory with one file for each setting, as containers and service managers hand over secrets.
///
/// A file's name is the key with `-` for each point: `store-postgres-password`. The file's text is the value;
/// one line break at its end is not part of it. What is no setting is left alone, since a directory of
/// secrets may serve several programs; but not what looks like a setting and is misspelt.
///
/// Neither files nor the directory may be such as others can write. That others can read them is the rule
/// where containers mount them: Docker and Kubernetes make them with mode 0444 and 0644, for root.
///
/// swift-configuration's `DirectoryFilesProvider` (1.4) would not do. It passes over symbolic links, which is how
/// Kubernetes mounts secrets, trims white space from both ends of a password and repairs text that is not UTF-8;
/// it says neither which files it found, so that a misspelt one would go unnoticed, nor who may write them.
struct SecretsDirectory: Sendable {
    /// Where the directory is.
    let path: String
    /// The texts, by file name.
    let values: [String: String]

    /// The most bytes of a secret.
    static let sizeLimit = 1 << 16

    /// Reads a directory; nil if there is none and there need not be one.
    ///
    /// - Parameters:
    ///   - path: The directory.
    ///   - known: The names of the files that are settings.
    ///   - mustExist: Whether it is an error that there is none.
    /// - Throws: `configuration`, naming the file, if one is no setting but looks like one, cannot be read,
    ///   can be written by others or is not text.
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
                        "The file `\(name)` in the secrets directory \(path) is no setting. "
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

    /// Whether a file that is no setting was meant to be one: its first word is that of a setting, or it is
    /// nearly called like one.
    private static func isMeant(_ name: String, known: [String]) -> Bool {
        func firstWord(_ name: String) -> String { name.lowercased().prefix { $0.isLetter }.description }
        guard !name.hasPrefix(".") else { return false }
        return known.contains { firstWord($0) == firstWord(name) }
            || name.count > 4 && Spelling.nearest(to: name, among: known) != nil
    }

    /// Refuses a file or directory that others than its owner can write, and so can choose the server to
    /// which a password goes.
    private static func refuseWritable(_ what: String, _ path: String, mode: UInt32) throws {
        guard mode & 0o022 != 0 else { return }
        // Kubernetes mounts a directory of mode 1777 in a way in which nobody can write to it.
        var system = statvfs()
        guard statvfs(path, &system) != 0 || UInt(system.f_flag) & UInt(ST_RDONLY) == 0 else { return }
        throw StoreError(
            .configuration,
            "The secrets \(what) \(path) can be written by others than its owner (mode "
                + "\(String(mode, radix: 8))). Close it with `chmod go-w \(path)`.")
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
    /// The text without one line break, LF or CRLF, at its end.
    fileprivate var withoutFinalLineBreak: String {
        // As a Character, CR LF is one, and so is LF.
        last == "\n" || last == "\r\n" ? String(dropLast()) : self
    }
}
