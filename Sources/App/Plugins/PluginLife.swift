import Diagnostics
import HostLoop
import Manifest
import PluginHost

/// The instances of a run in their order: made and started before its loops, stopped and freed after them.
///
/// Their functions are called one after the other on a thread of its own, since any of them may take its time, or never
/// return. May be used from any thread.
final class PluginLife: Sendable {
    private struct State {
        /// Which functions are being called, for people: `stop of sensor`. By when each call began: one that does not
        /// return is named as long as that lasts, whatever is called beside it.
        var calls: [Int: String] = [:]
        var lastCall = 0
        var isWithdrawn = false
        var hasBegun = false
        /// Where those sit that are made and started, in order.
        var started: [InstanceSeat] = []
        /// Somebody exchanges instances: nothing is stopped meanwhile.
        var isExchanging = false
        var afterExchange: (@Sendable () -> Void)?
    }

    /// All of them, in order.
    let seats: [InstanceSeat]
    private let instances: InstanceSet
    /// Those to be made and started: not those of a run whose place is taken.
    private let fresh: [InstanceSeat]
    /// All libraries by now: what they run on threads of the host is waited for.
    private let images: @Sendable () -> [(name: String, image: PluginImage)]
    private let places: [Int: SourceSpan]
    /// The names of the loops.
    let loops: [String]
    /// By loop and feedback, where the instance sits that its effect is called for.
    private let users: [Int: [String: InstanceSeat]]
    private let state = Lock(State())

    init(
        _ instances: InstanceSet, images: @escaping @Sendable () -> [(name: String, image: PluginImage)],
        of manifest: Manifest
    ) {
        (seats, self.images, loops) = (instances.seats, images, manifest.loops.map(\.name))
        self.instances = instances
        let goingOn = instances.goingOn
        fresh = instances.seats.filter { seat in !goingOn.contains { $0 === seat } }
        users = Dictionary(
            uniqueKeysWithValues: manifest.loops.enumerated().map { index, loop in
                let own = loop.feedbacks.compactMap { feedback in
                    feedback.effect.flatMap { instances.seat(for: $0, loop: index) }.map {
                        (feedback.name, $0)
                    }
                }
                return (index, Dictionary(uniqueKeysWithValues: own))
            })
        places = Dictionary(
            uniqueKeysWithValues: manifest.plugins.enumerated().map { ($0.offset, $0.element.librarySpan) })
    }

    /// Whether there is nothing to make or start.
    var isEmpty: Bool { seats.isEmpty }

    /// Whether the run has instances of a plugin, given by its index: one whose reducer alone is called has none.
    func hasInstances(of plugin: Int) -> Bool { seats.contains { $0.plugin == plugin } }

    /// Whether nothing is to be stopped, and nothing runs.
    var hasEnded: Bool {
        state.withLock { $0.started.isEmpty && !$0.isExchanging }
            && images().allSatisfy { $0.image.workCount == 0 }
    }

    /// What did not return yet: functions of instances, and plugins with functions on threads of the host.
    var running: [String] {
        state.withLock { state in state.calls.sorted { $0.key < $1.key }.map(\.value) }
            + images().filter { $0.image.workCount > 0 }.map { "work of \($0.name)" }
    }

    /// Makes all instances, then starts all; after a failure, and when `withdraw` was called, those that were started are
    /// stopped and those that were made are freed, in reverse order.
    ///
    /// - Parameters:
    ///   - undoing: told before anything is stopped or freed, on a thread of its own, what failed; nil for a withdrawal.
    ///   - done: told at the end, on a thread of its own, whether all are started.
    func begin(
        undoing: @escaping @Sendable (_ failure: Diagnostic?) -> Void,
        _ done: @escaping @Sendable (_ areStarted: Bool) -> Void
    ) {
        onThread { [self] in
            let group = group(fresh)
            var failure: Diagnostic?
            do throws(InstanceGroup.Fault) {
                try group.create { !isWithdrawn }
                try group.start { !isWithdrawn }
            } catch { failure = diagnostic(error) }
            let hasBegun = state.withLock { state in
                guard failure == nil, !state.isWithdrawn else { return false }
                (state.started, state.hasBegun) = (fresh, true)
                return true
            }
            guard !hasBegun else { return done(true) }
            undoing(failure)
            end(group) { done(false) }
        }
    }

    /// Stops and frees what `begin` has started, as the run does not begin.
    func undo() {
        let started = state.withLock { state in
            defer { state.started = [] }
            return state.started
        }
        onThread { [self] in end(group(started)) {} }
    }

    private func group(_ seats: [InstanceSeat]) -> InstanceGroup {
        InstanceGroup(members: seats.map { .init(seat: $0, instance: $0.instance) }, life: self)
    }

    /// Stops what is started, and frees all once their plugins run nothing on threads of the host.
    private func end(_ group: InstanceGroup, _ done: @escaping @Sendable () -> Void) {
        group.stop()
        whenIdle(Self.busy(group.members.map(\.instance.image))[...]) {
            group.destroy()
            done()
        }
    }

