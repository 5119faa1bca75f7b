import Foundation
import LanguageServer
import Records
import TestSupport
import Testing

/// The order of messages, texts, and diagnostics.
struct SessionTests {
    @Test func initialize_comesFirst_andOnce() throws {
        let client = try EditorClient(isInitialized: false)
        #expect(throws: EditorClient.Refusal(code: -32002, message: "`initialize` must come first")) {
            try client.request("textDocument/hover")
        }
        let result = try client.request("initialize", .record([("capabilities", .record([]))]))
        #expect(result["capabilities"]?["positionEncoding"] == .string("utf-16"))
        #expect(result["serverInfo"]?["name"] == .string("spinhost"))
        #expect(throws: EditorClient.Refusal.self) { try client.request("initialize") }
    }

    @Test func shutdown_thenExit_isSuccess_andExitAloneIsNot() throws {
        let orderly = try EditorClient()
        #expect(orderly.session.exitCode == 1)
        try orderly.request("shutdown")
        #expect(throws: EditorClient.Refusal.self) { try orderly.request("textDocument/hover") }
        orderly.notify("exit")
        #expect(orderly.exitCode == 0)
        let hasty = try EditorClient()
        hasty.notify("exit")
        #expect(hasty.exitCode == 1)
    }

    @Test(
        "other texts than messages are refused",
        arguments: [
            ("{", -32700), ("1", -32600), (#"{"jsonrpc":"1.0","id":1,"method":"x"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1}"#, -32600), (#"{"jsonrpc":"2.0","id":[1],"method":"x"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1,"method":"x"}"#, -32601),
            (
                #"{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///no"}}}"#,
                -32602
            ),
        ])
    func refused(message: String, code: Int64) throws {
        let client = try EditorClient()
        let answers = client.send(message)
        #expect(answers.map { $0["error"]?["code"] } == [.int(code)], "\(answers)")
    }

    @Test func answersToTheServer_andUnknownNotifications_areIgnored() throws {
        let client = try EditorClient()
        #expect(client.send(#"{"jsonrpc":"2.0","id":1,"result":null}"#).isEmpty)
        #expect(client.send(#"{"jsonrpc":"2.0","method":"$/setTrace","params":{}}"#).isEmpty)
    }

    @Test func clientsThatCan_areAskedToWatchFiles() throws {
        for (can, count) in [("true", 1), ("false", 0)] {
            let client = try EditorClient(isInitialized: false)
            let watching = #"{"workspace":{"didChangeWatchedFiles":{"dynamicRegistration":\#(can)}}}"#
            let parameters = #""params":{"capabilities":\#(watching)}"#
            let first = #"{"jsonrpc":"2.0","id":1,"method":"initialize",\#(parameters)}"#
            #expect(client.send(first).count == 1)
            let requests = client.send(#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#)
            #expect(requests.count == count)
            guard let request = requests.first else { continue }
            #expect(request["method"] == .string("client/registerCapability"))
            let text = request["params"]?.json ?? ""
            #expect(text.contains("workspace/didChangeWatchedFiles") && text.contains("**/*.{so,toml}"))
        }
    }

    @Test func aFileThatIsNotOpen_isReadAgain_whenTheClientSaysThatItHasChanged() throws {
        let client = try EditorClient()
        client.open("include = ['more.toml']\n[loops.main]\nstate = { n = 0 }\n")
        #expect(client.diagnostics["app.toml"]?.isEmpty == false)
        try client.write(["more.toml": "[loops.other]\nstate = { n = 0 }\n"])
        client.notify("workspace/didChangeWatchedFiles", .record([("changes", .list([]))]))
        #expect(client.diagnostics["app.toml"]?.filter { $0["severity"] == .int(1) } == [])
    }

    @Test func faults_areShownWhileTheTextIsWritten() throws {
        let client = try EditorClient()
        client.open("[loops.main]\nstate = { n = 0 }\nsttae = 1\n")
        let first = try #require(client.diagnostics["app.toml"]?.first)
        #expect(first["source"] == .string("spinhost") && first["severity"] == .int(1))
        #expect(try client.text(first["range"]) == "sttae")
        #expect(first["message"]?.string?.contains("did you mean `state`?") == true, "\(first)")
        client.change(to: "[loops.main]\nstate = { n = 0 }\n")
        #expect(client.diagnostics["app.toml"] == [])
        // A text that is not TOML has a diagnostic, too.
        client.change(to: "[loops.main\n")
        #expect(client.diagnostics["app.toml"]?.count == 1)
        client.close()
        #expect(client.diagnostics["app.toml"] == [])
    }

    @Test func anOutcomeForAnOlderText_isNotShown() throws {
        let client = try EditorClient()
        client.holdsChecks = true
        client.open("[loops.main]\nstate = { n = 0 }\nx = 1\n")
        client.change(to: "[loops.main]\nstate = { n = 0 }\n")
        client.change(to: "[loops.main]\nstate = { n = 0 }\ny = 1\n")
        client.runChecks()
        #expect(
            client.shown["app.toml"]?.count == 1, "one check for both changes, and nothing of the first text")
        #expect(try client.text(client.diagnostics["app.toml"]?.first?["range"]) == "y")
    }

    @Test func theFirstSave_ofAFileBehindALink_isTheSameText() throws {
        let client = try EditorClient()
        try client.write(["real/keep": ""])
        try FileManager.default.createSymbolicLink(
            at: client.folder.url("link"), withDestinationURL: client.folder.url("real"))
        client.open("[loops.main]\nx = 1\n", as: "link/app.toml")
        try client.write(["link/app.toml": "[loops.main]\nx = 1\n"])
        client.change("link/app.toml", to: "[loops.main]\nstate = { n = 0 }\n")
        #expect(client.warnings.isEmpty && client.diagnostics["link/app.toml"] == [])
    }

    @Test func aFileOfSomethingElse_hasNoFaults() throws {
        let client = try EditorClient()
        client.open("[package]\nname = 'x'\n", as: "Cargo.toml")
        #expect(client.diagnostics["Cargo.toml"] == [])
        client.change("Cargo.toml", to: "[package]\nname = 'x'\n[loops.main]\n")
        #expect(client.diagnostics["Cargo.toml"]?.isEmpty == false)
    }

    @Test func theTextOfTheEditor_countsBeforeTheFile() throws {
        let client = try EditorClient()
        try client.write(["app.toml": "nonsense", "part.toml": "nonsense"])
        client.open("include = ['part.toml']\n")
        #expect(client.diagnostics["part.toml"]?.count == 1)
        client.open("[loops.main]\nstate = { n = 0 }\n", as: "part.toml")
        #expect(client.diagnostics["app.toml"] == [] && client.diagnostics["part.toml"] == [])
        // The file on the disk counts again.
        client.close("part.toml")
        #expect(client.diagnostics["part.toml"]?.count == 1)
    }

    @Test func aPartThatIsOpenAlone_isCheckedAsAPartOfItsManifest() throws {
        let client = try EditorClient()
        try client.write(["app.toml": "include = ['parts/*.toml']\n[config]\nlimit = 3\n"])
        let text = "[loops.main]\nstate = { n = 0 }\nuntil = 'state.n > config.limit'\n"
        try client.write(["parts/main.toml": text])
        client.open(text, as: "parts/main.toml")
        #expect(client.diagnostics["parts/main.toml"] == [])
        client.change("parts/main.toml", to: text.replacing("config.limit", with: "config.limits"))
        let found = try #require(client.diagnostics["parts/main.toml"]?.first)
        #expect(try client.text(found["range"], in: "parts/main.toml") == "limits", "\(found)")
    }

    @Test func columns_countWhatTheClientAsksFor() throws {
        for (encodings, column) in [(["utf-8"], 25), (nil, 20), (["utf-16"], 20), (["utf-32"], 20)]
            as [([String]?, Int64)]
        {
            let client = try EditorClient(encodings: encodings)
            client.open("config.a = [\"é🙂🙂\" x]\n")
            let start = client.diagnostics["app.toml"]?.first?["range"]?["start"]
            #expect(start?["line"] == .int(0) && start?["character"] == .int(column), "\(client.diagnostics)")
        }
    }

    @Test func changes_areTakenOneAfterTheOther() throws {
        let client = try EditorClient()
        client.open("[loops.main]\r\nstate = { n = 0 }\r\nxx = 1\r\n")
        func edit(_ from: (Int64, Int64), _ to: (Int64, Int64), _ text: String) -> Value {
            func position(_ place: (Int64, Int64)) -> Value {
                .record([("line", .int(place.0)), ("character", .int(place.1))])
            }
            return .record([
                ("range", .record([("start", position(from)), ("end", position(to))])),
                ("text", .string(text)),
            ])
        }
        // The second change counts in the text after the first one; a column behind a line means its end.
        client.change("app.toml", [edit((2, 0), (2, 2), "until"), edit((2, 8), (2, 99), "'state.n > 3'")])
        #expect(client.diagnostics["app.toml"] == [], "\(client.diagnostics)")
        client.change("app.toml", [edit((2, 8), (2, 8), "!"), edit((3, 0), (99, 0), "")])
        #expect(client.diagnostics["app.toml"]?.count == 1)
        client.change("app.toml", [edit((1, 0), (0, 0), "")])
        #expect(client.warnings.count == 1, "a range that ends before its start is refused")
    }
}
