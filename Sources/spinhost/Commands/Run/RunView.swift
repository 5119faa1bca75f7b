import App
import Diagnostics
import Glibc
import Manifest

/// How a run is shown, as far as options and terminals say.
struct RunView: Sendable {
    let output: CommandOutput
    let renderer: DiagnosticRenderer
    /// Whether stdout has lines for programs.
    let isJSON: Bool
    private let options: RunOptions
    private let stdoutIsTerminal: Bool
    private let stdoutHasColor: Bool

    /// Takes stdout.
    ///
    /// - Throws: an exit code, after the reason was printed.
    init(json: Bool, options: RunOptions) throws {
        (isJSON, self.options) = (json, options)
        renderer = DiagnosticRenderer(color: Terminal.hasColor(STDERR_FILENO))
        // Asked before descriptor 1 becomes that of stderr.
        stdoutIsTerminal = Terminal.isTerminal(STDOUT_FILENO)
        stdoutHasColor = Terminal.hasColor(STDOUT_FILENO)
        output = try CommandOutput()
    }

    /// How the steps of an app are shown.
    func steps(of manifest: Manifest) -> RunPrinter.Steps {
        if isJSON { return .json }
        let toOutput = !manifest.printsOutput
        let isTerminal = toOutput ? stdoutIsTerminal : Terminal.isTerminal(STDERR_FILENO)
        let hasColor = toOutput ? stdoutHasColor : Terminal.hasColor(STDERR_FILENO)
        guard !options.quiet, options.steps || options.explain || isTerminal else { return .none }
        return .lines(
            StepLine(color: hasColor), toOutput: toOutput, isThrottled: isTerminal && !options.explain)
    }
}
