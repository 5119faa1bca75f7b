import Foundation
import TestSupport
import Testing

@testable import spinhost

/// Files that `dev` looks at, while they are written.
@Suite(.timeLimit(.minutes(10))) struct SettledFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.url("app.toml").path
    }

    /// Writes into the file that is there, as some editors do.
    private func write(_ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: [])
    }

    private func settlesInTwoLooks(_ file: inout SettledFile) -> Bool {
        let settled = file.settles()
        return file.settles() || settled
    }

    @Test func `a write right after a file was taken is taken, too`() throws {
        var file = SettledFile(path)
        // All have one size, so that only the time tells them apart.
        for round in 10..<30 {
            for text in ["first \(round)", "after \(round)"] {
                try write(text)
                file.look()
                try blockUntil { file.settles() }
                #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
            }
        }
    }

    @Test func `a file that is gone or empty is not taken`() throws {
        var file = SettledFile(path)
        #expect(!settlesInTwoLooks(&file))
        try write("")
        #expect(!settlesInTwoLooks(&file))
        try write("text")
        try blockUntil { file.settles() }
        try FileManager.default.removeItem(atPath: path)
        #expect(!settlesInTwoLooks(&file))
    }

    @Test func `a file that failed is taken again twice, until it changes`() throws {
        var file = SettledFile(path)
        for text in ["one", "two"] {
            try write(text)
            try blockUntil { file.settles() }
            for _ in 0..<2 {
                file.retry()
                #expect(settlesInTwoLooks(&file))
            }
            file.retry()
            #expect(!settlesInTwoLooks(&file))
        }
    }
}
