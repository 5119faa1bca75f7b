import Diagnostics
import HostLoop
import Interfaces
import Manifest
import PluginHost

/// Reports the plugin and the call that hold a loop beyond a deadline.
///
/// It costs the loops nothing: twice in each deadline, it looks at the calls that all threads of the process
/// are in.
public final class Watchdog: Sendable {
    /// How long a call on a loop's executor may last before the watchdog reports it.
    public static let deadline: Duration = .seconds(1)
    /// The time between two looks.
    public static let interval: Duration = .milliseconds(500)

    private let run: AppRun
    private let manifest: Manifest
    private let plugins: PluginSet
    private let clock: any LoopClock
    private let observer: (any AppObserver)?
    private let log: @Sendable (PluginLogLine) -> Void
    private let watch = Lock(CallWatch(deadline: deadline))
    private let looked: (@Sendable (_ isHeld: Bool) -> Void)?
    private let ticker = Ticker("spinhost.watchdog", every: interval)

    init(
        _ run: AppRun, manifest: Manifest, plugins: PluginSet, clock: any LoopClock,
        observer: (any AppObserver)?, log: @escaping @Sendable (PluginLogLine) -> Void,
        looked: (@Sendable (_ isHeld: Bool) -> Void)?
    ) {
        self.looked = looked
        (self.run, self.manifest, self.plugins) = (run, manifest, plugins)
        (self.clock, self.observer, self.log) = (clock, observer, log)
    }

    /// Looks twice in each deadline from now on, on a thread of the system, until `stop`.
    public func start() {
        ticker.start { [weak self] in self?.look() }
    }

    /// Ends the watch.
    public func stop() { ticker.stop() }

    /// Looks once, and reports each call that has lasted too long.
    public func look() { look(RunningCall.all()) }

    func look(_ calls: [RunningCall]) {
        let now = clock.now
        let (overdue, lasting) = watch.withLock { watch in (watch.look(calls, at: now), watch.lasting) }
        for overdue in overdue { report(overdue) }
        looked?(lasting.contains(where: holdsLoop))
    }

    private func holdsLoop(_ call: RunningCall) -> Bool {
        guard call.role == .effect || call.role == .reducer,
            let image = plugins.images.first(where: { call.isOf($0) })
        else { return false }
        return !holders(call, image).isEmpty
    }

    private func report(_ overdue: CallWatch.Overdue) {
        let call = overdue.call
        guard let image = plugins.images.first(where: { call.isOf($0) }) else { return }
        let time = "\(overdue.lasted.components.seconds) s"
        let holders = [.effect, .reducer].contains(call.role) ? holders(call, image) : []
        // These calls may last long: work, functions of instances, and effects that hold no loop.
        let mayLast = call.role == .work || call.role == .life || call.role == .effect && holders.isEmpty
        if !mayLast { image.failProbation("\(call.what) had not returned after \(time)") }
        switch call.role {
        case .effect, .reducer:
            for holder in holders {
                let what = "\(call.what) has held loop `\(holder.loop)` for \(time)"
                write(image, "\(what), in \(holder.part)")
                observer?.held(
                    AppFault(
                        loop: holder.loop, step: run.step(ofLoop: holder.index), part: holder.part,
                        diagnostic: Diagnostic(
                            .warning, .heldLoop, "\(what): nothing else happens in it meanwhile",
                            at: holder.place,
                            help: [holder.advice])))
            }
        case .timer:
            write(
                image,
                "\(call.what) has run for \(time) and holds up the timers of plugins: it must not block")
        case .work: break
        case .life, .other: write(image, "\(call.what) has run for \(time): it must return soon")
        }
    }

    private func write(_ image: PluginImage, _ text: String) {
        log(
            PluginLogLine(
                plugin: image.id, version: image.description?.version ?? "",
                call: nil, level: 1, text: text))
    }

    private struct Holder {
        let index: Int
        let loop: String
        let part: String
        let place: SourceSpan
        var takesInstance = false

        var advice: String {
            let elsewhere =
                takesInstance
                ? "give the plugin `instance = \"app\"`" : "give the feedback another `executor`"
            return elsewhere + ", or let the effect take `spin_call *` and emit later"
        }
    }

    /// The loops that wait for the call.
    private func holders(_ call: RunningCall, _ image: PluginImage) -> [Holder] {
        manifest.loops.enumerated().flatMap { index, loop -> [Holder] in
            if call.role == .reducer {
                guard let reducer = loop.reducer, reducer.description.name == call.name,
                    plugins.provides(.plugin(reducer.plugin), image)
                else { return [] }
                return [Holder(index: index, loop: loop.name, part: "reducer", place: reducer.span)]
            }
            let running = run.running(inLoop: index)
            return loop.feedbacks.compactMap { feedback in
                guard let effect = feedback.effect, effect.name == call.name, feedback.executor == .loop,
                    running.contains(feedback.name), plugins.provides(effect.provider, image),
                    !isShared(effect)
                else { return nil }
                return Holder(
                    index: index, loop: loop.name, part: "feedback:\(feedback.name)", place: effect.span,
                    takesInstance: effect.takesInstance)
            }
        }
    }

    /// Whether the effect's instance is shared by all loops. Such a call holds no loop.
    private func isShared(_ effect: EffectReference) -> Bool {
        guard effect.takesInstance, case .plugin(let index) = effect.provider else { return false }
        return manifest.plugins[index].instance == .app
    }
}

extension DiagnosticCode {
    /// R122: a call on a loop's executor does not return.
    static let heldLoop = DiagnosticCode("R122")
}
