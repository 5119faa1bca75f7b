import CPluginABI
import HostLoop
import PluginHost
import Records
import Synchronization

/// A call that a worker makes for its host: passes its emissions and its end on. May be used from any thread.
// Safe because the call's memory is used by the thread that makes the call, and by the plugin until the call ends.
final class ServedCall: CallSink, ReaderJob, @unchecked Sendable {
    /// The host's number of the call.
    let number: UInt64
    let lane: UInt64
    let function: ServedFunction
    let key: String?
    let attempt: UInt32
    private let call: PreparedCall
    private let timeout: Duration?
    /// Whether the worker has the instance that it is for.
    private let hasInstance: Bool
    private let link: HostLink
    private let threads: WorkerServer
    /// The worker's own token while the call runs; 0 before, and `cancelled` once the host has cancelled it.
    private let token = Atomic<UInt>(0)
    private static let cancelled = UInt.max
    /// Whether the call is made or refused: the thread that sets it does that.
    private let isClaimed = Atomic<Bool>(false)
    /// The memory of the call, once it has ended.
    private let arena = Lock<CallArena?>(nil)
    /// Wakes emissions that wait for room.
    private let room = Bell()
    private let isWaitingForRoom = Atomic<Bool>(false)

    /// Reads a call.
    ///
    /// - Throws: when the message is damaged.
    init(
        _ number: UInt64, _ function: ServedFunction, _ reader: inout ByteReader, _ server: WorkerServer
    ) throws(DamagedBytes) {
        (self.number, self.function, link, threads) = (number, function, server.link, server)
        let parts = CallParts(rawValue: try reader.byte())
        lane = try reader.number()
        let instance = parts.contains(.instance) ? function.plugin.instance(try reader.number()) : nil
        hasInstance = !parts.contains(.instance) || instance != nil
        timeout = parts.contains(.timeout) ? .nanoseconds(try reader.signed()) : nil
        (key, attempt) =
            parts.contains(.key)
            ? (try reader.text(), UInt32(truncatingIfNeeded: try reader.number())) : (nil, 0)
        call = function.takeCall()
        if !function.coders.callbacks.isEmpty {
            var fallbacks: [Record?] = []
            for callback in function.coders.callbacks {
                fallbacks.append(try reader.byte() == 0 ? nil : callback.result?.read(&reader))
            }
            call.setCallbacks(ServedCallbacks(number, function, fallbacks, link))
        }
        try call.readInputs(function.coders.inputs, &reader)
        if let instance { call.setInstance(instance) }
    }

    deinit { function.keep(call) }

    func run() { threads.makeHere(self) }

    /// Makes the call, unless it was refused.
    func make() {
        guard claim() else { return }
        guard hasInstance else {
            return sendReturned(
                .ended("its worker has no instance for `\(function.interface.function.name)`"))
        }
        var failure: PluginError?
        do throws(PluginError) {
            if function.isEmitting { try begin() }
            try call.invoke()
        } catch { failure = error }
        if failure != nil, let token = Self.running(token.load(ordering: .relaxed)) {
            function.plugin.image.services.cancel(token)
            threads.forget(number)
        }
        sendReturned(failure)
    }

    private func claim() -> Bool {
        isClaimed.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged
    }

    private func begin() throws(PluginError) {
        let image = function.plugin.image
        let token = try image.services.begin(
            self, for: image, effect: function.interface.function.name, timeout: timeout)
        call.setCall(token)
        let before = self.token.compareExchange(
            expected: 0, desired: token.bits, ordering: .acquiringAndReleasing)
        if !before.exchanged { image.services.cancel(token) }
    }

    private func sendReturned(_ failure: PluginError?) {
        let isSent = link.send(.returned) { body in
            body.put(number)
            body.put(byte: failure == nil ? 1 : 0)
            if let failure {
                failure.write(to: body)
            } else {
                call.writeOutcome(function.coders.outcome, to: body)
            }
        }
        guard !isSent else { return }
        let name = function.interface.function.name
        sendReturned(
            PluginError(
                .badResult,
                "`\(name)` returned more than a worker can pass, which is \(MessageWriter.most) bytes",
                help: ["write it to a file, or use `isolation = \"inline\"`"], symbol: name))
    }

