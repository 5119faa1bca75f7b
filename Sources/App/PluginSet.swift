import Diagnostics
import Interfaces
import Manifest
import PluginHost
import StandardPlugin

/// The libraries of an app, loaded, and its calls, prepared.
final class PluginSet: Sendable {
    let services: HostServices
    /// What opened pointers are kept in, one for each plugin that closes them.
    let handles: [OpenHandles]
    private let staging: StagingDirectory
    private let imagesByProvider: [EffectReference.Provider: PluginImage]
    // By the place of `effect`, which is unique.
    private let interfaces: [SourceSpan: CallInterface]
    // By the plugin's index.
    private let instances: [Int: InstanceInterface]
    // By the place of `reducer`.
    private let reducers: [SourceSpan: ReducerInterface]

    init(_ manifest: Manifest, services: HostServices) throws(App.Unavailable) {
        self.services = services
        var diagnostics: [Diagnostic] = []
        let effects = manifest.loops.flatMap(\.feedbacks).filter { !$0.isDisabled }.compactMap(\.effect)
        do {
            staging = try StagingDirectory()
        } catch {
            throw App.Unavailable(diagnostics: [
                Diagnostic(.error, error.code, error.message, help: error.help)
            ])
        }
        var images: [EffectReference.Provider: PluginImage] = [:]
        var releases: [EffectReference.Provider: FunctionAddress] = [:]
        var handles: [EffectReference.Provider: OpenHandles] = [:]
        var instances: [Int: InstanceInterface] = [:]
        var seen: Set<EffectReference.Provider> = []
        let providers =
            effects.map(\.provider)
            + manifest.loops.compactMap(\.reducer).map { EffectReference.Provider.plugin($0.plugin) }
        for provider in providers where seen.insert(provider).inserted {
            var place: SourceSpan?
            do throws(PluginError) {
                switch provider {
                case .standard: images[provider] = try StandardPluginImage.make(services)
                case .plugin(let index):
                    let plugin = manifest.plugins[index]
                    place = plugin.librarySpan
                    let image = try PluginImage.open(
                        plugin.location, sha256: plugin.sha256, isGuarded: plugin.isolation == .guarded,
                        staging: staging, services: services)
                    if let name = plugin.freeFunction {
                        place = plugin.freeSpan
                        releases[provider] = try image.address(of: name)
                    }
                    if let release = plugin.release {
                        place = plugin.releaseSpan
                        handles[provider] = OpenHandles(release: try image.address(of: release.name))
                    }
                    if image.description?.instance != nil {
                        instances[index] = try InstanceInterface(of: image)
                    }
                    images[provider] = image
                }
            } catch {
                diagnostics.append(
                    Diagnostic(
                        .error, error.code, error.message, at: place,
                        help: error.help + Self.place(ofMissing: error)))
            }
        }
        var interfaces: [SourceSpan: CallInterface] = [:]
        for effect in effects {
            guard let image = images[effect.provider] else { continue }
            do throws(PluginError) {
                interfaces[effect.span] = try Self.interface(
                    effect, image, release: releases[effect.provider], handles: handles[effect.provider])
            } catch {
                diagnostics.append(
                    Diagnostic(.error, error.code, error.message, at: effect.span, help: error.help))
            }
        }
        var reducers: [SourceSpan: ReducerInterface] = [:]
        for loop in manifest.loops {
            diagnostics += Self.differences(loop, manifest.plugins, images)
            guard let reducer = loop.reducer, let image = images[.plugin(reducer.plugin)] else { continue }
            do throws(PluginError) {
                reducers[reducer.span] = try ReducerInterface(
                    reducer.description.name, of: image, for: loop.layout)
            } catch {
                // A difference of layouts has been told.
                guard error.code != .layoutMismatch else { continue }
                diagnostics.append(
                    Diagnostic(.error, error.code, error.message, at: reducer.span, help: error.help))
            }
        }
        guard diagnostics.isEmpty else {
            staging.close()
            throw App.Unavailable(diagnostics: diagnostics)
        }
        imagesByProvider = images
        (self.interfaces, self.reducers, self.instances) = (interfaces, reducers, instances)
        self.handles = Array(handles.values)
    }

    /// The plugins of a loop that were compiled with structs of other records: `check` has asked the same, but files
    /// change.
    private static func differences(
        _ loop: LoopModel, _ plugins: [PluginModel], _ images: [EffectReference.Provider: PluginImage]
    ) -> [Diagnostic] {
        loop.plugins.sorted().compactMap { index in
            guard let image = images[.plugin(index)] else { return nil }
            do throws(PluginError) {
                try image.check(loop.layout)
                return nil
            } catch {
                return Diagnostic(
                    .error, error.code, error.message, at: plugins[index].librarySpan,
                    related: [Diagnostic.Label(loop.span, "this loop uses it")], help: error.help)
            }
        }
    }

    /// Where a library would have been found before the loader was asked for it, if it looks like the app's own.
    private static func place(ofMissing error: PluginError) -> [String] {
        let name = error.library
        guard error.code == .notLoaded, error.symbol.isEmpty, !name.contains("/"), name.hasSuffix(".so")
        else {
            return []
        }
        return ["if it is yours, build it: there is no `./\(name)` beside the manifest or in `plugin-path`"]
    }

    private static func interface(
        _ effect: EffectReference, _ image: PluginImage, release: FunctionAddress?, handles: OpenHandles?
    ) throws(PluginError) -> CallInterface {
        let function =
            try effect.description == nil ? image.address(of: effect.name) : image.effect(effect.name)
        let use = effect.handles.flatMap { use in handles.map { (use: use, table: $0) } }
        return try CallInterface(effect.signature, of: function, release: release, handles: use)
    }

    /// Instances for one run, none of them made yet.
    func makeInstances(_ manifest: Manifest) -> InstanceSet { InstanceSet(manifest, instances) }

    /// What makes, starts, stops and frees the instances of a run.
    func life(_ instances: InstanceSet, of manifest: Manifest) -> PluginLife {
        let named = manifest.plugins.enumerated().compactMap { index, plugin in
            imagesByProvider[.plugin(index)].map { (plugin.name, $0) }
        }
        return PluginLife(instances, images: named, of: manifest)
    }

    /// How a loop's native reducer is called.
    func reducer(_ reference: ReducerReference) -> ReducerInterface {
        guard let interface = reducers[reference.span] else {
            preconditionFailure("every reducer is prepared")
        }
        return interface
    }

    /// What calls of an effect are made with.
    ///
    /// - Parameter member: the instance that it is called for, if it takes one.
    func source(of effect: EffectReference, for member: InstanceSet.Member?) -> EffectSource {
        guard let image = imagesByProvider[effect.provider], let interface = interfaces[effect.span] else {
            preconditionFailure("every used effect is prepared")
        }
        precondition(effect.takesInstance == (member != nil), "an effect that takes an instance has one")
        return EffectSource(effect, image: image, interface: interface, services: services, member: member)
    }

    /// Every library that is loaded.
    var images: some Sequence<PluginImage> { imagesByProvider.values }

    /// The library of a provider, if it is used.
    func image(of provider: EffectReference.Provider) -> PluginImage? { imagesByProvider[provider] }

    func close() { staging.close() }
}
