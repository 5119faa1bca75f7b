import CPluginABI
import Dispatch
import HostLoop

/// The pointers that functions of one plugin, in all its versions, have opened, and that nobody has closed yet.
///
/// A pointer that a call opened is held by the call, and by each event that it came to be in (`hold`). When the last of these
/// holds ends, the release function closes it, on a queue of its own. From then on that a loop keeps it (`HandleHold.keep`)
/// it is the app's: an effect that calls the release function closes it, or the end of the last run. May be used from any
/// thread.
public final class OpenHandles: Sendable {
    private struct Entry {
        // Tells it from an earlier one that had the same address.
        let number: UInt64
        // Closes it: that of the version that opened it.
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
    // One after the other, outside of every lock and of the loops' threads: it is code of a plugin.
    private let queue = DispatchQueue(label: "spinhost.release")

    /// None is open.
    public init() {}

    /// Pointers that were opened and not closed; for tests.
    public var count: Int { state.withLock { $0.entries.count } }

    /// A call gave this pointer: it is held until `drop` with the same number. Nil for one that a loop keeps already.
    ///
    /// - Parameter release: closes it, its only argument; what it returns is nobody's.
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

    /// One hold fewer; the last one closes the pointer.
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

    /// From now on the pointer is closed by the app, or at the end.
    func keep(_ handle: HandleHold.Handle) {
        state.withLock { state in
            if state.entries[handle.address]?.number == handle.number {
                state.entries[handle.address]?.isKept = true
            }
        }
    }

    /// Somebody else closes the pointer, or has done so.
    ///
    /// - Returns: what closes it; nil for a pointer that was not opened here.
    @discardableResult
    func forget(_ address: UInt) -> FunctionAddress? {
        state.withLock { $0.entries.removeValue(forKey: address)?.release }
    }

    /// A run of the app begins.
    public func beginRun() { state.withLock { $0.runs += 1 } }

    /// A run of the app has ended, with none of its effects running. The last one closes what is open; then `done` is called,
    /// on the queue that closed it.
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
        // When nothing of this refers to the versions any more.
        queue.async { done() }
    }

    private static func close(_ address: UInt, by release: FunctionAddress) {
        // Safe because the plugin gave this pointer, its manifest names the function that closes it, and nobody else does.
        let callback = unsafe PluginCallback(release.pointer, UnsafeMutableRawPointer(bitPattern: address))
        if let failure = callback.call(for: release.image, as: .release(release.name)) {
            release.image.log(
                "`\(release.name)`, which closes a pointer, \(failure.text)", level: SPIN_LOG_ERROR, call: nil
            )
        }
    }
}
