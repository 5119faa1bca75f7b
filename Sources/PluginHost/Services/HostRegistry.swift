import CForeignCall
import CPluginABI
import HostLoop

/// What the C functions given to plugins find their way by: every running call, timer and table of the
/// process.
///
/// Plugins pass numbers and pointers that prove nothing, so each is looked up here before it is used.
final class HostRegistry: Sendable {
    static let shared = HostRegistry()

    struct Calls {
        var calls: CallTable
        var timers = TimerTable()
    }

    private struct WeakImage {
        weak var image: PluginImage?
    }

    let calls: Lock<Calls>
    private let images = Lock<[UInt: WeakImage]>([:])

    init(calls: CallTable = CallTable()) { self.calls = Lock(Calls(calls: calls)) }

    // MARK: Tables

    /// From now on the table at `host` is that of `image`.
    func register(_ image: PluginImage, host: UnsafePointer<spin_host>) {
        let key = UInt(bitPattern: host)
        images.withLock { $0[key] = WeakImage(image: image) }
    }

    /// Forgets the table of a plugin that is gone.
    func unregister(host: UInt) { images.withLock { $0[host] = nil } }

    /// The plugin that a function was given this table by; nil for one that is gone and for anything else.
    func image(of host: UnsafePointer<spin_host>?) -> PluginImage? {
        let key = UInt(bitPattern: host)
        if key == HostTable.sharedKey {
            // A plugin that is linked into the process serves all hosts: the one that calls it on this thread
            // counts.
            return PluginImage.calling
        }
        return images.withLock { $0[key]?.image }
    }

    // MARK: Calls

    /// The running call of a token, or what a late function is answered.
    func find(_ call: OpaquePointer?) -> Result<CallTable.Call, CallTable.Status> {
        // Safe because the token is read as a number.
        let token = unsafe CallToken(call)
        return calls.withLock { $0.calls.find(token) }
    }

    /// Ends a call on the host's side; `report` hears of it before the plugin does. Nothing when it was over
    /// already.
    func cancel(_ token: CallToken, report: (CallTable.Call) -> Void = { _ in }) {
        guard case .success(let call) = end(token, answer: SPIN_CANCELLED) else { return }
        report(call)
        if let failure = call.onCancel?.call(for: call.image, as: .cancellation, in: token) {
            call.image.log(failure, call: token)
        }
    }

    /// Ends the running calls of a plugin that is not called any more, as failed; but not `other`, which its caller ends.
    func abandonCalls(of image: PluginImage, but other: CallToken?) {
        let tokens = calls.withLock { $0.calls.running(of: image) }
        for token in tokens where token != other {
            guard case .success(let call) = end(token, answer: SPIN_CANCELLED) else { continue }
            call.sink.failed(
                code: PluginError.quarantinedStatus,
                text: "the plugin is in quarantine since \(image.quarantine.reason)")
        }
    }

    /// Ends a call and its timers; the call, or what to answer when it was over already.
    func end(_ token: CallToken, answer: Int32) -> Result<CallTable.Call, CallTable.Status> {
        let (found, timers) = calls.withLock { state in
            let found = state.calls.end(token, answer: answer)
            guard case .success(let call) = found else { return (found, [TimerTable.Ended]()) }
            return (found, call.timers.compactMap { state.timers.end($0).ended })
        }
        timers.forEach(release)
        return found
    }

    /// Has `function` called when the call is cancelled; `SPIN_OK` or why not.
    func onCancel(_ token: CallToken, _ function: PluginCallback) -> Int32 {
        let found = calls.withLock { state in
            state.calls.find(token).map { call in
                let isFirst = call.onCancel == nil
                if isFirst { call.onCancel = function }
                return (call, isFirst)
            }
        }
        switch found {
        case .failure(let status):
            status.broke(.requestAfterEnd, token)
            return status.code
        case .success((let call, false)):
            call.broke(.secondCancellation, token)
            return SPIN_FULL
        case .success: return SPIN_OK
        }
    }

    /// Memory that goes with a running call; nil when it is over, or when there is none.
    func allocate(_ size: Int, for token: CallToken) -> UnsafeMutableRawPointer? {
        let arena = calls.withLock { state -> CallArena? in
            guard case .success(let call) = state.calls.find(token) else { return nil }
            if let arena = call.arena { return arena }
            let made = CallArena()
            call.arena = made
            return made
        }
        return unsafe arena?.allocate(size)
    }

    // MARK: Timers

    /// Adds a timer of a running call that is first due at `due`, and tells its number before it is
    /// scheduled.
    func start(_ request: TimerTable.Request, due: LoopInstant, tell: (UInt64) -> Void) -> Int32 {
        let added = calls.withLock { state -> Result<UInt64, CallTable.Status> in
            state.calls.find(request.call).map { call in
                let timer = state.timers.add(request, due: due)
                call.timers.insert(timer)
                return timer
            }
        }
        switch added {
        case .failure(let status):
            status.broke(.requestAfterEnd, request.call)
            return status.code
        case .success(let timer):
            tell(timer)
            schedule(timer, at: due, round: 0, on: request.image.services.clock)
            return SPIN_OK
        }
    }

    /// Ends a timer; its context is released when its function is not running.
    func stop(_ timer: UInt64) -> Int32 {
        let (wasRunning, ended) = calls.withLock { state in
            if let call = state.timers.call(of: timer) { state.calls.forget(timer, of: call) }
            return state.timers.end(timer)
        }
        if let ended { release(ended) }
        return wasRunning ? SPIN_OK : SPIN_STOPPED
    }

    private func schedule(_ timer: UInt64, at due: LoopInstant, round: Int, on clock: any LoopClock) {
        let cancellation = clock.schedule(at: due) { [self] in fire(timer, clock: clock) }
        let isWanted = calls.withLock { $0.timers.scheduled(timer, round: round, cancellation) }
        if !isWanted { cancellation.cancel() }
    }

    private func fire(_ timer: UInt64, clock: any LoopClock) {
        let now = clock.now
        let begun = calls.withLock { state in
            let begun = state.timers.begin(timer, now: now)
            // Before the timer's call can end: who waits for the plugin to be idle after that finds the function.
            begun?.request.image.work.begin()
            return begun
        }
        guard let (request, expirations) = begun else { return }
        defer { request.image.work.end() }
        if let failure = request.fire.call(
            expirations: expirations, for: request.image, in: request.call)
        {
            cancel(request.call) { call in
                call.sink.failed(code: failure.status, text: failure.message)
            }
        }
        let next = calls.withLock { state in
            let next = state.timers.fired(timer)
            if case .ended = next { state.calls.forget(timer, of: request.call) }
            return next
        }
        switch next {
        case .schedule(let due, let round): schedule(timer, at: due, round: round, on: clock)
        case .ended(let request): release(TimerTable.Ended(request: request, cancellation: nil))
        }
    }

    private func release(_ ended: TimerTable.Ended) {
        ended.cancellation?.cancel()
        let (image, call) = (ended.request.image, ended.request.call)
        if let failure = ended.request.release?.call(for: image, as: .timerRelease) {
            image.log(failure, call: call)
        }
    }
}
