import CPluginABI
import Glibc

/// The memory that a reducer may allocate for one step (`spin_reduction`).
@safe
final class ReductionMemory {
    /// The reducer's view of this object, with the object after it.
    @safe
    private struct Table {
        var reduction: spin_reduction
        var owner: Unmanaged<ReductionMemory>
    }

    /// More bytes than this in one step are a mistake of the plugin.
    private static let largest = 1 << 30
    private static let chunkSize = 4096

    // Safe because all of it is made in `init` or `allocate`, and freed in `reset` or `deinit`.
    private let table: UnsafeMutablePointer<Table>
    private let chunk: UnsafeMutableRawPointer
    // Safe because one step uses it at a time.
    @safe @exclusivity(unchecked) private var used = 0
    @safe @exclusivity(unchecked) private var total = 0
    @safe @exclusivity(unchecked) private var others: [UnsafeMutableRawPointer] = unsafe []

    init() {
        unsafe chunk = .allocate(byteCount: Self.chunkSize, alignment: 16)
        unsafe table = .allocate(capacity: 1)
        unsafe table.initialize(
            to: Table(
                reduction: spin_reduction(
                    size: UInt32(MemoryLayout<spin_reduction>.size), flags: 0,
                    allocate: { reduction, size in
                        unsafe GuardedCall.left { unsafe ReductionMemory.allocate(reduction, size) }
                    }),
                owner: Unmanaged.passUnretained(self)))
    }

    deinit {
        reset()
        unsafe chunk.deallocate()
        unsafe table.deallocate()
    }

    /// The reducer's argument. Valid while this object lives.
    var pointer: UnsafeMutablePointer<spin_reduction> {
        // Safe because the table begins with the reduction.
        unsafe UnsafeMutableRawPointer(table).assumingMemoryBound(to: spin_reduction.self)
    }

    /// Frees the allocated memory.
    @inline(__always)
    func reset() {
        // A block of size 0 takes room, too.
        if used > 0 || total > 0 { free() }
    }

    private func free() {
        (used, total) = (0, 0)
        guard unsafe !others.isEmpty else { return }
        unsafe others.forEach { unsafe Glibc.free($0) }
        unsafe others.removeAll()
    }

    private static func allocate(
        _ reduction: UnsafeMutablePointer<spin_reduction>?, _ size: Int
    ) -> UnsafeMutableRawPointer? {
        // Safe because a reducer passes the table that it was given, during its step.
        guard let reduction = unsafe reduction else { return nil }
        let table = unsafe UnsafeMutableRawPointer(reduction).assumingMemoryBound(to: Table.self)
        return unsafe table.pointee.owner.takeUnretainedValue().allocate(size)
    }

    private func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
        guard size >= 0, size <= Self.largest - total else { return nil }
        total += size
        let rounded = (max(size, 1) + 15) & ~15
        guard rounded > Self.chunkSize - used else {
            defer { used += rounded }
            return unsafe chunk + used
        }
        guard let block = unsafe malloc(rounded) else { return nil }
        unsafe others.append(block)
        return unsafe block
    }
}
