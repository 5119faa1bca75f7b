import App
import ArgumentParser
import Dispatch
import Glibc
import PluginCheck
import PluginHost
import Records

/// `spinhost plugin try`, which `TrialRequest.verdict` starts. It is not for users.
struct PluginTryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "try", abstract: "Load a library as a swap does.", shouldDisplay: false)

    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    func validate() throws { try runOptions.refuse() }

    func run() throws {
        let trial: LibraryTrial
        do { trial = try TrialRequest.trial(StreamText.read { getchar() }) } catch {
            throw ValidationError("`try` is for spinhost itself: it reads a request of `dev` or `swap`")
        }
        let output = try CommandOutput()
        try output.line(RuleAnswers.begun)
        // The time limit starts here, because all later time is the plugin's.
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(TrialRequest.limit)) {
            kill(getpid(), SIGKILL)
        }
        try output.line(RuleAnswers.line(trial.outcome { try? output.line(RuleAnswers.line(call: $0)) }))
    }
}
