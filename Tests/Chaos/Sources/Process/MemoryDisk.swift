import Foundation

/// A small file system in memory, whose size can be changed while it is used.
struct MemoryDisk: Sendable {
    let path: String

    /// Mounts one; only root can.
    static func mount(at path: String, kibibytes: Int) async throws -> MemoryDisk {
        guard geteuid() == 0, FileManager.default.isExecutableFile(atPath: "/bin/mount") else {
            throw MissingPart(description: "mounting a small file system needs root and the command mount.")
        }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let mounting = try Child("/bin/mount", ["-t", "tmpfs", "-o", "size=\(kibibytes)k", "tmpfs", path])
        guard await mounting.ended == .exit(0) else {
            throw MissingPart(description: "this machine mounts no file system in memory.")
        }
        return MemoryDisk(path: path)
    }

    func resize(kibibytes: Int) async throws {
        _ = await (try Child("/bin/mount", ["-o", "remount,size=\(kibibytes)k", path])).ended
    }

    func setReadOnly(_ isReadOnly: Bool) async throws {
        _ = await (try Child("/bin/mount", ["-o", "remount,\(isReadOnly ? "ro" : "rw")", path])).ended
    }

    func unmount() async {
        _ = await (try? Child("/bin/umount", [path]))?.ended
    }
}
