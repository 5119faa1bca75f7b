import Diagnostics
import Dispatch
import HostLoop
import Manifest
import PluginHost
import Records

/// Has a run of an app go on where a run of another one is: with the states of its loops, the events that wait, the effects that run,
/// and the instances of plugins, as far as the manifests say the same of them. Used once, on a thread that may wait.
struct AppSuccession {
    let manifest: Manifest
    let run: AppRun
    let plugins: PluginSet
    let newManifest: Manifest
    let newRun: AppRun
    let newPlugins: PluginSet
    /// How long loops may take to come to the end of their step, and instances to be made and started.
    let limit: Duration

    /// What is in the way; nothing has changed then. Empty when the other run goes on.
    func perform(_ willGoOn: () -> Void) -> [Diagnostic] {
        guard let parts = run.beginHandOver() else {
            return [.notSwapped("the app has not begun, or has ended")]
        }
        guard !run.life.isExchanging else {
            run.keepOn()
            return [.notSwapped("`\(run.life.calling ?? "a function")` of the last swap has not returned")]
        }
        if let failure = beginInstances() {
            run.keepOn()
            return [failure]
        }
        let (resting, held) = rest(parts.loops)
        do throws(Refusal) {
            if let held { throw Refusal(diagnostics: [.held(manifest.loops[held].name, limit)]) }
            // What has ended meanwhile does not go on.
            guard !run.isEnding else { throw Refusal(diagnostics: [.notSwapped("the app is ending")]) }
            let message = EventCarry.messages(
                from: manifest.gears, to: newManifest.gears, keepsAddresses: keepsAddresses)
            let places = try places(parts, message)
            willGoOn()
            newRun.gears.takePlace(of: run.gears, gears(places), message)
            plugins.leave(to: newPlugins)
            let kept = Set(places.values.map(\.assembly.index))
            newRun.takePlace(
                of: run, places, leaving: resting.filter { !kept.contains($0) }.map { parts.loops[$0] },
                within: limit)
            return []
        } catch {
            for index in resting { parts.loops[index].unpark() }
            newRun.life.undo()
            run.keepOn()
            return error.diagnostics
        }
    }

    private typealias Refusal = StateCarry.Refusal

    /// Makes and starts the instances that only the other run has.
    private func beginInstances() -> Diagnostic? {
        let began = DispatchSemaphore(value: 0)
        let failure = Lock<Diagnostic?>(nil)
        newRun.life.begin(undoing: { reason in failure.withLock { $0 = reason } }) { areStarted in
            if !areStarted { failure.withLock { $0 = $0 ?? .notSwapped("the app stops") } }
            began.signal()
        }
        guard began.wait(timeout: .now() + limit / .seconds(1)) == .success else {
            let late = newRun.life.calling ?? "create"
            newRun.life.withdraw()
            // Those that were started just now are stopped.
            newRun.life.undo()
            return .late(late, limit)
        }
        return failure.withLock { $0 }
    }

    /// Has all loops rest that have not stopped: which do, and one that does not come to the end of its step.
    private func rest(_ loops: [Loop<Record, AppEvent>]) -> (resting: [Int], held: Int?) {
        let deadline = DispatchTime.now() + limit / .seconds(1)
        let told = Lock<(resting: Set<Int>, isLate: Bool)>(([], false))
        let waits = loops.enumerated().map { index, loop -> DispatchGroup in
            let group = DispatchGroup()
            group.enter()
            let runs = loop.park { rests in
                let isLate = told.withLock { told in
                    if rests, !told.isLate { told.resting.insert(index) }
                    return told.isLate
                }
                // Nobody waits for it any more.
                if rests, isLate { loop.unpark() }
                group.leave()
            }
            if !runs { group.leave() }
            return group
        }
        let held = waits.firstIndex { $0.wait(timeout: deadline) == .timedOut }
        let resting = told.withLock { told in
            told.isLate = true
            return told.resting
        }
        return (resting.sorted(), held)
    }

    /// Where the loops of the other run go on, by their indices.
    private func places(
        _ parts: AppRun.Parts, _ message: @escaping @Sendable (AppMessage) -> AppMessage?
    ) throws(Refusal) -> [Int: LoopPlace] {
        let keepsAddresses = keepsAddresses
        let carry = StateCarry(from: manifest, to: newManifest, keepsAddresses: keepsAddresses)
        let states = try carry.states(parts.loops.map(\.state))
        var places: [Int: LoopPlace] = [:]
        for index in newManifest.loops.indices {
            let name = newManifest.loops[index].name
            guard let before = manifest.loops.firstIndex(where: { $0.name == name }) else { continue }
            places[index] = LoopPlace(
                loop: parts.loops[before], assembly: parts.assemblies[before], state: states[index],
                keepsAddresses: keepsAddresses, message: message)
        }
        return places
    }

    /// Whether all libraries go on, so that addresses mean what they did.
    private var keepsAddresses: Bool {
        let images = newPlugins.images
        return plugins.images.allSatisfy { image in images.contains { $0 === image } }
    }

    /// The gears of loops that go on.
    private func gears(_ places: [Int: LoopPlace]) -> [AppGears.Place] {
        places.sorted { $0.key < $1.key }.flatMap { index, place in
            Set(newManifest.loops[index].receives.map(\.gear)).sorted().compactMap { gear in
                let (name, loop) = (newManifest.gears[gear].name, place.assembly)
                guard let before = manifest.gears.firstIndex(where: { $0.name == name }),
                    loop.model.receives.contains(where: { $0.gear == before })
                else { return nil }
                return AppGears.Place(loop: index, gear: gear, before: (loop.index, before))
            }
        }
    }
}
