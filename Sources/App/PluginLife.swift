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
        /// What is being called, for people: `stop of sensor`.
        var calling: String?
        var isWithdrawn = false
        /// The members that are made and started, in order.
        var started: [InstanceSet.Member] = []
    }

    private let members: [InstanceSet.Member]
    /// All libraries by now: what they run on threads of the host is waited for.
    private let images: @Sendable () -> [(name: String, image: PluginImage)]
    private let places: [Int: SourceSpan]
    private let loops: [String]
    /// By loop and feedback, the instance that its effect is called for.
    private let users: [Int: [String: PluginInstance]]
    private let state = Lock(State())

    init(
        _ instances: InstanceSet, images: @escaping @Sendable () -> [(name: String, image: PluginImage)],
        of manifest: Manifest
    ) {
        (members, self.images, loops) = (instances.members, images, manifest.loops.map(\.name))
        users = Dictionary(
            uniqueKeysWithValues: manifest.loops.enumerated().map { index, loop in
                let own = loop.feedbacks.compactMap { feedback in
                    feedback.effect.flatMap { instances.member(for: $0, loop: index) }.map {
                        (feedback.name, $0.instance)
                    }
                }
                return (index, Dictionary(uniqueKeysWithValues: own))
            })
        places = Dictionary(
            uniqueKeysWithValues: manifest.plugins.enumerated().map { ($0.offset, $0.element.librarySpan) })
    }

    /// Whether there is nothing to make or start.
    var isEmpty: Bool { members.isEmpty }

    /// Whether nothing is to be stopped, and nothing runs.
    var hasEnded: Bool {
        state.withLock { $0.started.isEmpty } && images().allSatisfy { $0.image.workCount == 0 }
    }

    /// What did not return yet: functions of instances, and plugins with functions on threads of the host.
    var running: [String] {
        let calling = state.withLock { $0.calling }
        return (calling.map { [$0] } ?? [])
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
            var made: [InstanceSet.Member] = []
            var started: [InstanceSet.Member] = []
            var failure: Diagnostic?
            do throws(Diagnostic) {
                for member in members where !isWithdrawn {
                    try attempt("create", member) { instance throws(PluginError) in try instance.create() }
                    made.append(member)
                }
                for member in members where !isWithdrawn {
                    try attempt("start", member) { instance throws(PluginError) in try instance.start() }
                    started.append(member)
                }
            } catch { failure = error }
            guard failure != nil || isWithdrawn else {
                state.withLock { $0.started = started }
                return done(true)
            }
            undoing(failure)
            stop(started)
            whenIdle(images().map(\.image)[...]) { [self, made] in
                free(made)
                done(false)
            }
        }
    }

    /// What is not made or started yet will not be: `begin` undoes what it did.
    func withdraw() { state.withLock { $0.isWithdrawn = true } }

    /// Stops the instances, waits for what their plugins run on threads of the host, and frees them, in reverse order.
    ///
    /// - Parameters:
    ///   - busy: feedbacks whose effects still run, by loop and name: the instances that these may use are left as they are.
    ///   - done: told at the end, on a thread of its own.
    func end(leaving busy: [(loop: Int, feedback: String)], _ done: @escaping @Sendable () -> Void) {
        let used = busy.compactMap { loop, name in users[loop]?[name] }
        let members = state.withLock { state in
            defer { state.started = [] }
            return state.started.filter { member in !used.contains { $0 === member.instance } }
        }
        onThread { [self] in
            stop(members)
            whenIdle(images().map(\.image)[...]) { [self] in
                free(members)
                done()
            }
        }
    }

    private var isWithdrawn: Bool { state.withLock { $0.isWithdrawn } }

    private func stop(_ members: [InstanceSet.Member]) {
        for member in members.reversed() { call("stop", member) { $0.stop() } }
    }

    private func free(_ members: [InstanceSet.Member]) {
        for member in members.reversed() { call("destroy", member) { $0.destroy() } }
    }

    private func call(_ function: String, _ member: InstanceSet.Member, _ body: (PluginInstance) -> Void) {
        state.withLock { $0.calling = "\(function) of \(member.name)" }
        body(member.instance)
        state.withLock { $0.calling = nil }
    }

    private func attempt(
        _ function: String, _ member: InstanceSet.Member, _ body: (PluginInstance) throws(PluginError) -> Void
    ) throws(Diagnostic) {
        state.withLock { $0.calling = "\(function) of \(member.name)" }
        defer { state.withLock { $0.calling = nil } }
        do throws(PluginError) { try body(member.instance) } catch {
            throw Diagnostic(
                .error, error.code, error.message, at: places[member.plugin],
                notes: member.loop.map { ["in the instance of loop `\(loops[$0])`"] } ?? [], help: error.help)
        }
    }

    /// Goes on when no plugin runs anything on a thread of the host any more. One after the other: each that is idle stays so,
    /// as nothing of it is called any more but effects that were left behind, whose instances are left as they are too.
    private func whenIdle(_ images: ArraySlice<PluginImage>, _ body: @escaping @Sendable () -> Void) {
        guard let image = images.first else { return body() }
        image.whenIdle { [self] in whenIdle(images.dropFirst(), body) }
    }

    private func onThread(_ body: @escaping @Sendable () -> Void) {
        // Without a thread to spare it happens here.
        if !HostThread.start(body) { body() }
    }
}
