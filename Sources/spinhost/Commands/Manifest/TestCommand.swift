import App
import ArgumentParser
import Diagnostics
import Glibc
import Manifest
import Records

/// `spinhost test`
struct TestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Run the manifest's tests, without running an effect.",
        discussion: """
            It loads no library, except those of native reducers with `--libraries`. With `--journal FILE`, the \
            steps of that journal are the tests: each must have the result that it had.
            """)

    @OptionGroup var manifestOptions: ManifestOptions
    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var outputOptions: OutputOptions
    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    func validate() throws { try runOptions.refuse(except: ["--journal"]) }

    func run() throws {
        let output = try CommandOutput()
        let manifest = try LoadedManifest.load(manifestOptions.manifest, overrides: [])
        let libraries = try libraryOptions.load(
            manifest,
            of: runOptions.journal == nil ? manifest.tests.map { manifest.loops[$0.loop] } : manifest.loops,
            path: manifestOptions.manifest, verb: "test", log: runOptions)
        defer { libraries?.close() }
        if let file = runOptions.journal {
            let journal = JournalReduction(manifest, libraries, JournalOptions(of: file), outputOptions)
            return try journal.test(output)
        }
        let report = TestReport(manifest, color: output.hasColor)
        var failed = 0
        for test in manifest.tests {
            let outcome = test.run(in: manifest, libraries: libraries)
            if !outcome.isPassed { failed += 1 }
            if outputOptions.json {
                try output.line(report.json(test, outcome).json)
            } else {
                for line in report.lines(test, outcome) { try output.line(line) }
            }
        }
        if !outputOptions.json {
            try output.line(
                "\(CountText.count(manifest.tests.count, "test")), \(CountText.grouped(failed)) failed")
        }
        if failed > 0 { throw ExitStatus.no }
    }
}