    /// The host has cancelled the call, which waits for its lane. It is not made.
    func refuse() {
        // Its turn may have come just now.
        guard claim() else { return cancel() }
        threads.forget(number)
        sendReturned(.ended("`\(function.interface.function.name)` was cancelled before its turn"))
    }

    /// The host has cancelled the call.
    func cancel() {
        let before = token.exchange(Self.cancelled, ordering: .acquiringAndReleasing)
        threads.forget(number)
        if let token = Self.running(before) { function.plugin.image.services.cancel(token) }
    }

    private static func running(_ token: UInt) -> CallToken? {
        token == 0 || token == cancelled ? nil : CallToken(bits: token)
    }

    // MARK: - What the plugin does

    func emitted(emitter: String, payload: UnsafeRawPointer, wait: EmissionWait) -> Int32 {
        guard let emission = function.plugin.emissions.numbers[emitter] else { return SPIN_BAD_VALUE }
        let coder = function.plugin.emissions.all[emission].coder
        func emit() -> Int32 {
            let answer = link.ask(.emitted) { body in
                body.put(number)
                body.put(count: emission)
                // Safe because the payload is a record of the emission, borrowed for the call.
                unsafe coder.write(recordAt: payload, to: body)
            }
            return answer?.status ?? SPIN_BAD_VALUE
        }
        guard case .upTo(let limit) = wait else { return emit() }
        let end = limit.map { ContinuousClock.now.advanced(by: $0) }
        while true {
            let rings = room.rings
            let status = emit()
            guard status == SPIN_FULL else { return status }
            guard waitsForRoom() else { return SPIN_FULL }
            threads.willWait()
            let left = end.map { ContinuousClock.now.duration(to: $0) }
            if let left, left <= .zero { return SPIN_FULL }
            room.wait(beyond: rings, atMost: left)
        }
    }

    /// Has the host ring `room` when there is room; once at a time, as each wait takes memory of the host. False if the
    /// mailbox can never hold the emission.
    private func waitsForRoom() -> Bool {
        guard !isWaitingForRoom.exchange(true, ordering: .sequentiallyConsistent) else { return true }
        let wait = whenRoom { [self] in
            isWaitingForRoom.store(false, ordering: .sequentiallyConsistent)
            room.ring()
        }
        if wait == nil { isWaitingForRoom.store(false, ordering: .sequentiallyConsistent) }
        return wait != nil
    }

    func rejected(emitter: String?, reason: String) {
        link.send(.rejected) { body in
            body.put(number)
            body.put(optional: emitter)
            body.put(reason)
        }
    }

    func whenRoom(_ body: @escaping @Sendable () -> Void) -> Cancellation? {
        let wait = threads.addRoomWait(body)
        let answer = link.ask(.roomWanted) { message in
            message.put(number)
            message.put(wait)
        }
        guard answer?.status == SPIN_OK else {
            threads.takeRoomWait(wait)
            return nil
        }
        return Cancellation { [threads] in threads.takeRoomWait(wait) }
    }

    func isArgument(_ data: UnsafeRawPointer) -> Bool {
        // Safe because this object keeps the call.
        unsafe call.hasArgument(data)
    }

    func keep(_ arena: CallArena) { self.arena.exchange(arena) }

    func finished() {
        threads.forget(number)
        link.send(.finished) { $0.put(number) }
    }

    func failed(code: Int32, text: String) {
        threads.forget(number)
        link.send(.failed) { body in
            body.put(number)
            body.put(signed: Int64(code))
            body.put(text)
        }
    }
}

/// The parts that a message with a call has.
struct CallParts: OptionSet {
    let rawValue: UInt8

    static let instance = CallParts(rawValue: 1)
    static let timeout = CallParts(rawValue: 2)
    static let key = CallParts(rawValue: 4)
}
