import Foundation
import Glibc

/// A terminal that a test types at.
struct PseudoTerminal {
    /// What the program has as its stdin.
    let program: FileHandle
    let keyboard: FileHandle

    init() throws {
        // Linux: unlock the other end, and open it without a race for its name or a controlling terminal.
        let (unlock, openPeer): (UInt, UInt) = (0x4004_5431, 0x5441)
        let flags = O_RDWR | O_NOCTTY | O_CLOEXEC
        // Safe because the path is borrowed for the call.
        let master = unsafe open("/dev/ptmx", flags)
        guard master >= 0 else { throw CocoaError(.fileNoSuchFile) }
        keyboard = FileHandle(fileDescriptor: master, closeOnDealloc: true)
        var isLocked: Int32 = 0
        // Safe because the call reads the number only.
        guard unsafe ioctl(master, unlock, &isLocked) == 0 else { throw CocoaError(.fileNoSuchFile) }
        let slave = ioctl(master, openPeer, flags)
        guard slave >= 0 else { throw CocoaError(.fileNoSuchFile) }
        program = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
    }

    /// Types a line, and the Enter key.
    func type(_ line: String = "") throws { try keyboard.write(contentsOf: Data("\(line)\n".utf8)) }
}
