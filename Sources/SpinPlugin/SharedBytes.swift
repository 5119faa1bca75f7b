import CPluginABI
import Glibc

/// Bytes that pass the border without a copy: an emission shares them when they are at least 4096.
///
/// From the first emission on, the plugin must only read the bytes, as the loop's state may have them. An effect
/// that takes a `Call` may take its argument as `SharedBytes`, and keep it longer than its call. It must only
/// read these, too.
///
/// ```swift
/// @Emitter func frame(_ call: Call, bytes: SharedBytes) -> Status
/// ```
// Safe because the address never changes, and the plugin keeps to the rule above.
@safe
public final class SharedBytes: @unchecked Sendable {
    /// Nil for no bytes.
    private let start: UnsafeMutablePointer<UInt8>?
    /// Whether they belong to the host; a host without the service copies those of the plugin.
    private let isOfHost: Bool
    /// How many bytes there are.
    public let count: Int

    /// Bytes that are not cleared; nil for a negative count, for more than 1 GiB, and when there is no memory.
    public init?(count: Int) {
        guard count >= 0, count <= 1 << 30 else { return nil }
        let host = unsafe count > 0 ? spin_buffer_alloc(count) : nil
        isOfHost = unsafe host != nil
        let memory = unsafe host ?? malloc(count)?.assumingMemoryBound(to: UInt8.self)
        unsafe start = memory
        self.count = count
        if count > 0, unsafe memory == nil { return nil }
    }

    /// The argument of an effect, kept: with a reference to it, or as a copy where the host has no references.
    /// Ends the process when a copy has no memory.
    init(keeping bytes: spin_bytes, of call: Call) {
        count = unsafe bytes.size
        guard count > 0, let data = unsafe bytes.data else {
            unsafe start = nil
            isOfHost = false
            return
        }
        // Safe because the host checks the address before it uses it.
        isOfHost = unsafe spin_buffer_retain(call.token, data) == SPIN_OK
        if isOfHost {
            unsafe start = UnsafeMutablePointer(mutating: data)
        } else {
            let copy = unsafe malloc(count)!
            unsafe copy.copyMemory(from: data, byteCount: count)
            unsafe start = copy.assumingMemoryBound(to: UInt8.self)
        }
    }

    deinit {
        guard let start = unsafe start else { return }
        // Safe because this was the last use.
        if isOfHost { _ = unsafe spin_buffer_release(start) } else { unsafe free(start) }
    }

    /// Calls `body` with the bytes.
    public func withBytes<Result>(_ body: (UnsafeMutableRawBufferPointer) throws -> Result) rethrows -> Result
    {
        // Safe because the object has a reference to the bytes.
        unsafe try body(UnsafeMutableRawBufferPointer(start: start, count: count))
    }
}
