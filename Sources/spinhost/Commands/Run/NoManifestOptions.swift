import ArgumentParser

/// Refuses the options of verbs that read a manifest or run an app. The parser accepts them with each verb, because
/// they may stand before it.
struct NoManifestOptions: ParsableArguments {
    @OptionGroup var manifestOptions: ManifestOptions
    @OptionGroup var runOptions: RunOptions

    func validate() throws {
        try runOptions.refuse()
        guard manifestOptions.given == nil else {
            throw ValidationError("`--manifest` belongs to commands that read a manifest")
        }
    }
}
