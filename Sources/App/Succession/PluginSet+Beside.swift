import Diagnostics
import Interfaces
import Manifest
import PluginHost

// What a changed manifest has loaded, beside what runs.
extension PluginSet {
    /// Loads a library for another manifest as a swap does: its bytes must not have been rolled back, it is tried first if its bytes are new,
    /// it shares no variable with a version of the same plugin, and it is retired until its set takes the place of this one.
    ///
    /// - Throws: `App.Unavailable` with all that is wrong.
    func load(
        _ provider: EffectReference.Provider, of other: Manifest, staging: StagingDirectory, trial: App.Trial?
    ) throws(App.Unavailable) -> LoadedPlugin {
        guard case .plugin(let index) = provider, case .file(let path) = other.plugins[index].location else {
            return try LoadedPlugin(provider, of: other, staging: staging, services: services)
        }
        let model = other.plugins[index]
        let staged: StagedLibrary
        do throws(PluginError) { staged = try staging.stage(path) } catch {
            throw App.Unavailable(diagnostics: [Diagnostic(error, at: model.librarySpan)])
        }
        let loaded: LoadedPlugin
        do throws(App.Unavailable) {
            try check(staged, of: model, trial)
            loaded = try LoadedPlugin(
                provider, of: other, staging: staging, staged: staged, services: services)
        } catch {
            StagingDirectory.remove(staged.path)
            throw error
        }
        guard let shared = variable(of: loaded.image, sharedBy: model.name) else { return loaded }
        throw App.Unavailable(diagnostics: [
            Diagnostic(
                .error, .notSwapped, "`\(path)` would share `\(shared)` with the version that runs",
                at: model.librarySpan, help: ["compile both with `-fno-gnu-unique`"])
        ])
    }

    private func check(
        _ staged: StagedLibrary, of model: PluginModel, _ trial: App.Trial?
    ) throws(App.Unavailable) {
        if let reason = rejection(ofHash: staged.hash) {
            throw App.Unavailable(diagnostics: [.rejected(reason, at: model.librarySpan)])
        }
        guard !images.contains(where: { $0.hash == staged.hash }) else { return }
        switch trial?(SwapTrial(model.name, staged, config: model.config)) {
        case .passed?, nil: return
        case .refused(let reason)?, .failed(let reason)?: throw App.Unavailable(diagnostics: [reason])
        }
    }

    /// A variable that the process has once, which a library has in common with another version of the same plugin.
    private func variable(of image: PluginImage, sharedBy name: String) -> String? {
        let others = namedImages.filter { other in
            other.name == name || other.image.library == image.library
                || image.description.map { $0.id == other.image.description?.id } ?? false
        }
        let known = Set(others.flatMap(\.image.uniqueSymbols))
        return image.uniqueSymbols.first(where: known.contains)
    }
}
