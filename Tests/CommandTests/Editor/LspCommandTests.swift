import Foundation
import Records
import TestSupport
import Testing

/// `spinhost lsp` as a program. `LanguageServerTests` has its answers.
struct LspCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func frame(_ text: String) -> String { "Content-Length: \(text.utf8.count)\r\n\r\n\(text)" }

    /// The messages of an output, which must be frames and nothing else.
    private func messages(_ output: String) throws -> [Value] {
        var (rest, messages): (Substring, [Value]) = (output[...], [])
        while !rest.isEmpty {
            let head = try #require(rest.firstRange(of: "\r\n\r\n"), "\(rest)")
            let length = try #require(
                Int(rest[..<head.lowerBound].dropFirst("Content-Length: ".count)), "\(rest)")
            let body = rest[head.upperBound...].utf8.prefix(length)
            messages.append(try Value(json: String(Substring(body))))
            rest = rest[body.endIndex...]
        }
        return messages
    }

    private let initialize = #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#
    private let shutdown = #"{"jsonrpc":"2.0","id":"end","method":"shutdown"}"#
    private let exit = #"{"jsonrpc":"2.0","method":"exit"}"#

    @Test func session_hasAnswersInTheirOrder_andEnds() throws {
        let outcome = try Shell.run(
            Project.spinhost, ["lsp", "--stdio"], input: [initialize, shutdown, exit].map(frame).joined())
        let messages = try messages(outcome.output)
        #expect(messages.map { $0["id"] } == [.int(1), .string("end")])
        #expect(messages.first?["result"]?["capabilities"]?["hoverProvider"] == .bool(true))
        #expect((outcome.status, outcome.errors) == (0, ""))
    }

    @Test func diagnostics_comeAfterACheckOnAnotherThread() throws {
        let server = try RunningProgram(["lsp"], in: folder.root)
        let text = #"[loops.main]\nstate = { n = 0 }\nuntil = \"state.m > 1\"\n"#
        let uri = "file://\(folder.url("app.toml").path)"
        let open =
            #"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"\#(uri)","version":1,"text":"\#(text)"}}}"#
        for message in [initialize, open] { try server.write(String(frame(message + "\n").dropLast())) }
        let line = server.nextLine(with: "publishDiagnostics")
        let found = try Value(json: line)["params"]?["diagnostics"]
        #expect(line.contains("`state` has no field `m`"), "\(found?.json ?? line)")
        try server.closeInput()
        #expect(server.end().status == 1, "the client has not said `shutdown`")
    }

    @Test(
        "wrong input ends the program with a reason",
        arguments: [
            ("", 1, ""),
            (
                "GET / HTTP/1.1\r\n\r\n", 64,
                "error: stdin is not an editor: a header of a message has no colon: `GET / HTTP/1.1`\n"
            ),
            ("Content-Length: 10\r\n\r\n{}", 1, ""),
        ])
    func wrongInput(input: String, status: Int32, errors: String) throws {
        let outcome = try Shell.run(Project.spinhost, ["lsp"], input: input)
        #expect((outcome.status, outcome.output, outcome.errors) == (status, "", errors))
    }

    @Test func optionsOfRun_areRefused() throws {
        #expect(try Spinhost.run("lsp", "--until-idle").status == 64)
    }

    /// Neovim with the lines of docs/editors.md writes what it has found.
    @Test func neovim_showsFaults_completes_renames_andFormats() throws {
        let block = try #require(try CodeBlock.all(in: "docs/editors.md").first { $0.language == "lua" })
        try folder.write("init.lua", block.text)
        try folder.write(
            "app.toml",
            "[loops.main]\nstate = { total = 0 }\nevents = { go = {} }\non.go.set.total='state.total + 1'\nuntil = 'state.totl > 3'\n"
        )
        try folder.write(
            "story.lua",
            try String(
                contentsOf: Project.root.appendingPathComponent("Tests/Fixtures/editors/story.lua"),
                encoding: .utf8))
        let outcome = try Shell.run(
            "/usr/bin/env",
            [
                "nvim", "--headless", "-n", "-i", "NONE", "-u", "init.lua", "app.toml", "-c",
                "luafile story.lua",
            ],
            in: folder.root, environment: Spinhost.environment.merging(["HOME": folder.root.path]) { $1 })
        let told = try String(contentsOf: folder.url("told"), encoding: .utf8)
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        #expect(
            told == """
                fault in line 5: `state` has no field `totl`
                choices: total
                faults: 0
                about total: state.total: i64
                on.go.set.sum = 'state.sum + 1'
                until         = 'state.sum > 3'

                """)
    }
}
