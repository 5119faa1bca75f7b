import CForeignCall
import CPluginABI
import HostLoop

/// All running calls, timers, polls and tables of the process, in which the C functions for plugins look up their
/// arguments.
///
/// A plugin may pass wrong numbers and pointers, so each is looked up here before it is used.
final class HostRegistry: Sendable {
    static let shared = HostRegistry()

    struct Calls {
        var calls: CallTable
        var timers = TimerTable()
        var polls = PollTable()
    }

    private struct WeakImage {
        weak var image: PluginImage?
    }

    let calls: Lock<Calls>
    private let images = Lock<[UInt: WeakImage]>([:])

    init(calls: CallTable = CallTable()) { self.calls = Lock(Calls(calls: calls)) }

    // MARK: Tables

    /// Adds the table of a plugin.
    func register(_ image: PluginImage, host: UnsafePointer<spin_host>) {
        let key = UInt(bitPattern: host)
        images.withLock { $0[key] = WeakImage(image: image) }
    }

    /// Removes the table of a plugin that is unmapped.
    func unregister(host: UInt) { images.withLock { $0[host] = nil } }

    /// The plugin that a table belongs to; nil if it is gone, or `host` is no table.
    func image(of host: UnsafePointer<spin_host>?) -> PluginImage? {
        let key = UInt(bitPattern: host)
        if key == HostTable.sharedKey {
            // A linked plugin serves all hosts, so the image that is being called on this thread counts.
            return PluginImage.calling
        }
        return images.withLock { $0[key]?.image }
    }

    // MARK: Calls

    /// The running call of a token. If it is over, the status for the plugin.
    func find(_ call: OpaquePointer?) -> Result<CallTable.Call, CallTable.Status> {
        // Safe because the token is read as a number.
        let token = unsafe CallToken(call)
        return calls.withLock { $0.calls.find(token) }
    }

    /// The same for an emission. A late one is counted, outside of the lock: in a worker, that sends a message.
    @inline(__always)
    func findEmitting(_ token: CallToken) -> Result<CallTable.Call, CallTable.Status> {
        let found = calls.withLock { $0.calls.find(token) }
        if case .failure(let status) = found { status.ended?.conduct.late.count() }
        return found
    }

    /// Cancels a call, and calls the plugin's function for that. Does nothing if the call is over.
    ///
    /// - Parameter report: called before the plugin's function.
    func cancel(_ token: CallToken, report: (CallTable.Call) -> Void = { _ in }) {
        guard let call = take(token, answer: SPIN_CANCELLED) else { return }
        report(call)
        call.image.remote?.cancel(token)
        if let failure = call.onCancel?.call(for: call.image, as: .cancellation, in: token) {
            call.image.log(failure, call: token)
        }
    }

    /// Cancels a call, one of whose functions did not return, as failed.
    func fail(_ token: CallToken, _ failure: PluginError) {
        cancel(token) { call in call.sink.failed(code: failure.status, text: failure.message) }
    }

    /// Ends the running calls of a plugin in quarantine, as failed. The caller ends the call `other` itself.
    func abandonCalls(of image: PluginImage, but other: CallToken?) {
        let tokens = calls.withLock { $0.calls.running(of: image) }
        for token in tokens where token != other {
            guard let call = take(token, answer: SPIN_CANCELLED) else { continue }
            call.sink.failed(
                code: PluginError.quarantinedStatus,
                text: "the plugin is in quarantine since \(image.quarantine.reason)")
        }
    }

    /// Ends a call as `take` does.
    ///
    /// - Returns: the call; if it was over already, the status for the plugin.
    func end(_ token: CallToken, answer: Int32) -> Result<CallTable.Call, CallTable.Status> {
        take(token, answer: answer).map { .success($0) } ?? calls.withLock { $0.calls.find(token) }
    }

    /// Ends a call with its timers and polls, and has the function called that waits for room.
    ///
    /// - Returns: the call; nil if it was over already.
    @discardableResult
    func take(_ token: CallToken, answer: Int32) -> CallTable.Call? {
        let (call, ends) = calls.withLock { state -> (CallTable.Call?, Ends?) in
            guard let call = state.calls.end(token, answer: answer) else { return (nil, nil) }
            return (call, call.mayWait ? Ends(call, &state) : nil)
        }
        ends?.tell(self)
        if let call, let arena = call.arena { call.sink.keep(arena) }
        return call
    }

