import Foundation
import TestSupport
import Testing

/// Files that `spin:serve` answers with.
@Suite(.timeLimit(.minutes(10))) struct ServeFileTests {
    @Test func `a file of the folder is an answer, and nothing else is`() throws {
        let world = try ServeWorld()
        let folder = world.folder
        try folder.write("secret.txt", "secret")
        for (name, text) in [
            ("index.html", "<p>"), ("a.css", "p {}"), ("docs/index.html", "<b>"), (".hidden", "h"),
            ("a b.TXT", "t"),
        ] {
            let file = folder.url("site/\(name)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        try FileManager.default.createSymbolicLink(
            at: folder.url("site/link.txt"), withDestinationURL: folder.url("secret.txt"))
        try FileManager.default.createSymbolicLink(
            at: folder.url("site/up"), withDestinationURL: folder.root)
        let (app, address) = try world.start("files = 'site'")
        #expect(try world.curl("\(address)/") == "<p>")
        #expect(try world.curl("\(address)/docs/") == "<b>")
        #expect(try world.curl("\(address)//a%20b.TXT") == "t")
        let whole = try world.curl("-i", "\(address)/a.css")
        #expect(whole.contains("\nContent-Type: text/css; charset=utf-8\n"), "\(whole)")
        #expect(whole.hasSuffix("\n\np {}"))
        // The loop answers the rest.
        for path in [
            "docs", ".hidden", "link.txt", "up/secret.txt", "../secret.txt", "docs/../../secret.txt",
            "%2e%2e/secret.txt", "missing", "a.css/", "docs/./index.html", String(repeating: "a", count: 300),
        ] {
            #expect(
                try world.curl("--path-as-is", "\(address)/\(path)").hasPrefix("GET /"), "\(path)")
        }
        #expect(try world.curl("-d", "", "\(address)/a.css") == "POST /a.css [] ")
        app.endInOrder()
    }

    @Test func `a file that a client has is not sent again, until it changes`() throws {
        let world = try ServeWorld()
        try FileManager.default.createDirectory(
            at: world.folder.url("site"), withIntermediateDirectories: true)
        let file = world.folder.url("site/a.txt")
        try Data("one".utf8).write(to: file)
        let (app, address) = try world.start("files = 'site'")
        let head = try world.curl("-I", "\(address)/a.txt")
        let line = try #require(head.split(separator: "\n").first { $0.hasPrefix("Last-Modified: ") })
        let known = "If-Modified-Since: \(line.dropFirst(15))"
        let whole = try world.curl("-i", "-H", known, "\(address)/a.txt")
        #expect(whole.hasPrefix("HTTP/1.1 304 ") && whole.hasSuffix("\n\n"), "\(whole)")
        #expect(!whole.contains("Content-Length") && !whole.contains("\nContent-Type"), "\(whole)")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: file.path)
        #expect(try world.status("-H", known, "\(address)/a.txt") == "200")
        #expect(
            try world.curl("-I", "\(address)/a.txt").contains(
                "\nLast-Modified: Thu, 01 Jan 1970 00:00:01 GMT\n"))
        app.endInOrder()
    }

    @Test func `a large file comes whole`() throws {
        let world = try ServeWorld()
        try FileManager.default.createDirectory(
            at: world.folder.url("site"), withIntermediateDirectories: true)
        let bytes = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) })
        try bytes.write(to: world.folder.url("site/large.bin"))
        let (app, address) = try world.start("files = 'site'")
        let copy = world.folder.url("copy").path
        #expect(try world.curl("--fail", "--output", copy, "\(address)/large.bin") == "")
        #expect(try Data(contentsOf: world.folder.url("copy")) == bytes)
        app.endInOrder()
    }
}
