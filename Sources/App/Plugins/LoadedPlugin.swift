import Diagnostics
import Interfaces
import Manifest
import PluginHost
import Records

/// The library of one provider, loaded, with everything prepared that an app calls in it. Never changes.
struct LoadedPlugin: Sendable {
    let image: PluginImage
    /// What the pointers that it opens are kept in; nil when nothing closes them.
    let handles: OpenHandles?
    /// Nil for a plugin without instances.
    let instances: InstanceInterface?
    /// What its instances are made with: a record of its own settings, or of those that the manifest was checked with.
    var config: Record?
    private var interfaces: [EffectUse: CallInterface]
    // By the place of `reducer`.
    private var reducers: [SourceSpan: ReducerInterface]

    /// Loads the library and looks up what the manifest's loops call in it. Its constructors run, nothing else of it does.
    ///
    /// - Parameters:
    ///   - staged: the copy to load; nil: one is made of the file as it is.
    ///   - old: the version that it is to replace, whose open pointers it takes over. It is on probation then.
    ///   - same: what another app has loaded: its library is taken as it is, with its open pointers.
    /// - Throws: `AppRefusal` with all that is wrong.
    init(
        _ provider: EffectReference.Provider, of manifest: Manifest, staging: StagingDirectory,
        staged: StagedLibrary? = nil, services: HostServices, replacing old: LoadedPlugin? = nil,
        goingOnWith same: LoadedPlugin? = nil
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
                } else if let staged {
                    image = try PluginImage.open(
                        staged, isGuarded: isGuarded, replacing: old?.image, services: services,
                        within: App.swapDeadline)
                    // Until it is installed: it may not come to that.
                    image.retire()
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
                    // A pointer may be older than the version that is called with it.
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
                    // `check` has asked the same of the file, but files change.
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

    /// An instance, not made yet.
    ///
    /// - Precondition: it has instances, and `config` is of its own settings.
    func occupant() -> InstanceSeat.Occupant {
        guard let instances else { preconditionFailure("a plugin with instances") }
        return InstanceSeat.Occupant(
            plugin: self, instance: PluginInstance(instances, config: config))
    }

    /// The same, on probation no more: its calls are not counted.
    func settled() -> LoadedPlugin {
        image.probation = nil
        var settled = self
        settled.interfaces = interfaces.mapValues { $0.preparedAnew() }
        settled.reducers = reducers.mapValues { $0.preparedAnew() }
        return settled
    }

    /// What a call of an effect is prepared for: the same in all manifests that call it so.
    private struct EffectUse: Hashable {
        let name: String
        let signature: CallSignature
        let handles: HandleUse?

        init(_ effect: EffectReference) {
            (name, signature, handles) = (effect.name, effect.signature, effect.handles)
        }

        // Names are nearly always different, and signatures are long.
        func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    /// How an effect of this provider is called.
    func interface(of effect: EffectReference) -> CallInterface {
        guard let interface = interfaces[EffectUse(effect)] else {
            preconditionFailure("every used effect is prepared")
        }
        return interface
    }

    /// How a loop's native reducer of this provider is called.
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
    /// What is wrong with a plugin, with advice for a library that the dynamic loader did not find.
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
    /// A library is not available: for now, where the file or this machine is the reason.
    init(_ error: PluginError, at place: SourceSpan? = nil) {
        let temporary: Set<DiagnosticCode> = [
            .notStaged, .notLoaded, .fileMissing, .fileUnreadable, .fileIsDirectory, .fileIsSpecial,
        ]
        self.init(Diagnostic(error, at: place), isTemporary: temporary.contains(error.code))
    }
}