    /// What ends with a call.
    private struct Ends {
        let call: CallTable.Call
        let timers: [TimerTable.Ended]
        let polls: [PollTable.Ended]
        let room: PluginCallback?

        /// Takes it out of the tables, under the lock.
        init(_ call: CallTable.Call, _ state: inout Calls) {
            self.call = call
            timers = call.timers.compactMap { state.timers.end($0).ended }
            polls = call.polls.compactMap { HostRegistry.end($0, &state) }
            room = call.onRoom.take()
            // A caller that waits for the plugin's work must see what is called below.
            for _ in 0..<timers.count + (room == nil ? 0 : 1) { call.image.work.begin() }
        }

        /// Calls the plugin's functions for it, outside of the lock.
        func tell(_ registry: HostRegistry) {
            for timer in timers {
                registry.release(timer)
                timer.request.image.work.end()
            }
            for poll in polls {
                registry.release(poll)
                poll.request.image.work.end()
            }
            if let room {
                call.roomWait?.cancel()
                registry.report(room, to: call.image)
                call.image.work.end()
            }
        }
    }

    /// Registers a function that is called when the call is cancelled.
    ///
    /// - Returns: `SPIN_OK`, or the status for the plugin.
    func onCancel(_ token: CallToken, _ function: PluginCallback) -> Int32 {
        register(function, as: \.onCancel, once: .secondCancellation, for: token) { _ in SPIN_OK }
    }

    /// Registers a function of a running call, which has one of the kind at a time.
    ///
    /// - Parameters:
    ///   - rule: the rule that a second one breaks.
    ///   - accepted: called when it is registered; returns the status for the plugin.
    /// - Returns: the status for the plugin.
    func register(
        _ function: PluginCallback, as kind: ReferenceWritableKeyPath<CallTable.Call, PluginCallback?>,
        once rule: PluginRule, for token: CallToken, accepted: (CallTable.Call) -> Int32
    ) -> Int32 {
        let found = calls.withLock { state in
            state.calls.find(token).map { call in
                let isFirst = call[keyPath: kind] == nil
                if isFirst { call[keyPath: kind] = function }
                return (call, isFirst)
            }
        }
        switch found {
        case .failure(let status):
            status.broke(.requestAfterEnd, token)
            return status.code
        case .success((let call, false)):
            call.broke(rule, token)
            return SPIN_FULL
        case .success((let call, true)): return accepted(call)
        }
    }

    /// Memory that lives as long as a running call; nil if the call is over, or no memory is left.
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

    /// Starts a timer of a running call.
    ///
    /// - Parameters:
    ///   - due: when it is due for the first time.
    ///   - willSchedule: called with the timer's number before it is scheduled.
    /// - Returns: `SPIN_OK`, or the status for the plugin.
    func start(_ request: TimerTable.Request, due: LoopInstant, willSchedule: (UInt64) -> Void) -> Int32 {
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
            willSchedule(timer)
            schedule(timer, at: due, round: 0, on: request.image.services.clock)
            return SPIN_OK
        }
    }

    /// Ends a timer. Its context is released now, or when its running function has returned.
    func stop(_ timer: UInt64) -> Int32 {
        let (wasRunning, ended) = calls.withLock { state in
            if let call = state.timers.call(of: timer) { state.calls.forget(timer, of: call) }
            let found = state.timers.end(timer)
            // Under the lock: a caller that waits for the plugin's work must see the release.
            found.ended?.request.image.work.begin()
            return found
        }
        if let ended {
            release(ended)
            ended.request.image.work.end()
        }
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
            // Under the lock, before the timer's call can end: a caller that waits for the plugin's work must
            // see it.
            begun?.request.image.work.begin()
            return begun
        }
        guard let (request, expirations) = begun else { return }
        defer { request.image.work.end() }
        if let failure = request.fire.call(
            with: expirations, for: request.image, as: .timer, in: request.call)
        {
            fail(request.call, failure)
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
