import Diagnostics
import Interfaces
import Manifest
import PluginHost
import Records

extension PluginVersion {
    /// Loads the library that an app starts with, after a trial of its copy.
    ///
    /// - Throws: `AppRefusal` with all errors.
    init(
        first provider: EffectReference.Provider, of manifest: Manifest, staging: StagingDirectory,
        services: HostServices, workers: WorkerSet, trial: App.Trial?
    ) throws(AppRefusal) {
        var copy: StagedLibrary?
        if case .plugin(let index) = provider, case .file(let path) = manifest.plugins[index].location {
            let model = manifest.plugins[index]
            let staged: StagedLibrary
            do throws(PluginError) { staged = try staging.stage(path, sha256: model.sha256) } catch {
                throw AppRefusal(error, at: model.librarySpan)
            }
            try (model.isolation == .process ? nil : trial).perform(
                SwapTrial(model.name, staged, config: model.config, isFirst: true, place: model.librarySpan))
            copy = staged
        }
        try self.init(
            provider, of: manifest, staging: staging, staged: copy, isFirst: true, services: services,
            workers: workers)
    }
}

// Loads new versions while the current ones run.
extension PluginSet {
    /// Makes a private copy of a library, as its file is now.
    ///
    /// - Throws: `AppRefusal` when the file cannot be read or copied, has another hash, or was rolled back
    ///   before.
    func stage(
        _ path: String, sha256: String?, at place: SourceSpan? = nil, in other: StagingDirectory? = nil
    ) throws(AppRefusal) -> StagedLibrary {
        let staged: StagedLibrary
        do throws(PluginError) { staged = try (other ?? staging).stage(path, sha256: sha256) } catch {
            throw AppRefusal(error, at: place)
        }
        if let reason = rejection(ofHash: staged.hash) {
            throw AppRefusal(.rejected(reason, at: place), hash: staged.hash)
        }
        return staged
    }

    /// Loads a new version of a plugin, which `install` makes the current one.
    ///
    /// The version is tried first. `check` says whether it may replace the current version.
    ///
    /// - Throws: `AppRefusal` with the reasons.
    func load(
        _ index: Int, from staged: StagedLibrary, config: Record?, replacing old: PluginVersion,
        trial: App.Trial?
    ) throws(AppRefusal) -> PluginVersion {
        let model = manifest.plugins[index]
        try (model.isolation == .process ? nil : trial).perform(SwapTrial(model.name, staged, config: config))
        let loaded = try PluginVersion(
            .plugin(index), of: manifest, staging: staging, staged: staged, services: services,
            workers: workers, replacing: old)
        add(loaded.image, for: .plugin(index))
        return loaded
    }

    /// Checks whether a version that was loaded may replace the one that runs.
    ///
    /// - Throws: `AppRefusal`: both share a variable, or have different interfaces.
    func check(_ new: PluginVersion, _ index: Int, replacing old: PluginVersion) throws(AppRefusal) {
        try checkVariables(of: new.image, named: manifest.plugins[index].name, at: nil)
        let effects = manifest.loops.flatMap(\.calledEffects).filter { $0.provider == .plugin(index) }
        try new.check(replacing: old, for: effects)
    }

    /// Loads a library for a changed manifest, as a swap does. The library is retired until the succession
    /// happens.
    ///
    /// - Throws: `AppRefusal` with the reasons.
    func loadBeside(
        _ index: Int, of other: Manifest, staging: StagingDirectory, trial: App.Trial?
    ) throws(AppRefusal) -> PluginVersion {
        let model = other.plugins[index]
        guard case .file(let path) = model.location else {
            return try PluginVersion(
                .plugin(index), of: other, staging: staging, services: services, workers: workers)
        }
        let staged = try stage(path, sha256: model.sha256, at: model.librarySpan, in: staging)
        if model.isolation != .process, !images.contains(where: { $0.hash == staged.hash }) {
            try trial.perform(
                SwapTrial(model.name, staged, config: model.config, place: model.librarySpan))
        }
        let loaded = try PluginVersion(
            .plugin(index), of: other, staging: staging, staged: staged, services: services,
            workers: workers)
        try checkVariables(of: loaded.image, named: model.name, at: model.librarySpan)
        return loaded
    }

    /// - Throws: `DiagnosticCode.sharedVariable` when the loader would bind a variable of this library to
    ///   that of another version of the same plugin.
    private func checkVariables(
        of image: PluginImage, named name: String, at place: SourceSpan?
    ) throws(AppRefusal) {
        let others = namedImages.filter { other in
            other.image !== image && other.image.remote == nil
                && (other.name == name || other.image.library == image.library
                    || image.description.map { $0.id == other.image.description?.id } ?? false)
        }
        let known = Set(others.flatMap(\.image.uniqueSymbols))
        guard let shared = image.uniqueSymbols.first(where: known.contains) else { return }
        throw AppRefusal(
            Diagnostic(
                .error, .sharedVariable,
                "`\(image.library)` would share `\(shared)` with the version that runs", at: place,
                help: ["compile both with `-fno-gnu-unique`"]))
    }
}
