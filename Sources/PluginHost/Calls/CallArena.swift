import Glibc
import HostLoop

/// Memory that a plugin allocates for one call (`spin_call_alloc`), freed when it is released. Used from any
/// thread.
public final class CallArena: Sendable {
    private struct Blocks {
        /// Their addresses.
        var all: [UInt] = []
        var total = 0
    }

    /// More bytes than this in one call are a mistake of the plugin.
    private static let largest = 1 << 30

    private let blocks = Lock(Blocks())

    deinit {
        // Safe because each block is freed once, with the arena.
        for block in blocks.withLock({ $0.all }) { unsafe free(UnsafeMutableRawPointer(bitPattern: block)) }
    }

    /// `size` bytes, aligned to 16, not cleared; nil when there are none.
    func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
        let address = blocks.withLock { blocks -> UInt in
            guard size >= 0, size <= Self.largest - blocks.total else { return 0 }
            guard let block = unsafe malloc(max(size, 1)) else { return 0 }
            blocks.all.append(UInt(bitPattern: block))
            blocks.total += size
            return UInt(bitPattern: block)
        }
        // Safe because the block lives as long as the arena.
        return unsafe UnsafeMutableRawPointer(bitPattern: address)
    }
}
