import Foundation
import Testing

/// The programs of this package are those of two articles, and print what these say.
struct ArticleTests {
    @Test(arguments: [
        ("Sources/HostLoopOpenCombine/HostLoopOpenCombine.docc/HostLoopOpenCombine.md", "Publishers"),
        ("Sources/HostLoopFlow/HostLoopFlow.docc/AsyncAlgorithms.md", "AsyncAlgorithms"),
    ])
    func programIsTheArticles_andPrintsWhatThatSays(article: String, folder: String) throws {
        let adapters = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let root = adapters.deletingLastPathComponent().deletingLastPathComponent()
        let blocks = try String(contentsOf: root.appendingPathComponent(article), encoding: .utf8)
            .components(separatedBy: "```")
        func text(after mark: String) -> String {
            blocks.filter { $0.hasPrefix("\(mark)\n") }.map { String($0.dropFirst(mark.count + 1)) }.joined()
        }
        let program = adapters.appendingPathComponent("\(folder)/main.swift")
        #expect(try String(contentsOf: program, encoding: .utf8) == text(after: "swift"))

        let process = Process()
        let output = Pipe()
        // The runner of the tests lies beside the programs of its package.
        let name = folder == "AsyncAlgorithms" ? "AsyncAlgorithmsUse" : folder
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent(name)
        process.standardOutput = output
        try process.run()
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(String(decoding: printed, as: UTF8.self) == text(after: "text"))
    }
}
