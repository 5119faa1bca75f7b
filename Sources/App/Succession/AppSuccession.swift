import Diagnostics
import HostLoop
import Manifest
import PluginHost
import Records

/// Has a run of an app take the place of a run of another one: with the states of its loops, the events that wait, the effects that run,
/// and the instances of plugins, as far as the manifests say the same of them. Used once, on a thread that may wait.
struct AppSuccession {
    private let manifest: Manifest
    private let run: AppRun
    private let plugins: PluginSet
    private let newManifest: Manifest
    private let newRun: AppRun
    private let newPlugins: PluginSet
    /// How long loops may take to reach the end of their step, and instances to be made and started.
    private let limit: Duration

    init(from app: App, _ run: AppRun, to newApp: App, _ newRun: AppRun, within limit: Duration) {
        (manifest, plugins, self.run) = (app.manifest, app.plugins, run)
        (newManifest, newPlugins, self.newRun) = (newApp.manifest, newApp.plugins, newRun)
        self.limit = limit
    }

    /// Takes the place.
    ///
    /// - Throws: all that is in the way; nothing has changed then.
    func perform(_ willGoOn: () -> Void) throws(AppRefusal) {
        guard let parts = run.beginHandOver() else {
            throw AppRefusal(Diagnostic(.notRunning, "the app has not begun, or has ended"))
        }
        var (resting, places): ([Int], [Int: LoopPlace]) = ([], [:])
        let message = EventCarry.messages(
            from: manifest.gears, to: newManifest.gears, keepsAddresses: keepsAddresses)
        do throws(AppRefusal) {
            try Change.perform([
                Change.Step { () throws(AppRefusal) in
                    if run.life.isExchanging { throw AppRefusal(.busy(run.life.calling)) }
                },
                Change.Step(beginInstances) {
                    newRun.life.undo()
                    return []
                },
                Change.Step { () throws(AppRefusal) in resting = try rest(parts.loops) } undo: {
                    for index in resting { parts.loops[index].unpark() }
                    return []
                },
                Change.Step { () throws(AppRefusal) in
                    // A run that has ended meanwhile has no successor.
                    if run.isEnding { throw AppRefusal(Diagnostic(.notRunning, "the app is ending")) }
                    places = try self.places(parts, message)
                },
            ])
        } catch {
            run.keepOn()
            throw error
        }
        willGoOn()
        newRun.gears.takePlace(of: run.gears, gears(places), keepsAddresses: keepsAddresses, message)
        plugins.leave(to: newPlugins)
        let kept = Set(places.values.map(\.assembly.index))
        newRun.takePlace(
            of: run, places, leaving: resting.filter { !kept.contains($0) }.map { parts.loops[$0] },
            within: limit)
    }

    /// Makes and starts the instances that only the other run has.
    private func beginInstances() throws(AppRefusal) {
        let failure = Lock<Diagnostic?>(nil)
        let areStarted = Deadline(after: limit).wait { answer in
            newRun.life.begin(undoing: { reason in failure.withLock { $0 = reason } }, answer)
        }
        switch areStarted {
        case true?: return
        case false?:
            throw AppRefusal(failure.withLock { $0 } ?? Diagnostic(.notRunning, "the app stops"))
        case nil:
            let late = newRun.life.calling ?? "create"
            newRun.life.withdraw()
            // Those that were started just now are stopped.
            newRun.life.undo()
            throw AppRefusal(.late(late, limit))
        }
    }

    /// Has all loops rest that have not stopped; their indices.
    ///
    /// - Throws: when one does not reach the end of its step; none rests then.
    private func rest(_ loops: [Loop<Record, AppEvent>]) throws(AppRefusal) -> [Int] {
        let parked = Lock<(loops: Set<Int>, isLate: Bool)>(([], false))
        let held = Deadline(after: limit).waitForAll(Array(loops.indices)) { index, done in
            let runs = loops[index].park { rests in
                let isLate = parked.withLock { parked in
                    if rests, !parked.isLate { parked.loops.insert(index) }
                    return parked.isLate
                }
                // Nobody waits for it any more.
                if rests, isLate { loops[index].unpark() }
                done()
            }
            if !runs { done() }
        }
        let resting = parked.withLock { parked in
            parked.isLate = true
            return parked.loops.sorted()
        }
        guard let held = held.first else { return resting }
        for index in resting { loops[index].unpark() }
        throw AppRefusal(.held(manifest.loops[held].name, limit))
    }

    /// Where the loops of the other run go on, by their indices.
    private func places(
        _ parts: AppRun.Parts, _ message: @escaping @Sendable (AppMessage) -> AppMessage?
    ) throws(AppRefusal) -> [Int: LoopPlace] {
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
