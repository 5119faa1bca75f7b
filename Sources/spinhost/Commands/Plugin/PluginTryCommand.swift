import App
import ArgumentParser
import Dispatch
import Glibc
import HostLoop
import PluginCheck
import PluginHost
import Records

/// `spinhost plugin try`, which `TrialRequest.outcome` starts. It is not for users.
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
        let isLoaded = Lock(false)
        // The time limit starts here, because all later time is the plugin's.
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(TrialRequest.limit)) {
            [isFirst = trial.isFirst] in
            // A start waits for `create` as long as it takes: no crash in time is all that a trial can tell.
            if isFirst, isLoaded.withLock({ $0 }) {
                try? output.line(RuleAnswers.line(.passed))
                _exit(EXIT_SUCCESS)
            }
            kill(getpid(), SIGKILL)
        }
        let outcome = trial.outcome { function in
            isLoaded.exchange(true)
            try? output.line(RuleAnswers.line(call: function))
        }
        try output.line(RuleAnswers.line(outcome))
    }
}
