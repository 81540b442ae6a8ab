internal import CExclusiveRename
internal import Foundation

/// Gives a file another name, unless that is taken.
///
/// Where the file system cannot do that in one step, the file gets the name as a second one, and then loses the first; a
/// crash in between leaves both.
///
/// - Parameters:
///   - path: The file.
///   - target: Its new name, on the same file system.
/// - Returns: Zero, or the system's error: `EEXIST` if the name is taken, `ENOTSUP` if the file system can do it neither way.
package func renameExclusively(_ path: String, to target: String) -> Int32 {
    guard exclusive_rename(path, target) != 0 else { return 0 }
    guard [EINVAL, ENOSYS, ENOTSUP, EOPNOTSUPP].contains(errno) else { return errno }
    guard link(path, target) == 0 else { return errno == EEXIST ? EEXIST : ENOTSUP }
    unlink(path)
    return 0
}
