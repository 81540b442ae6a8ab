internal import Foundation

/// The names of what is in a directory.
package enum DirectoryListing {
    /// Lists a directory, in no order.
    ///
    /// - Throws: `missing` if there is none, or `refused`.
    package static func names(in path: String) throws(SmallFile.Failure) -> [String] {
        guard let listing = opendir(path) else {
            throw errno == ENOENT ? .missing : .refused(String(cString: strerror(errno)))
        }
        defer { closedir(listing) }
        var names: [String] = []
        while true {
            // What tells the end of the directory from an error.
            errno = 0
            guard let entry = readdir(listing) else {
                guard errno == 0 else { throw .refused(String(cString: strerror(errno))) }
                return names
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }
}
