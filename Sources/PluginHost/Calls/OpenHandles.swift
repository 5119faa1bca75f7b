import CPluginABI
import Dispatch
import HostLoop

/// The open pointers that functions of one plugin have opened, in all its versions.
///
/// A pointer that a call opened is held by the call, and by each event that contains it (`hold`). When the
/// last hold ends, the release function closes the pointer, on a queue of its own. Once a loop keeps the
/// pointer (`HandleHold.keep`), it belongs to the app: an effect that calls the release function closes it,
/// or the end of the last run. Used from any thread.
public final class OpenHandles: Sendable {
    private struct Entry {
        // Distinguishes it from an earlier pointer with the same address.
        let number: UInt64
        // The release function of the version that opened it.
        let release: FunctionAddress
        var holds: Int
        var isKept = false
    }

    private struct State {
        var entries: [UInt: Entry] = [:]
        var last: UInt64 = 0
        var runs = 0
    }

    private let state = Lock(State())
    // One release after the other, outside of every lock and of the loops' threads: it is code of a plugin.
    private let queue = DispatchQueue(label: "spinhost.release")

    /// A table without pointers.
    public init() {}

    /// The number of open pointers; for tests.
    public var count: Int { state.withLock { $0.entries.count } }

    /// A call opened this pointer. It is held until `drop` with the returned number.
    ///
    /// - Parameter release: closes it, with the pointer as its only argument. Its result is ignored.
    /// - Returns: nil for a pointer that a loop keeps already.
    func open(_ address: UInt, closedBy release: FunctionAddress) -> UInt64? {
        state.withLock { state in
            if let known = state.entries[address] {
                guard !known.isKept else { return nil }
                state.entries[address]?.holds += 1
                return known.number
            }
            state.last += 1
            state.entries[address] = Entry(number: state.last, release: release, holds: 1)
            return state.last
        }
    }

    /// Holds those of the addresses that are open and not kept; nil when there are none.
    public func hold(_ addresses: [UInt]) -> HandleHold? {
        let held = state.withLock { state in
            addresses.compactMap { address -> HandleHold.Handle? in
                guard let entry = state.entries[address], !entry.isKept else { return nil }
                state.entries[address]?.holds += 1
                return HandleHold.Handle(address: address, number: entry.number)
            }
        }
        return held.isEmpty ? nil : HandleHold(held, of: self)
    }

    /// Ends one hold. The end of the last one closes the pointer.
    func drop(_ handle: HandleHold.Handle) {
        let release = state.withLock { state -> FunctionAddress? in
            guard var entry = state.entries[handle.address], entry.number == handle.number else { return nil }
            entry.holds -= 1
            let closes = entry.holds == 0 && !entry.isKept
            state.entries[handle.address] = closes ? nil : entry
            return closes ? entry.release : nil
        }
        if let release { queue.async { Self.close(handle.address, by: release) } }
    }

    /// From now on the app closes the pointer, or the end of its last run.
    func keep(_ handle: HandleHold.Handle) {
        state.withLock { state in
            if state.entries[handle.address]?.number == handle.number {
                state.entries[handle.address]?.isKept = true
            }
        }
    }

    /// Other code closes the pointer, or has closed it.
    ///
    /// - Returns: the function that closes it; nil for a pointer that was not opened here.
    @discardableResult
    func forget(_ address: UInt) -> FunctionAddress? {
        state.withLock { $0.entries.removeValue(forKey: address)?.release }
    }

    /// A run of the app begins.
    public func beginRun() { state.withLock { $0.runs += 1 } }

    /// A run of the app has ended, and none of its effects runs. The end of the last run closes the open
    /// pointers. Then `done` is called, on the queue that closed them.
    public func endRun(done: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            let open = state.withLock { state -> [(address: UInt, release: FunctionAddress)] in
                state.runs -= 1
                guard state.runs == 0 else { return [] }
                defer { state.entries = [:] }
                // The last one opened may depend on those before it.
                return state.entries.sorted { $0.value.number > $1.value.number }.map {
                    ($0.key, $0.value.release)
                }
            }
            for (address, release) in open { Self.close(address, by: release) }
        }
        // Nothing here refers to the versions any more.
        queue.async { done() }
    }

    private static func close(_ address: UInt, by release: FunctionAddress) {
        if let remote = release.image.remote { return remote.close(address, by: release.name) }
        release.close(address)
    }
}

extension FunctionAddress {
    /// Calls the function, which closes a pointer. Its error goes to the log.
    package func close(_ address: UInt) {
        // Safe because the plugin gave this pointer, its manifest names the function that closes it, and only
        // this call does.
        let callback = unsafe PluginCallback(pointer, UnsafeMutableRawPointer(bitPattern: address))
        if let error = callback.call(
            for: image, as: .release(name),
            subject: "`\(name)`, which closes a pointer,")
        {
            image.log(error.message, level: SPIN_LOG_ERROR, call: nil)
        }
    }
}
