import ArgumentParser
import Control
import Glibc
import PluginHost
import Records

/// `spinhost top`
struct TopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top", abstract: "Show what the loops, feedbacks and plugins of a running app do.",
        discussion: """
            The app must run with `--control`. The screen changes twice a second. Keys: `s` sorts by rate, total or \
            name, `f` shows only what has faults, `q` quits. Times and calls are counted while `top` runs.
            """)

    /// How often the numbers change, in milliseconds.
    private static let interval: Int64 = 500

    @Flag(help: "Print the numbers of half a second once.")
    var once = false

    @OptionGroup var controlOptions: ControlOptions
    @OptionGroup var outputOptions: OutputOptions
    @OptionGroup(visibility: .hidden) var noManifest: NoManifestOptions

    func validate() throws {
        if outputOptions.json && !once {
            throw ValidationError("`--json` prints the numbers once: add `--once`")
        }
        guard once || Terminal.isTerminal(STDIN_FILENO) && Terminal.isTerminal(STDOUT_FILENO) else {
            throw ValidationError("`top` needs a terminal; `top --once` prints the numbers once")
        }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        if once {
            let report = ControlReport(output: try CommandOutput(), isJSON: outputOptions.json)
            return try printOnce(report)
        }
        var client: ControlClient
        do {
            client = try ControlClient.connected(to: controlOptions.app)
            _ = try client.speakNewest()
        } catch {
            ErrorOutput.show(error)
            throw ExitStatus.unavailable
        }
        do { try show(&client) } catch let error as ControlUnavailable {
            ErrorOutput.show(error)
            throw ExitStatus.unavailable
        }
    }

    private func printOnce(_ report: ControlReport) throws {
        var client = try controlOptions.connect(report)
        do {
            _ = try client.speakNewest()
            var table = try Self.begin(&client)
            while true {
                guard let line = client.nextLine() else { throw client.lost }
                if Self.take(line, &table) { break }
            }
            if outputOptions.json {
                try report.output.line(table.json.json)
            } else {
                for line in table.content { try report.output.line(line) }
            }
        } catch let error as ControlUnavailable { throw report.refuse(error) }
    }

    /// Watches the counters, with the first ones.
    private static func begin(_ client: inout ControlClient) throws(ControlUnavailable) -> TopTable {
        var plugins: [Value] = []
        if case .list(let all)? = try client.answer(to: .query(.plugins))["plugins"] { plugins = all }
        let answer = try client.answer(to: .follow(ControlWatch([], counters: interval, swaps: true)))
        if case .string(let reason)? = answer["error"]?["message"] { throw ControlUnavailable(reason) }
        while let line = client.nextLine() {
            guard case .list(let counters)? = line["counters"] else { continue }
            let sample = TopTable.Sample(counters: counters, time: .now)
            return TopTable(
                app: client.app, process: client.process, before: sample, now: sample, plugins: plugins)
        }
        throw client.lost
    }

    /// Takes a line of the app; whether it has new counters.
    private static func take(_ line: Value, _ table: inout TopTable) -> Bool {
        guard case .list(let counters)? = line["counters"] else { return false }
        var next = TopTable(
            app: table.app, process: table.process, before: table.now,
            now: TopTable.Sample(counters: counters, time: .now), plugins: table.plugins)
        (next.order, next.onlyFaults) = (table.order, table.onlyFaults)
        table = next
        return true
    }

    /// Shows the table until the user quits, or the app ends.
    private func show(_ client: inout ControlClient) throws {
        var table = try Self.begin(&client)
        guard let screen = Screen() else { throw ExitStatus.unexpected }
        var ended: String?
        do {
            defer { screen.leave() }
            ended = try follow(&client, &table, on: screen)
        }
        if let ended { ErrorOutput.line("`\(client.app)` has ended: \(ended)") }
    }

    /// Returns how the app has ended, or nil when the user quits.
    private func follow(
        _ client: inout ControlClient, _ table: inout TopTable, on screen: Screen
    ) throws -> String? {
        while true {
            let size = screen.size
            screen.draw(table.lines(columns: size.columns, rows: size.rows))
            switch client.wait(orInputOf: screen.descriptors) {
            case .line:
                guard let line = client.nextLine() else { throw client.lost }
                if let ended = line["ended"] { return TailLine.text(ended) }
                _ = Self.take(line, &table)
            case .input, .nothing:
                for input in screen.input() {
                    switch input {
                    case .end, .key(UInt8(ascii: "q")): return nil
                    case .key(UInt8(ascii: "s")): table.order = table.order.next
                    case .key(UInt8(ascii: "f")): table.onlyFaults.toggle()
                    case .key, .redraw: break
                    }
                }
            }
        }
    }
}
