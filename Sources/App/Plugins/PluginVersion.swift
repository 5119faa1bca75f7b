import Diagnostics
import Interfaces
import Manifest
import PluginHost
import Records

/// The loaded library of one provider, with all calls prepared that an app makes to it. Immutable.
struct PluginVersion: Sendable {
    let image: PluginImage
    /// The pointers that the plugin has opened; nil when nothing closes them.
    let handles: OpenHandles?
    /// Nil for a plugin without instances.
    let instances: InstanceInterface?
    /// The settings that instances are made with: of this version's type, or of the version that the manifest
    /// was checked with.
    var config: Record?
    private var interfaces: [EffectUse: CallInterface]
    // By the place of `reducer` in the manifest.
    private var reducers: [SourceSpan: ReducerInterface]

    /// Loads the library, and looks up all functions that the manifest's loops call in it. Only constructors
    /// of the library run.
    ///
    /// - Parameters:
    ///   - staged: the copy to load; nil for a library of the system.
    ///   - isFirst: whether the app starts with this version. Then its constructors have no time limit.
    ///   - workers: load plugins with `isolation = "process"`.
    ///   - old: the version that this one is to replace. The new version takes over its open pointers, and is
    ///     on probation.
    ///   - same: the plugin of another app, whose library and open pointers this one shares.
    /// - Throws: `AppRefusal` with all errors.
    init(
        _ provider: EffectReference.Provider, of manifest: Manifest, staging: StagingDirectory,
        staged: StagedLibrary? = nil, isFirst: Bool = false, services: HostServices, workers: WorkerSet,
        replacing old: PluginVersion? = nil, succeeding same: PluginVersion? = nil
    ) throws(AppRefusal) {
        let release: FunctionAddress?
        var closing: FunctionAddress?
        switch provider {
        case .standard:
            do throws(PluginError) {
                if let same { image = same.image } else { image = try StandardPluginImage.make(services) }
            } catch {
                throw AppRefusal(Diagnostic(error))
            }
            (release, handles, instances, config) = (nil, nil, nil, nil)
        case .plugin(let index):
            let plugin = manifest.plugins[index]
            config = plugin.config
            var place = plugin.librarySpan
            do throws(PluginError) {
                let isGuarded = plugin.isolation == .guarded
                if let same {
                    image = same.image
                } else if plugin.isolation == .process {
                    var copy = staged
                    if copy == nil, case .file(let path) = plugin.location {
                        copy = try staging.stage(path, sha256: plugin.sha256)
                    }
                    image = try workers.load(plugin, copy, in: staging.path, replacing: old?.image)
                } else if let staged {
                    image = try PluginImage.open(
                        staged, isGuarded: isGuarded, replacing: old?.image, services: services,
                        within: isFirst ? nil : App.swapDeadline)
                    // Later steps may refuse it. The plugin set revives a version that it makes the current
                    // one.
                    if !isFirst { image.retire() }
                } else {
                    image = try PluginImage.open(
                        plugin.location, sha256: plugin.sha256, isGuarded: isGuarded, staging: staging,
                        services: services)
                }
                if let name = plugin.freeFunction, let span = plugin.freeSpan {
                    place = span
                    release = try image.address(of: name)
                } else {
                    release = nil
                }
                if let function = plugin.release, let span = plugin.releaseSpan {
                    place = span
                    closing = try image.address(of: function.name)
                    // A swap keeps open pointers: a call may pass a pointer that an earlier version has
                    // opened.
                    handles = (same ?? old)?.handles ?? OpenHandles()
                } else {
                    handles = nil
                }
                instances = image.description?.instance == nil ? nil : try InstanceInterface(of: image)
            } catch {
                throw AppRefusal(error, at: place)
            }
        }
        if old != nil { image.probation = Probation() }
        let kept = handles
        var diagnostics: [Diagnostic] = []
        var interfaces: [EffectUse: CallInterface] = [:]
        let effects = manifest.loops.flatMap(\.calledEffects).filter { $0.provider == provider }
        for effect in effects {
            do throws(PluginError) {
                let function =
                    try effect.description == nil ? image.address(of: effect.name) : image.effect(effect.name)
                let use = effect.handles.flatMap { use in
                    kept.flatMap { table in closing.map { (use: use, table: table, release: $0) } }
                }
                interfaces[EffectUse(effect)] = try CallInterface(
                    effect.signature, of: function, release: release, handles: use)
            } catch {
                diagnostics.append(Diagnostic(error, at: effect.span))
            }
        }
        var reducers: [SourceSpan: ReducerInterface] = [:]
        if case .plugin(let index) = provider {
            for loop in manifest.loops where loop.plugins.contains(index) {
                do throws(PluginError) {
                    // The manifest's check has read the file, but the file may have changed since.
                    try image.check(loop.layout)
                    guard let reducer = loop.reducer, reducer.plugin == index else { continue }
                    reducers[reducer.span] = try ReducerInterface(
                        reducer.description.name, of: image, for: loop.layout)
                } catch {
                    diagnostics.append(
                        error.code == .layoutMismatch
                            ? Diagnostic(
                                .error, error.code, error.message, at: manifest.plugins[index].librarySpan,
                                related: [Diagnostic.Label(loop.span, "this loop uses it")], help: error.help)
                            : Diagnostic(error, at: loop.reducer?.span))
                }
            }
        }
        guard diagnostics.isEmpty else { throw AppRefusal(diagnostics) }
        (self.interfaces, self.reducers) = (interfaces, reducers)
        keepWhatIsHandedOut(by: effects)
    }

