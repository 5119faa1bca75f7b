import Foundation
import TestSupport
import Testing

/// Files that apps read and change through the plugin `files`.
@Suite(.timeLimit(.minutes(10))) struct FilesTests {
    @Test func `it breaks no rule for plugins`() throws {
        let outcome = try Spinhost.run(
            "plugin", "check", "spin:files", "--call", "--seed", "7", "--only-failed")
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        #expect(outcome.output == "68 rules: 67 passed, 1 skipped; seed 7\n")
    }

    @Test(arguments: PluginMode.allCases)
    func `an app writes, reads, finds, moves and removes files`(_ mode: PluginMode) throws {
        let world = try FilesWorld(mode)
        let app = try world.start()
        for (call, answer) in [
            ("make_folder a/b", "done"), ("write a/b/1.txt=grüße", "done"),
            ("read a/b/1.txt", "a/b/1.txt: grüße"), ("append a/b/1.txt=!", "done"),
            ("write a/2.txt=two", "done"), ("glob a/**/*.txt", "a/2.txt a/b/1.txt"),
            ("move a/2.txt=a/3.txt", "done"), ("remove a/3.txt", "done"), ("glob a/*", "a/b"),
        ] {
            try app.write(call)
            #expect(app.nextLine() == answer, "\(call)")
        }
        #expect(world.content("a/b/1.txt") == "grüße!")
        app.endInOrder()
    }

    @Test(arguments: PluginMode.allCases)
    func `a failure has the number of the system and the path`(_ mode: PluginMode) throws {
        let world = try FilesWorld(mode)
        let app = try world.start(config: "largest = 4")
        try world.put("large", "12345")
        let outside = "it leads out of the folder of the setting `root`"
        for (call, answer) in [
            ("read missing", "-2 cannot read `missing`: No such file or directory"),
            ("read .", "-21 cannot read `.`: it is a folder"),
            ("read large", "-27 cannot read `large`: it is larger than the setting `largest` allows"),
            ("read ../app.toml", "-18 cannot read `../app.toml`: \(outside)"),
            ("write /tmp/a=b", "-18 cannot write `/tmp/a`: \(outside)"),
            ("move large=none/large", "-2 cannot move `large` to `none/large`: No such file or directory"),
        ] {
            try app.write(call)
            #expect(app.nextLine() == answer)
        }
        app.endInOrder()
    }

    @Test func `a worker keeps a mode only if the umask gives it`() throws {
        let world = try FilesWorld(.process)
        for (path, mode) in [("private", 0o600), ("shared", 0o666)] {
            try world.put(path, "old")
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: world.data.appendingPathComponent(path).path)
        }
        try world.folder.write("app.toml", world.manifest())
        let app = try RunningProgram(
            ["-c", "umask 022; exec '\(Project.spinhost)' run --quiet"], in: world.folder.root,
            program: "/bin/sh")
        try app.write("write private=new")
        #expect(app.nextLine() == "done")
        try app.write("write shared=new")
        #expect(
            app.nextLine() == "-1 cannot write `shared`: the new file cannot have the mode of the old one")
        #expect(world.content("private") == "new" && world.content("shared") == "old")
        app.endInOrder()
    }

    @Test func `calls of one feedback keep the order of the events`() throws {
        let world = try FilesWorld()
        let app = try world.start(config: "sync_appends = true")
        for number in 1...200 { try app.write("append log=\(number),") }
        for _ in 1...200 { #expect(app.nextLine() == "done") }
        #expect(world.content("log") == (1...200).map { "\($0)," }.joined())
        app.endInOrder()
    }

    @Test func `a small mailbox loses no answer`() throws {
        let world = try FilesWorld()
        try world.put("a", "text")
        let app = try world.start(more: "mailbox = { capacity = 4, overflow = \"reject\" }")
        // More calls may not wait, as a mailbox has no more room for their starts than for events.
        for _ in 1...50 {
            for _ in 1...4 { try app.write("read a") }
            for _ in 1...4 { #expect(app.nextLine() == "a: text") }
        }
        app.endInOrder()
    }

    @Test func `a root that is missing ends the app before it begins`() throws {
        let world = try FilesWorld()
        try FileManager.default.removeItem(at: world.data)
        let end = try world.start().end()
        #expect(end.status == 69)
        #expect(
            end.errors.contains(
                "setting `root`: cannot open `\(world.data.path)`: No such file or directory"),
            "\(end.errors)")
    }

    @Test func `calls of the next version follow those of the last one`() throws {
        let world = try FilesWorld()
        let host = try world.startSwappable()
        try host.program.write("write log=")
        #expect(host.program.nextLine() == "done")
        for round in 1...3 {
            for number in 1...20 { try host.program.write("append log=\(round)-\(number),") }
            try host.swapChanged("files", "files.so")
            for _ in 1...20 { #expect(host.program.nextLine() == "done") }
        }
        let expected = (1...3).map { round in (1...20).map { "\(round)-\($0)," }.joined() }.joined()
        #expect(world.content("log") == expected)
        host.program.endInOrder()
    }
}
