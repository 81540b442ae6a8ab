internal import Foundation

/// A directory whose own path may change, as an app's does when the system updates or restores it.
///
/// Locations of files in it are kept without that path: `sqlite:/group/new.sqlite` as `sqlite:./new.sqlite`.
package struct PlaceDirectory: Sendable, Hashable {
    private let path: String
    /// The path as it may be written in a location: on Apple's systems `/private/var` is also `/var`.
    private let spellings: Set<String>

    /// Names a directory.
    package init(path: String) {
        let standardized = URL(filePath: path).standardizedFileURL.path
        self.path = standardized == "/" ? "" : standardized
        spellings = [self.path, path]
    }

    /// A location without the path of the directory; unchanged if it is not in it.
    package func relative(_ location: String) -> String {
        guard let (scheme, rest) = Self.parts(location) else { return location }
        for spelling in spellings where spelling.hasPrefix("/") {
            for start in [spelling, "//" + spelling, "//" + Self.escaped(spelling)] {
                guard rest.starts(with: (start + "/").utf8) else { continue }
                let mark = start.hasPrefix("//") ? "//" : ""
                return scheme + mark + "./" + Self.text(rest.dropFirst(start.utf8.count + 1))
            }
        }
        return location
    }

    /// The location with the current path of the directory; unchanged if it was kept with a path of its own.
    package func absolute(_ location: String) -> String {
        guard let (scheme, rest) = Self.parts(location) else { return location }
        for (start, directory) in [("./", path), ("//./", "//" + Self.escaped(path))]
        where rest.starts(with: start.utf8) {
            return scheme + directory + "/" + Self.text(rest.dropFirst(start.utf8.count))
        }
        return location
    }

    /// The scheme with its colon, and what follows.
    private static func parts(_ location: String) -> (scheme: String, rest: Substring.UTF8View)? {
        guard let colon = location.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let rest = location.utf8.index(after: colon)
        return (String(location[..<rest]), location[rest...].utf8)
    }

    /// Compared and cut in UTF-8: a slash followed by a combining accent is another Character.
    private static func text(_ bytes: Substring.UTF8View.SubSequence) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    /// The path as it is written in a URL.
    private static func escaped(_ path: String) -> String {
        path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
    }
}

extension StoreMarker {
    /// The marker as a store in a directory keeps it.
    package func relative(to directory: PlaceDirectory?) -> StoreMarker {
        directory.map { replacingPlaces($0.relative) } ?? self
    }

    /// The marker that a store in a directory has kept.
    package func absolute(in directory: PlaceDirectory?) -> StoreMarker {
        directory.map { replacingPlaces($0.absolute) } ?? self
    }

    private func replacingPlaces(_ body: (String) -> String) -> StoreMarker {
        var marker = self
        marker.successor = successor.map(body)
        if let peer = switching?.peer { marker.switching?.peer = body(peer) }
        return marker
    }
}
