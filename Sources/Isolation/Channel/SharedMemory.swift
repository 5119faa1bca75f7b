import CRing
import Diagnostics
import PluginHost

/// The memory that the host and a worker share: a ring of messages in each direction, and places for short answers.
/// Unmapped with the last reference. May be used from any thread.
// Safe because the memory is mapped as long as this object lives.
@safe
final class SharedMemory: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Maps the memory of a file, which `makeFile` has made.
    ///
    /// - Throws: `DiagnosticCode.workerNotStarted` if it cannot be mapped, or is another file.
    init(mapping file: borrowing FileDescriptor) throws(PluginError) {
        guard let memory = unsafe ring_memory_map(file.number) else {
            throw .notStarted("its memory cannot be mapped: \(SystemError.last.text)")
        }
        unsafe pointer = memory
    }

    deinit { unsafe ring_memory_unmap(pointer) }

    /// Writes bytes into the part that begins with the positions of both rings, as a wild process could.
    func scribble(_ bytes: [UInt8], at offset: Int) {
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe ring_scribble(pointer, offset, bytes.baseAddress, bytes.count)
        }
    }

    /// A file of such memory.
    ///
    /// - Throws: `DiagnosticCode.workerNotStarted`.
    static func makeFile() throws(PluginError) -> FileDescriptor {
        let number = ring_memory_create()
        guard number >= 0 else { throw .notStarted("it gets no memory: \(SystemError.last.text)") }
        return FileDescriptor(number)
    }
}

/// The direction of messages.
enum RingNumber: Int32 {
    case toWorker = 0
    case toHost = 1
}
