import Diagnostics
import Interfaces
import Manifest
import PluginHost
import StandardPlugin

/// The libraries of an app, loaded, and its calls, prepared.
final class PluginSet: Sendable {
    let services: HostServices
    private let staging: StagingDirectory
    private let images: [EffectReference.Provider: PluginImage]
    // By the place of `effect`, which is unique.
    private let interfaces: [SourceSpan: CallInterface]

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
        var seen: Set<EffectReference.Provider> = []
        for provider in effects.map(\.provider) where seen.insert(provider).inserted {
            var place: SourceSpan?
            do throws(PluginError) {
                switch provider {
                case .standard: images[provider] = try StandardPluginImage.make(services)
                case .plugin(let index):
                    let plugin = manifest.plugins[index]
                    place = plugin.librarySpan
                    let image = try PluginImage.open(plugin.location, staging: staging, services: services)
                    if let name = plugin.freeFunction {
                        place = plugin.freeSpan
                        releases[provider] = try image.address(of: name)
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
                    effect, image, release: releases[effect.provider])
            } catch {
                diagnostics.append(
                    Diagnostic(.error, error.code, error.message, at: effect.span, help: error.help))
            }
        }
        guard diagnostics.isEmpty else {
            staging.close()
            throw App.Unavailable(diagnostics: diagnostics)
        }
        (self.images, self.interfaces) = (images, interfaces)
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
        _ effect: EffectReference, _ image: PluginImage, release: FunctionAddress?
    ) throws(PluginError) -> CallInterface {
        let function =
            try effect.description == nil ? image.address(of: effect.name) : image.effect(effect.name)
        return try CallInterface(effect.signature, of: function, release: release)
    }

    /// The library that an effect comes from.
    func image(of effect: EffectReference) -> PluginImage {
        guard let image = images[effect.provider] else { preconditionFailure("every used plugin is loaded") }
        return image
    }

    /// Memory for one more call of the effect.
    func makeCall(_ effect: EffectReference) -> PreparedCall {
        guard let interface = interfaces[effect.span] else {
            preconditionFailure("every used effect is prepared")
        }
        return PreparedCall(interface)
    }

    func close() { staging.close() }
}
