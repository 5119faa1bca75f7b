import Diagnostics
import HostLoop
import Journal
import Manifest
import PluginHost
import Records

/// Has the run of a new app take the place of another app's run.
///
/// The states of loops, waiting events, running effects and plugin instances continue if both manifests
/// declare them in the same way. Use it once, on a thread that may block.
struct AppSuccession {
    private let manifest: Manifest
    private let run: AppRun
    private let plugins: PluginSet
    private let newManifest: Manifest
    private let newRun: AppRun
    private let newVersions: [Epoch.Plugin]
    private let newPlugins: PluginSet
    private let settings: SettingsChange
    /// How long loops may take to reach the end of their step, and instances to be made and started.
    private let limit: Duration

    init(
        from app: App, _ run: AppRun, to newApp: App, _ newRun: AppRun, _ settings: SettingsChange,
        within limit: Duration
    ) {
        (manifest, plugins, self.run) = (app.manifest, app.plugins, run)
        (newManifest, newPlugins, self.newRun) = (newApp.manifest, newApp.plugins, newRun)
        newVersions = newApp.journaledPlugins
        (self.settings, self.limit) = (settings, limit)
    }

    /// Performs the succession.
    ///
    /// - Throws: the reasons for a refusal; nothing has changed then.
    func perform(_ willSucceed: () -> Void) throws(AppRefusal) {
        guard let parts = run.beginSuccession() else {
            throw AppRefusal(Diagnostic(.notRunning, "the app has not begun, or has ended"))
        }
        var (resting, places): ([Int], [Int: LoopPredecessor]) = ([], [:])
        let message = EventCarry.messages(
            from: manifest.gears, to: newManifest.gears, addressesStayValid: addressesStayValid)
        do throws(AppRefusal) {
            try Change.perform([
                Change.Step { () throws(AppRefusal) in
                    if run.life.isExchanging { throw AppRefusal(.busy(run.life.calling), isTemporary: true) }
                },
                Change.Step(beginInstances) {
                    newRun.life.undo()
                    return []
                },
                Change.Step { () throws(AppRefusal) in
                    resting = try rest(parts)
                } undo: {
                    for index in resting { parts.unpark(index) }
                    return []
                },
                Change.Step { () throws(AppRefusal) in
                    // The run may have begun to end while the instances were started.
                    if run.isEnding { throw AppRefusal(Diagnostic(.notRunning, "the app is ending")) }
                    places = try self.places(parts, message)
                },
                // The last one, as an instance cannot be made to forget settings that it has accepted.
                settings.step,
            ])
        } catch {
            run.cancelSuccession()
            throw error
        }
        willSucceed()
        newRun.gears.succeed(run.gears, gears(places), addressesStayValid: addressesStayValid, message)
        plugins.leave(to: newPlugins)
        let kept = Set(places.values.map(\.assembly.index))
        newRun.succeed(
            run, places, within: limit,
            willBegin: {
                newRun.journal?.succeed(
                    parts.assemblies, resting: Set(resting), $0, places, with: newVersions, message: message)
            },
            leave: {
                // Where instances were, some may have to end.
                for index in resting where !kept.contains(index) || parts.kinds[index] != nil {
                    parts.unpark(index)
                }
            })
    }

    /// Makes and starts the instances that only the new run has.
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
            // Stops instances whose start was completed just after the deadline.
            newRun.life.undo()
            throw AppRefusal(.late(late, limit), isTemporary: true)
        }
    }

    /// Has all loops rest that have not stopped.
    ///
    /// - Returns: the indices of the resting loops.
    /// - Throws: a refusal when a loop does not reach the end of its step in time; no loop rests then.
    private func rest(_ parts: AppRun.Parts) throws(AppRefusal) -> [Int] {
        let parked = Lock<(loops: Set<Int>, isLate: Bool)>(([], false))
        let held = Deadline(after: limit).waitForAll(Array(parts.loops.indices)) { index, done in
            let runs = parts.park(index) { rests in
                let isLate = parked.withLock { parked in
                    if rests, !parked.isLate { parked.loops.insert(index) }
                    return parked.isLate
                }
                // The deadline is past, so the loop must continue. That of instances is undone below.
                if rests, isLate, parts.kinds[index] == nil { parts.unpark(index) }
                done()
            }
            if !runs { done() }
        }
        let resting = parked.withLock { parked in
            parked.isLate = true
            return parked.loops.sorted()
        }
        guard let held = held.first else { return resting }
        for index in Set(resting).union(parts.kinds.keys) { parts.unpark(index) }
        throw AppRefusal(.held(manifest.loops[held].name, limit), isTemporary: true)
    }

    /// For each loop of the new run that continues, by its index, the loop before.
    private func places(
        _ parts: AppRun.Parts, _ message: @escaping @Sendable (AppMessage) -> AppMessage?
    ) throws(AppRefusal) -> [Int: LoopPredecessor] {
        let addressesStayValid = addressesStayValid
        let carry = StateCarry(from: manifest, to: newManifest, addressesStayValid: addressesStayValid)
        let states = try carry.states(parts.loops.map(\.state))
        var places: [Int: LoopPredecessor] = [:]
        for index in newManifest.loops.indices {
            let name = newManifest.loops[index].name
            guard let before = manifest.loops.firstIndex(where: { $0.name == name }) else { continue }
            var instances: LoopKind.Predecessor?
            if let kind = parts.kinds[before] {
                let states = try carry.states(of: newManifest.loops[index], from: kind)
                instances = LoopKind.Predecessor(kind: kind, states: states)
            }
            places[index] = LoopPredecessor(
                loop: parts.loops[before], assembly: parts.assemblies[before], instances: instances,
                state: states[index],
                addressesStayValid: addressesStayValid, message: message)
        }
        return places
    }

    /// Whether all libraries stay loaded, so that addresses stay valid.
    private var addressesStayValid: Bool {
        let images = newPlugins.images
        return plugins.images.allSatisfy { image in images.contains { $0 === image } }
    }

    /// The gears of loops that continue.
    private func gears(_ places: [Int: LoopPredecessor]) -> [AppGears.Place] {
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
