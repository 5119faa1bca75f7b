import Testing
import TestSupport

/// Whatever has a name and is misspelt gets a suggestion.
struct DidYouMeanTests {
    private static let manifest = """
        app.name = "names"
        config   = { limit = 3 }
        gears.auth.messages = { lost = { user = "string" } }
        [plugins.libc]
        library  = "libc.so.6"
        declares = "int abs(int n);"
        [loops.main]
        state   = { count = 0 }
        events  = { moved = { to = "int" } }
        until   = "state.count > config.limit"
        receive = { auth.lost = { event = "moved", to = "size(message.user)" } }
        [loops.main.on]
        moved  = { set = { count = "event.to" } }
        [loops.main.feedback.go]
        effect = "libc:abs"
        args   = ["state.count"]
        emit   = { event = "moved", to = "result" }
        [[tests]]
        name   = "moves"
        loop   = "main"
        given  = { count = 1 }
        events = [{ moved = { to = 2 } }]
        expect = { count = 2 }

        """

    @Test func manifestItself_hasNoFault() throws {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", Self.manifest)
        let outcome = try Spinhost.run("check", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test(arguments: [
        ("app.name", "ap.name", "app"), ("app.name", "app.nmae", "name"),
        ("library  =", "libary  =", "library"),
        ("until ", "untl ", "until"), ("set = { count", "st = { count", "set"), ("args ", "arsg ", "args"),
        ("set = { count", "set = { cuont", "count"), ("moved  = { set", "movd  = { set", "moved"),
        ("\"libc:abs\"", "\"lbc:abs\"", "libc"), ("\"libc:abs\"", "\"libc:asb\"", "abs"),
        ("\"libc:abs\"", "\"sdt:print\"", "std"), ("\"libc:abs\"", "\"std:pirnt\"", "print"),
        ("[\"state.count\"]", "[\"state.cont\"]", "count"), ("\"state.count >", "\"stat.count >", "state"),
        ("config.limit", "config.limt", "limit"),
        ("event = \"moved\", to = \"result\"", "event = \"mved\"", "moved"),
        ("to = \"result\"", "too = \"result\"", "to"), ("= \"event.to\"", "= \"event.too\"", "to"),
        ("{ to = \"int\" }", "{ to = \"itn\" }", "int"), ("auth.lost", "auht.lost", "auth"),
        ("auth.lost", "auth.lots", "lost"), ("message.user", "message.usr", "user"),
        ("loop   = \"main\"", "loop   = \"mian\"", "main"), ("given  =", "givn  =", "given"),
        ("given  = { count", "given  = { cuont", "count"), ("[{ moved", "[{ mved", "moved"),
        ("expect = { count", "expect = { coun", "count"),
        ("effect = ", "trigger = \"chang\"\neffect = ", "change"),
        ("app.name", "app.on-fault = \"stp\"\napp.name", "stop"),
        ("= \"int\"", "= { type = \"int\", dox = \"\" }", "doc"),
    ])
    func misspeltName_getsASuggestion(_ right: String, _ wrong: String, _ meant: String) throws {
        let folder = try TemporaryFolder()
        #expect(Self.manifest.contains(right), "\(right)")
        var text = Self.manifest
        text.replaceSubrange(try #require(text.firstRange(of: right)), with: wrong)
        try folder.write("app.toml", text)
        let outcome = try Spinhost.run("check", in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("did you mean `\(meant)`?"), "\(outcome.errors)")
    }

    @Test(arguments: [
        ("chek", "check"), ("runn", "run"), ("tets", "test"), ("repaly", "replay"), ("grpah", "graph"),
        ("shcema", "schema"), ("evl", "eval"), ("cal", "call"), ("nwe", "new"), ("fmr", "fmt"),
    ])
    func misspeltVerb_getsASuggestion(_ wrong: String, _ meant: String) throws {
        let outcome = try Spinhost.run(wrong)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("did you mean `\(meant)`?"), "\(outcome.errors)")
    }

    @Test(arguments: [
        (["inf"], "info"), (["ifno", "x.so"], "info"), (["nwe", "x"], "new"), (["chek", "x.so"], "check"),
    ])
    func misspeltVerbOfPlugin_getsASuggestion(_ arguments: [String], _ meant: String) throws {
        let outcome = try Shell.run(Project.spinhost, ["plugin"] + arguments)
        #expect(outcome.status == 64)
        let hint = "`\(arguments[0])` is not a verb of `spinhost plugin`; did you mean `\(meant)`?\n"
        #expect(outcome.errors.hasPrefix(hint), "\(outcome.errors)")
    }

    @Test(arguments: [
        (["--manifst", "x"], "--manifest"), (["run", "--explan"], "--explain"),
        (["check", "--header"], "--headers"),
        (["graph", "--fromat", "dot"], "--format"), (["new", "x", "--tempalte", "c"], "--template"),
        (["--set", "x=1", "--stpes"], "--steps"),
    ])
    func misspeltOption_getsASuggestion(_ arguments: [String], _ meant: String) throws {
        let outcome = try Shell.run(Project.spinhost, arguments)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("Did you mean '\(meant)'?"), "\(outcome.errors)")
    }
}
