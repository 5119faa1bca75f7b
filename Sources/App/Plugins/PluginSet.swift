import Diagnostics
import HostLoop
import Interfaces
import Manifest
import PluginHost

/// The plugins of an app, loaded, and the versions that they had before. May be used from any thread.
final class PluginSet: Sendable {
    private struct State {
        var current: [EffectReference.Provider: LoadedPlugin] = [:]
        /// Every library that was loaded and something refers to, in order: calls of earlier versions may still run.
        var versions: [Version] = []
        /// Why libraries are not tried again, by their hashes.
        var rejected: [String: String] = [:]

        mutating func add(_ image: PluginImage, for provider: EffectReference.Provider) {
            versions.removeAll { $0.image == nil }
            versions.append(Version(provider: provider, image: image))
        }
    }

    private struct Version {
        let provider: EffectReference.Provider
        /// Whoever may call it holds it.
        weak var image: PluginImage?
    }

    let services: HostServices
    let manifest: Manifest
    let staging: StagingDirectory
    private let state: Lock<State>

    /// Loads what the loops of the manifest call.
    ///
    /// - Parameters:
    ///   - other: what the app has loaded whose place is taken. Libraries that have not changed are shared, with their
    ///     instances and open pointers; this set has their services. What is loaded beside them is retired until
    ///     `leave` says that it stays.
    ///   - trial: tries what is loaded beside them.
    init(
        _ manifest: Manifest, services: HostServices, goingOnWith other: PluginSet? = nil,
        trial: App.Trial? = nil
    ) throws(AppRefusal) {
        (self.manifest, self.services) = (manifest, other?.services ?? services)
        do {
            staging = try StagingDirectory(sweeping: StagingDirectory.meanwhile)
        } catch {
            throw AppRefusal(error)
        }
        var state = State(rejected: other?.state.withLock { $0.rejected } ?? [:])
        var diagnostics: [Diagnostic] = []
        var seen: Set<EffectReference.Provider> = []
        let providers =
            manifest.loops.flatMap(\.calledEffects).map(\.provider)
            + manifest.loops.compactMap(\.reducer).map { EffectReference.Provider.plugin($0.plugin) }
        for provider in providers where seen.insert(provider).inserted {
            if let (same, versions) = other?.same(as: provider, of: manifest) {
                do throws(AppRefusal) {
                    state.current[provider] = try LoadedPlugin(
                        provider, of: manifest, staging: staging, services: self.services, goingOnWith: same)
                    for image in versions { state.add(image, for: provider) }
                    continue
                } catch {
                    // It does not have what the manifest asks for: then the file may.
                }
            }
            do throws(AppRefusal) {
                let plugin: LoadedPlugin
                if let other, case .plugin(let index) = provider {
                    plugin = try other.loadBeside(index, of: manifest, staging: staging, trial: trial)
                } else {
                    plugin = try LoadedPlugin(
                        provider, of: manifest, staging: staging, services: self.services)
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

    /// What is loaded for a provider of another manifest, if that says the same of it, and all its versions. A file that has changed is for
    /// a swap, which hands over what instances know.
    private func same(
        as provider: EffectReference.Provider, of other: Manifest
    ) -> (plugin: LoadedPlugin, versions: [PluginImage])? {
        var own = provider
        if case .plugin(let index) = provider {
            let model = other.plugins[index]
            guard let known = manifest.plugins.firstIndex(where: { $0.isLoaded(like: model) }) else {
                return nil
            }
            own = .plugin(known)
        }
        guard let plugin = plugin(own), plugin.image.probation == nil, !plugin.image.isQuarantined else {
            return nil
        }
        return (plugin, state.withLock { $0.versions.filter { $0.provider == own }.compactMap(\.image) })
    }

    /// Another set goes on with what both have, and with what it has loaded: this one has nothing to do with it any more, and lets go of the
    /// rest.
    func leave(to other: PluginSet) {
        let images = other.images
        for plugin in other.state.withLock({ Array($0.current.values) }) { plugin.image.revive() }
        state.withLock { state in
            state.versions.removeAll { version in images.contains { $0 === version.image } }
        }
        retire(allBut: other)
    }

    /// Lets go of libraries that another set does not have.
    private func retire(allBut other: PluginSet) {
        let images = other.images
        for plugin in state.withLock({ Array($0.current.values) }) where plugin.image.hash != nil {
            if !images.contains(where: { $0 === plugin.image }) { plugin.image.retire() }
        }
    }

    /// Makes this the version that runs begin with from now on; the one before goes when nothing refers to it any more.
    func install(_ loaded: LoadedPlugin, as plugin: Int) {
        loaded.image.revive()
        let before = state.withLock { $0.current.updateValue(loaded, forKey: .plugin(plugin)) }
        if let before, before.image !== loaded.image { before.image.retire() }
    }

    /// Calls of it may run from now on.
    func add(_ image: PluginImage, for provider: EffectReference.Provider) {
        state.withLock { $0.add(image, for: provider) }
    }

    /// A library with this content is not tried again.
    func reject(_ image: PluginImage, because reason: String) {
        if let hash = image.hash { state.withLock { $0.rejected[hash] = reason } }
    }

    /// Why a library with this hash is not tried again; nil: it was not rejected.
    func rejection(ofHash hash: String) -> String? { state.withLock { $0.rejected[hash] } }

    /// What is loaded for a provider now; nil when no loop calls anything of it.
    func plugin(_ provider: EffectReference.Provider) -> LoadedPlugin? {
        state.withLock { $0.current[provider] }
    }

    /// Instances for one run, none of them made yet but those of a run whose place it takes, of which the libraries go on.
    func makeInstances(goingOnWith seats: [InstanceSeat]) -> InstanceSet {
        let having = manifest.plugins.indices.compactMap { index in
            plugin(.plugin(index)).flatMap { $0.instances == nil ? nil : (index, $0) }
        }
        return InstanceSet(manifest, Dictionary(uniqueKeysWithValues: having), goingOnWith: seats)
    }

    /// What makes, starts, stops and frees the instances of a run.
    func life(_ instances: InstanceSet) -> PluginLife {
        PluginLife(instances, images: { [self] in namedImages }, of: manifest)
    }

    var namedImages: [(name: String, image: PluginImage)] {
        state.withLock(\.versions).compactMap { version in
            guard case .plugin(let index) = version.provider, let image = version.image else { return nil }
            return (manifest.plugins[index].name, image)
        }
    }

    /// How a loop's native reducer is called.
    func reducer(_ reference: ReducerReference) -> ReducerInterface {
        required(.plugin(reference.plugin)).interface(of: reference)
    }

    /// What calls of an effect are made with.
    ///
    /// - Parameter seat: where the instance sits that it is called for, if it takes one.
    func source(of effect: EffectReference, for seat: InstanceSeat?) -> EffectSource {
        EffectSource(effect, required(effect.provider), services: services, seat: seat)
    }

    private func required(_ provider: EffectReference.Provider) -> LoadedPlugin {
        guard let plugin = plugin(provider) else { preconditionFailure("every used plugin is loaded") }
        return plugin
    }

    /// What opened pointers are kept in, one for each plugin that closes them.
    var handles: [OpenHandles] { state.withLock { $0.current.values.compactMap(\.handles) } }

    /// Every library that is loaded and something refers to.
    var images: [PluginImage] { state.withLock { $0.versions.compactMap(\.image) } }

    /// Whether a library is, or was, that of a provider.
    func provides(_ provider: EffectReference.Provider, _ image: PluginImage) -> Bool {
        state.withLock { $0.versions.contains { $0.provider == provider && $0.image === image } }
    }

    func close() { staging.close() }
}

extension PluginModel {
    /// Whether a library that was loaded for one is what the other asks for: what the manifests say of both is the
    /// same, and so is what that means today.
    fileprivate func isLoaded(like other: PluginModel) -> Bool {
        name == other.name && declared == other.declared && location == other.location
            && config == other.config && declarationsText?.text == other.declarationsText?.text
    }
}
