import CForeignCall
import HostLoop
import Records

extension PluginImage {
    /// How many blocks of bytes the plugin has references to (`spin_buffer_alloc`, `spin_buffer_retain`).
    public var bufferCount: Int {
        // Safe because the place lies in the library, and its pointer is read as a number.
        guard let host = unsafe table?.host.pointee else { return 0 }
        return PluginBuffers.shared.count(of: UInt(bitPattern: host))
    }
}

/// The counted blocks that plugins of this process have references to (`spin_buffer_service`), by the address
/// of their bytes. May be used from any thread.
// Safe because a block in the table has a reference for it, which keeps its bytes.
final class PluginBuffers: Sendable {
    static let shared = PluginBuffers()

    private struct Buffer {
        /// How many bytes may be emitted.
        let capacity: Int
        /// References, by the address of the host's table of the plugin that has them.
        var references: [UInt: Int]
    }

    /// Fewer bytes are copied.
    private static let leastShared = 4096
    /// More bytes are a mistake of the plugin.
    private static let largest = 1 << 30

    private let buffers = Lock<[UInt: Buffer]>([:])

    /// `size` bytes with one reference of a plugin; nil when there are none.
    func allocate(_ size: Int, for owner: UInt) -> UnsafeMutableRawPointer? {
        guard size > 0, size <= Self.largest, let payload = unsafe foreign_block_try_create(size + 1) else {
            return nil
        }
        buffers.withLock { $0[UInt(bitPattern: payload)] = Buffer(capacity: size, references: [owner: 1]) }
        return unsafe payload
    }

    /// Adds a reference of a plugin to bytes that it has one to already.
    ///
    /// - Returns: false when it has none.
    func retain(_ data: UInt, for owner: UInt) -> Bool {
        buffers.withLock { buffers in
            guard let count = buffers[data]?.references[owner] else { return false }
            buffers[data]!.references[owner] = count + 1
            return true
        }
    }

    /// Adds a reference of a plugin to the block at `data`, which a value has that the caller keeps.
    func add(_ data: UnsafeRawPointer, for owner: UInt) {
        let key = UInt(bitPattern: data)
        buffers.withLock { buffers in
            if buffers[key] == nil {
                unsafe foreign_block_retain(data)
                buffers[key] = unsafe Buffer(capacity: foreign_block_size(data), references: [:])
            }
            buffers[key]!.references[owner, default: 0] += 1
        }
    }

    /// Gives back one reference of a plugin.
    ///
    /// - Returns: false when it has none.
    func release(_ data: UInt, for owner: UInt) -> Bool {
        buffers.withLock { buffers in
            guard let count = buffers[data]?.references[owner] else { return false }
            buffers[data]!.references[owner] = count > 1 ? count - 1 : nil
            dropIfUnused(data, &buffers)
            return true
        }
    }

    /// Gives back all references of a plugin that is unmapped.
    func releaseAll(of owner: UInt) {
        buffers.withLock { buffers in
            for data in buffers.keys where buffers[data]!.references.removeValue(forKey: owner) != nil {
                dropIfUnused(data, &buffers)
            }
        }
    }

    /// How many blocks a plugin has references to.
    func count(of owner: UInt) -> Int {
        buffers.withLock { $0.count { $0.value.references[owner] != nil } }
    }

    /// Makes an initialised `bytes` value share the bytes, if they are the start of a block here.
    ///
    /// - Returns: false when the caller must copy them.
    func share(_ bytes: UnsafeRawBufferPointer, to memory: UnsafeMutableRawPointer) -> Bool {
        guard bytes.count >= Self.leastShared, let start = bytes.baseAddress else { return false }
        return buffers.withLock { buffers in
            guard let buffer = buffers[UInt(bitPattern: start)], bytes.count <= buffer.capacity else {
                return false
            }
            unsafe ValueMemory.storeShared(start, count: bytes.count, to: memory)
            return true
        }
    }

    private func dropIfUnused(_ data: UInt, _ buffers: inout [UInt: Buffer]) {
        guard buffers[data]!.references.isEmpty else { return }
        buffers[data] = nil
        guard let payload = unsafe UnsafeRawPointer(bitPattern: data) else { return }
        if unsafe foreign_block_release(payload) { unsafe foreign_block_free(payload) }
    }
}