    /// A new instance, whose `create` is not called yet.
    ///
    /// - Precondition: the plugin has instances, and `config` is of this version's type.
    func makeContent() -> InstanceSlot.Content {
        guard let instances else { preconditionFailure("a plugin with instances") }
        return InstanceSlot.Content(
            plugin: self, instance: PluginInstance(instances, config: config))
    }

    /// Whether its instances can take over the settings that another manifest gives.
    func takesChangedSettings(of model: PluginModel) -> Bool {
        guard let own = image.description?.instance, own.takesChangedSettings else { return false }
        return own.config == model.description?.instance?.config
    }

    /// The same version after its probation: its calls are not counted any more.
    func settled() -> PluginVersion {
        image.probation = nil
        var settled = self
        settled.interfaces = interfaces.mapValues { $0.preparedAgain() }
        settled.reducers = reducers.mapValues { $0.preparedAgain() }
        return settled
    }

    /// Identifies a prepared call of an effect: equal in all manifests that call the effect in the same way.
    private struct EffectUse: Hashable {
        let name: String
        let signature: CallSignature
        let handles: HandleUse?

        init(_ effect: EffectReference) {
            (name, signature, handles) = (effect.name, effect.signature, effect.handles)
        }

        // Names nearly always differ, and signatures are slow to hash.
        func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    /// The interface for calls of one of this provider's effects.
    func interface(of effect: EffectReference) -> CallInterface {
        guard let interface = interfaces[EffectUse(effect)] else {
            preconditionFailure("every used effect is prepared")
        }
        return interface
    }

    /// The interface for calls of one of this provider's reducers.
    func interface(of reducer: ReducerReference) -> ReducerInterface {
        guard let interface = reducers[reducer.span] else {
            preconditionFailure("every reducer is prepared")
        }
        return interface
    }
}

extension LoopModel {
    /// The effects that the loop's feedbacks call.
    var calledEffects: [EffectReference] { feedbacks.filter { !$0.isDisabled }.compactMap(\.effect) }
}

extension Diagnostic {
    /// A plugin's error, with advice for a library that the dynamic loader did not find.
    init(_ error: PluginError, at place: SourceSpan? = nil) {
        var help = error.help
        let name = error.library
        if error.code == .notLoaded, error.symbol.isEmpty, !name.contains("/"), name.hasSuffix(".so") {
            help.append(
                "if it is yours, build it: there is no `./\(name)` beside the manifest or in `plugin-path`")
        }
        self.init(.error, error.code, error.message, at: place, help: help)
    }
}

extension AppRefusal {
    /// A refusal of a library. It is temporary if the reason is the file or this machine.
    init(_ error: PluginError, at place: SourceSpan? = nil) {
        let temporary: Set<DiagnosticCode> = [
            .notStaged, .notLoaded, .fileMissing, .fileUnreadable, .fileIsDirectory, .fileIsSpecial,
        ]
        self.init(
            Diagnostic(error, at: place), isTemporary: temporary.contains(error.code), hash: error.hash)
    }
}
