internal import Foundation

/// A directory with one file for each setting, as containers and service managers hand over secrets.
///
/// A file's name is the key with `-` for each point: `store-postgres-password`. The file's text is the value;
/// one line break at its end is not part of it. Files whose names begin with a point are left alone, and so
/// are directories.
///
/// The provider of swift-configuration is not used here: it passes over symbolic links, which is how
/// Kubernetes mounts secrets, cuts all white space from a password's ends and repairs text that is not UTF-8.
struct SecretsDirectory: Sendable {
    /// Where the directory is.
    let path: String
    /// The texts, by file name.
    let values: [String: String]

    /// The most bytes of a secret.
    static let sizeLimit = 1 << 16

    /// Reads a directory; nil if there is none and there need not be one.
    ///
    /// - Throws: `configuration`, naming the file, if one cannot be read, is open to others or is not text.
    init?(path: String, mustExist: Bool) throws {
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
            for name in try FileManager.default.contentsOfDirectory(atPath: path) where !name.hasPrefix(".") {
                values[name] = try Self.text(path + "/" + name)
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
        // The rule of libpq for private keys: the owner alone, or root and a group that may read.
        guard file.mode & (file.owner == 0 ? 0o037 : 0o077) == 0 else {
            throw StoreError(
                .configuration,
                "The secrets file \(path) is open to others than its owner (mode \(String(file.mode, radix: 8))). Close it "
                    + "with `chmod 600 \(path)`.")
        }
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