    /// The libraries that run something on threads of the host. The others are not kept by who waits for these.
    private static func busy(_ images: [PluginImage]) -> [PluginImage] { images.filter { $0.workCount > 0 } }

    /// What is not made or started yet will not be: `begin` undoes what it did.
    func withdraw() { state.withLock { $0.isWithdrawn = true } }

    /// The instances of a run go on in this one, whose own are started: that one has nothing to do with them any more. No loop is in a
    /// step.
    func takePlace(of other: PluginLife) {
        let goingOn = instances.goingOn
        other.state.withLock { state in
            state.started.removeAll { seat in goingOn.contains { $0 === seat } }
        }
        instances.takePlace()
        state.withLock { ($0.started, $0.hasBegun) = (seats, true) }
    }

    /// The instances that effects of feedbacks are called for.
    func seats(of feedbacks: [(loop: Int, feedback: String)]) -> [InstanceSeat] {
        feedbacks.compactMap { loop, name in users[loop]?[name] }
    }

    /// Stops the instances, waits for what their plugins run on threads of the host, and frees them, in reverse order.
    ///
    /// - Parameters:
    ///   - busy: feedbacks whose effects still run, by loop and name: the instances that these may use are left as they are.
    ///   - alsoUsed: instances that effects of a run before may use.
    ///   - done: told at the end, on a thread of its own.
    func end(
        leaving busy: [(loop: Int, feedback: String)], _ alsoUsed: [InstanceSeat] = [],
        _ done: @escaping @Sendable () -> Void
    ) {
        let used = seats(of: busy) + alsoUsed
        let body = { @Sendable [self] in
            let seats = state.withLock { state in
                defer { state.started = [] }
                return state.started.filter { seat in !used.contains { $0 === seat } }
            }
            let group = group(seats)
            group.stop()
            whenIdle(Self.busy(images().map(\.image))[...]) { [self] in
                for seat in seats.reversed() {
                    self.group([seat]).destroy()
                    guard let kept = seat.keep(nil)?.occupant.instance else { continue }
                    InstanceGroup(members: [.init(seat: seat, instance: kept)], life: self).destroy()
                }
                done()
            }
        }
        let waits = state.withLock { state in
            if state.isExchanging { state.afterExchange = { [self] in onThread(body) } }
            return state.isExchanging
        }
        if !waits { onThread(body) }
    }

    // MARK: - While others sit down

    /// Whether instances may be exchanged.
    enum ExchangeStart {
        case begun
        /// A function of an earlier exchange has not returned yet.
        case busy
        /// None is started yet.
        case notBegun
        /// They are stopped, or are about to be.
        case ended
    }

    /// Begins to exchange instances: until `endExchange` none is stopped or freed by the end of the run.
    func beginExchange() -> ExchangeStart {
        state.withLock { state in
            if state.isExchanging { return .busy }
            guard state.hasBegun else { return .notBegun }
            guard !state.started.isEmpty, !state.isWithdrawn else { return .ended }
            state.isExchanging = true
            return .begun
        }
    }

    /// The instances that sit there now are those that the end stops and frees.
    func endExchange() {
        let end = state.withLock { state in
            state.isExchanging = false
            defer { state.afterExchange = nil }
            return state.afterExchange
        }
        end?()
    }

    /// Whether an exchange is under way, perhaps in a function that does not return.
    var isExchanging: Bool { state.withLock { $0.isExchanging } }

    /// The function that has been called for the longest time, for people; nil: none is.
    var calling: String? { state.withLock { state in state.calls.min { $0.key < $1.key }?.value } }

    /// Calls a function of an instance, by whose name the end tells what it does not wait for.
    func calling<Result, Failure: Error>(
        _ function: String, _ seat: InstanceSeat, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let call = state.withLock { state in
            state.lastCall += 1
            state.calls[state.lastCall] = "\(function) of \(seat.name)"
            return state.lastCall
        }
        defer { state.withLock { $0.calls[call] = nil } }
        return try body()
    }

    private var isWithdrawn: Bool { state.withLock { $0.isWithdrawn } }

    private func diagnostic(_ fault: InstanceGroup.Fault) -> Diagnostic {
        let (error, seat) = (fault.error, fault.seat)
        return Diagnostic(
            .error, error.code, error.message, at: places[seat.plugin],
            notes: seat.loop.map { ["in the instance of loop `\(loops[$0])`"] } ?? [], help: error.help)
    }

    /// Goes on when no plugin runs anything on a thread of the host any more. One after the other: each that is idle stays so,
    /// as nothing of it is called any more but effects that were left behind, whose instances are left as they are too.
    private func whenIdle(_ images: ArraySlice<PluginImage>, _ body: @escaping @Sendable () -> Void) {
        // A host that has swapped for long has thousands of images: not one within the other.
        guard let busy = images.firstIndex(where: { $0.workCount > 0 }) else { return body() }
        images[busy].whenIdle { [self] in whenIdle(images[(busy + 1)...], body) }
    }

    private func onThread(_ body: @escaping @Sendable () -> Void) {
        // Without a thread to spare it happens here.
        if !HostThread.start(body) { body() }
    }
}
