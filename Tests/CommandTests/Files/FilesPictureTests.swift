import Foundation
import Glibc
import TestSupport
import Testing

/// An app that keeps a picture of a folder by the events of the plugin `files`, while others change the folder at
/// random.
@Suite(.timeLimit(.minutes(10))) struct FilesPictureTests {
    /// The paths that the app knows.
    private struct Picture {
        var paths: Set<String> = []

        mutating func apply(_ line: String) {
            let words = line.split(separator: " ").map(String.init)
            switch words[0] {
            case "present", "created": #expect(paths.insert(words[1]).inserted, "\(line)")
            case "removed": #expect(paths.remove(words[1]) != nil, "\(line)")
            case "changed": #expect(paths.contains(words[1]), "\(line)")
            case "moved":
                for path in paths where path == words[1] || path.hasPrefix(words[1] + "/") {
                    paths.remove(path)
                    paths.insert(words[3] + path.dropFirst(words[1].count))
                }
                #expect(paths.contains(words[3]), "\(line)")
            default: Issue.record("\(line)")
            }
        }
    }

    /// Numbers that are the same in each run of a test.
    private struct Dice {
        var state: UInt64

        mutating func roll(_ sides: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % sides
        }
    }

    /// What is there, with the paths of the app.
    private func paths(_ root: URL) -> [String] {
        let found = FileManager.default.enumerator(atPath: root.appendingPathComponent("in").path)
        return ["in"] + (found?.compactMap { ($0 as? String).map { "in/\($0)" } } ?? []).sorted()
    }

    /// Makes, moves or removes something. Some changes are not possible, such as to move a folder into itself.
    private func change(_ root: URL, _ dice: inout Dice) {
        let all = paths(root)
        let old = root.appendingPathComponent(all[dice.roll(all.count)])
        let folder = root.appendingPathComponent(all[dice.roll(all.count)])
        let new = folder.appendingPathComponent(["a", "b", "c", "d", "e"][dice.roll(5)])
        switch dice.roll(5) {
        case 0: try? Data().write(to: new)
        case 1: try? FileManager.default.createDirectory(at: new, withIntermediateDirectories: false)
        // Safe because both paths are copies for the call.
        case 2, 3: _ = unsafe rename(old.path, new.path)
        default: if old.lastPathComponent != "in" { try? FileManager.default.removeItem(at: old) }
        }
    }

    @Test(arguments: [1, 2, 3])
    func `the picture is that of the folder`(_ seed: UInt64) throws {
        let world = try FilesWorld()
        try FileManager.default.createDirectory(
            at: world.data.appendingPathComponent("in"), withIntermediateDirectories: false)
        let app = try world.start(
            watch: "path = \"'in'\", recursive = true, present = true, settle = '1ms'")
        var (picture, dice) = (Picture(), Dice(state: seed))
        picture.apply(app.nextLine())
        for round in 1...20 {
            for _ in 1...dice.roll(60) + 1 { change(world.data, &dice) }
            // Folders within new folders take a while: each mark comes behind those before.
            for mark in 1...20 where mark == 1 || picture.paths != Set(paths(world.data)) {
                try world.put("in/mark-\(round)-\(mark)", "")
                while !picture.paths.contains("in/mark-\(round)-\(mark)") {
                    let line = app.nextLine()
                    try #require(!line.isEmpty)
                    picture.apply(line)
                }
            }
            #expect(picture.paths == Set(paths(world.data)))
        }
        app.endInOrder()
    }
}
