import Diagnostics
import HostLoop
import Interfaces
import Manifest
import PluginHost

/// The loaded plugins of an app, and their earlier versions that are still in use. May be used from any
/// thread.
final class PluginSet: Sendable {
    private struct State {
        var current: [EffectReference.Provider: PluginVersion] = [:]
        /// All loaded libraries that are still in use, in order: calls of earlier versions may still run.
        var versions: [Version] = []
        /// The folders of earlier sets, from which workers may load their libraries again.
        var inherited: [StagingDirectory] = []
        /// Another set closes the folder of this one.
        var isInherited = false
        /// Whether this set closes the folder of workers, which all sets of a run share.
        var ownsWorkers: Bool
        /// Why the host does not try a library again, by its hash.
        var rejected: [String: String] = [:]

        mutating func add(_ image: PluginImage, for provider: EffectReference.Provider) {
            versions.removeAll { $0.image == nil }
            versions.append(Version(provider: provider, image: image))
        }
    }

    private struct Version {
        let provider: EffectReference.Provider
        /// Every caller of the library keeps the image alive.
        weak var image: PluginImage?
    }

    let services: HostServices
    let workers: WorkerSet
    let manifest: Manifest
    let staging: StagingDirectory
    private let state: Lock<State>

    /// Loads the libraries that the loops of the manifest call.
    ///
    /// - Parameters:
    ///   - providers: the only ones to load; nil for all.
    ///   - workerProgram: is started for plugins with `isolation = "process"`; nil: such plugins are refused.
    ///   - profile: as for `WorkerSet`.
    ///   - other: the plugins of the app before, in a succession. Unchanged libraries are shared, with their
    ///     instances and open pointers, and so are the services. Newly loaded libraries are retired until
    ///     `leave(to:)`.
    ///   - renewed: the names of plugins whose libraries are loaded again, with new instances.
    ///   - trial: tries the newly loaded libraries.
    init(
        _ manifest: Manifest, providing providers: [EffectReference.Provider]? = nil,
        services: HostServices, workerProgram: String? = nil, profile: SandboxProfile? = nil,
        succeeding other: PluginSet? = nil, renewed: Set<String> = [], trial: App.Trial? = nil
    ) throws(AppRefusal) {
        (self.manifest, self.services) = (manifest, other?.services ?? services)
        workers = other?.workers ?? WorkerSet(workerProgram, profile: profile, services: self.services)
        do {
            staging = try StagingDirectory(
                allowing: manifest.allowedLibraries, sweeping: StagingDirectory.meanwhile)
        } catch {
            throw AppRefusal(error)
        }
        var state = State(
            ownsWorkers: other == nil, rejected: other?.state.withLock { $0.rejected } ?? [:])
        var diagnostics: [Diagnostic] = []
        var seen: Set<EffectReference.Provider> = []
        let called =
            manifest.loops.flatMap(\.calledEffects).map(\.provider)
            + manifest.loops.compactMap(\.reducer).map { EffectReference.Provider.plugin($0.plugin) }
        for provider in providers ?? called where seen.insert(provider).inserted {
            if let (same, versions) = other?.same(as: provider, of: manifest, but: renewed) {
                do throws(AppRefusal) {
                    state.current[provider] = try PluginVersion(
                        provider, of: manifest, staging: staging, services: self.services,
                        workers: workers, succeeding: same)
                    for image in versions { state.add(image, for: provider) }
                    continue
                } catch {
                    // The loaded library lacks a function that the manifest calls, but the file may have it
                    // now.
                }
            }
            do throws(AppRefusal) {
                let plugin: PluginVersion
                if let other, case .plugin(let index) = provider {
                    plugin = try other.loadBeside(index, of: manifest, staging: staging, trial: trial)
                } else {
                    plugin = try PluginVersion(
                        first: provider, of: manifest, staging: staging, services: self.services,
                        workers: workers, trial: trial)
                }
                state.current[provider] = plugin
                state.add(plugin.image, for: provider)
            } catch {
                diagnostics += error.diagnostics
            }
        }
        self.state = Lock(state)
        guard diagnostics.isEmpty else {
            staging.close()
            throw AppRefusal(diagnostics)
        }
    }

    /// The loaded plugin for a provider of another manifest, and all its versions; nil if the two manifests
    /// declare it differently. A changed file does not matter here: a swap loads it, and has the instances
    /// hand over. Changed settings do not matter if its instances can take them over.
    private func same(
        as provider: EffectReference.Provider, of other: Manifest, but renewed: Set<String>
    ) -> (plugin: PluginVersion, versions: [PluginImage])? {
        var own = provider
        if case .plugin(let index) = provider {
            let model = other.plugins[index]
            // Other rules are for all that a plugin brings along, so it is staged again.
            guard !renewed.contains(model.name), manifest.allowedLibraries == other.allowedLibraries,
                let known = manifest.plugins.firstIndex(where: { $0.isLoaded(like: model) }),
                manifest.plugins[known].config == model.config
                    || plugin(.plugin(known))?.takesChangedSettings(of: model) == true
            else { return nil }
            own = .plugin(known)
        }
        guard let plugin = plugin(own), plugin.image.probation == nil, !plugin.image.isQuarantined else {
            return nil
        }
        return (plugin, state.withLock { $0.versions.filter { $0.provider == own }.compactMap(\.image) })
    }

