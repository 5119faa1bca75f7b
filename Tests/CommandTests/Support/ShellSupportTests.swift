import Foundation
import Testing
import TestSupport

/// The manual page and the shells' completions, which must not fall behind the commands.
struct ShellSupportTests {
    private struct Tool: Decodable {
        struct Command: Decodable {
            struct Argument: Decodable {
                struct Name: Decodable {
                    let kind: String
                    let name: String
                }
                let shouldDisplay: Bool
                let names: [Name]?
            }
            let commandName: String
            let shouldDisplay: Bool
            let subcommands: [Command]?
            let arguments: [Argument]?
        }
        let command: Command
    }

    @Test func manualPage_namesEveryVerbAndOption() throws {
        let dump = try Spinhost.run("--experimental-dump-help").output
        let root = try JSONDecoder().decode(Tool.self, from: Data(dump.utf8)).command
        let file = Project.root.appendingPathComponent("docs/spinhost.1")
        let page = try String(contentsOf: file, encoding: .utf8)
        var commands = [root]
        var names: Set<String> = []
        while let command = commands.popLast() {
            commands += command.subcommands ?? []
            guard command.shouldDisplay else { continue }
            if command.commandName != root.commandName { names.insert(".It Cm \(command.commandName)\n") }
            for argument in command.arguments ?? [] where argument.shouldDisplay {
                for name in argument.names ?? [] where name.kind == "long" {
                    names.insert("Fl -\(name.name)")
                }
            }
        }
        #expect(names.count > 15)
        for name in names.sorted() {
            #expect(page.contains(name), "`\(name)` belongs into docs/spinhost.1")
        }
    }

    @Test func manualPage_isWellFormed() throws {
        let file = Project.root.appendingPathComponent("docs/spinhost.1").path
        let lint = try Shell.run("mandoc", ["-Tlint", "-W", "warning", file])
        #expect(lint.status == 0 && lint.output == "" && lint.errors == "", "\(lint.output)")
        let shown = try Shell.run("man", ["-l", file], environment: ["MANPAGER": "cat", "MANWIDTH": "80"])
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(shown.output.contains("spinhost check"))
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func completions_areThere_andBashAcceptsItsOwn(_ shell: String) throws {
        let script = try Spinhost.run("--generate-completion-script", shell)
        #expect(script.status == 0 && script.errors == "")
        for verb in ["check", "replay", "schema", "fmt"] { #expect(script.output.contains(verb)) }
        guard shell == "bash" else { return }
        let folder = try TemporaryFolder()
        let file = try folder.write("complete", script.output)
        let outcome = try Shell.run(
            "bash", ["--norc", "-c", "set -e; source '\(file)'; complete -p spinhost"])
        #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.errors)")
    }
}