    /// Leaves the shared libraries to the set of the next app, and retires the others.
    func leave(to other: PluginSet) {
        let images = other.images
        for plugin in other.state.withLock({ Array($0.current.values) }) { plugin.image.revive() }
        if images.contains(where: { $0.remote != nil }) { bequeath(to: other) }
        other.state.withLock { $0.ownsWorkers = true }
        state.withLock { state in
            state.ownsWorkers = false
            state.versions.removeAll { version in images.contains { $0 === version.image } }
        }
        retire(allBut: other)
    }

    /// Leaves the folders of copies, because a worker that is started again loads its library from there.
    private func bequeath(to other: PluginSet) {
        let folders = state.withLock { state in
            state.isInherited = true
            defer { state.inherited = [] }
            return state.inherited + [staging]
        }
        other.state.withLock { $0.inherited += folders }
    }

    /// Retires the libraries that another set does not have.
    private func retire(allBut other: PluginSet) {
        let images = other.images
        for plugin in state.withLock({ Array($0.current.values) }) where plugin.image.hash != nil {
            if !images.contains(where: { $0 === plugin.image }) { plugin.image.retire() }
        }
    }

    /// Makes this the current version of a plugin. The version before is unmapped when nothing refers to it
    /// any more.
    func install(_ loaded: PluginVersion, as plugin: Int) {
        loaded.image.revive()
        loaded.image.openTables()
        let before = state.withLock { $0.current.updateValue(loaded, forKey: .plugin(plugin)) }
        if let before, before.image !== loaded.image { before.image.retire() }
    }

    /// Adds a library that may be called from now on.
    func add(_ image: PluginImage, for provider: EffectReference.Provider) {
        state.withLock { $0.add(image, for: provider) }
    }

    /// Has the host not try a library with this content again.
    func reject(_ image: PluginImage, because reason: String) {
        if let hash = image.hash { state.withLock { $0.rejected[hash] = reason } }
    }

    /// Why the host does not try a library with this hash again; nil if it was not rejected.
    func rejection(ofHash hash: String) -> String? { state.withLock { $0.rejected[hash] } }

    /// The current version of a provider; nil when no loop calls it.
    func plugin(_ provider: EffectReference.Provider) -> PluginVersion? {
        state.withLock { $0.current[provider] }
    }

    /// The instances for one run.
    ///
    /// - Parameter slots: the instances of the run before, in a succession.
    func makeInstances(succeeding slots: [InstanceSlot]) -> InstanceSet {
        let having = manifest.plugins.indices.compactMap { index in
            plugin(.plugin(index)).flatMap { $0.instances == nil ? nil : (index, $0) }
        }
        return InstanceSet(manifest, Dictionary(uniqueKeysWithValues: having), succeeding: slots)
    }

    /// Makes, starts, stops and frees the instances of a run.
    func life(_ instances: InstanceSet) -> PluginLife {
        PluginLife(instances, images: { [self] in namedImages }, of: manifest)
    }

    var namedImages: [(name: String, image: PluginImage)] {
        state.withLock(\.versions).compactMap { version in
            guard case .plugin(let index) = version.provider, let image = version.image else { return nil }
            return (manifest.plugins[index].name, image)
        }
    }

    /// The interface of a loop's native reducer.
    func reducer(_ reference: ReducerReference) -> ReducerInterface {
        required(.plugin(reference.plugin)).interface(of: reference)
    }

    /// The source that calls of an effect are made with.
    ///
    /// - Parameter slot: the instance that the effect is called for; nil if it takes none.
    func source(of effect: EffectReference, for slot: InstanceSlot?) -> EffectSource {
        EffectSource(effect, required(effect.provider), services: services, slot: slot)
    }

    private func required(_ provider: EffectReference.Provider) -> PluginVersion {
        guard let plugin = plugin(provider) else { preconditionFailure("every used plugin is loaded") }
        return plugin
    }

    /// The open pointers, one table for each plugin that closes them.
    var handles: [OpenHandles] { state.withLock { $0.current.values.compactMap(\.handles) } }

    /// All loaded libraries that are still in use.
    var images: [PluginImage] { state.withLock { $0.versions.compactMap(\.image) } }

    /// Whether a library is a version of a provider, current or earlier.
    func provides(_ provider: EffectReference.Provider, _ image: PluginImage) -> Bool {
        state.withLock { $0.versions.contains { $0.provider == provider && $0.image === image } }
    }

    /// Removes the copies of the libraries, unless another set has them now.
    func close() {
        let (folders, ownsWorkers) = state.withLock { state in
            defer { state.inherited = [] }
            return (state.inherited + (state.isInherited ? [] : [staging]), state.ownsWorkers)
        }
        for folder in folders { folder.close() }
        if ownsWorkers { workers.close() }
    }
}

extension PluginModel {
    /// Whether the library of one serves the other. Both manifests must say the same of it, except for settings.
    fileprivate func isLoaded(like other: PluginModel) -> Bool {
        name == other.name && declared == other.declared && location == other.location
            && declarationsText?.text == other.declarationsText?.text && sandbox == other.sandbox
    }
}
