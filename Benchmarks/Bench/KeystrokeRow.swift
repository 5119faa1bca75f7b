/// Row T3: the time from a keystroke in a manifest of 10,000 lines until `spinhost lsp` has answered what may stand at
/// the place. The manifest is checked meanwhile, as after each keystroke.
struct KeystrokeRow {
    let spinhost: String
    /// The folder of the manifest, which need not exist as a file.
    let folder: String

    private static let keystrokes = 50

    func measure(rounds: Int) async throws -> [Row] {
        let samples = try await Row.sampling(
            rounds: rounds, figure: { try times(lines: 10_000) }, reference: { try times(lines: 100) })
        func row(_ name: String, _ title: String, _ time: ([Double]) -> Double) -> Row {
            Row(
                name: name, title: "\(title) in a manifest of 10,000 lines until its answer",
                referenceTitle: "the same in 100 lines", unit: "ms", judged: .figure, moreIsBetter: false,
                reach: 50, then: nil, samples: samples.map { $0.map(time) })
        }
        return [
            row("T3", "a keystroke", Row.median), row("T3 max", "the slowest of 50 keystrokes") { $0.last! },
        ]
    }

    /// The milliseconds of each keystroke, in the order of their sizes.
    private func times(lines: Int) throws -> [Double] {
        let editor = try EditorProcess(spinhost)
        defer { editor.end() }
        let text = Self.manifest(lines: lines)
        let address = #""uri":"file://\#(folder)/t3.toml""#
        let content = text.replacing("\n", with: #"\n"#)
        let document = #"{\#(address),"languageId":"toml","version":0,"text":"\#(content)"}"#
        try editor.notify("textDocument/didOpen", #"{"textDocument":\#(document)}"#)
        try editor.wait(for: "textDocument/publishDiagnostics")
        // Behind `state.` in the last line, where a name is written and deleted again.
        let line = lines - 1
        let last = text.split(separator: "\n").last!
        let column = last.split(separator: "state.")[0].count + "state.".count
        let place = #"{"line":\#(line),"character":\#(column)}"#
        let next = #"{"line":\#(line),"character":\#(column + 1)}"#
        var times: [Double] = []
        for version in 1...Self.keystrokes {
            let isWritten = version % 2 == 1
            let change =
                isWritten
                ? #"{"range":{"start":\#(place),"end":\#(place)},"text":"b"}"#
                : #"{"range":{"start":\#(place),"end":\#(next)},"text":""}"#
            let start = ContinuousClock.now
            try editor.notify(
                "textDocument/didChange",
                #"{"textDocument":{\#(address),"version":\#(version)},"contentChanges":[\#(change)]}"#)
            try editor.request(
                "textDocument/completion",
                #"{"textDocument":{\#(address)},"position":\#(isWritten ? next : place)}"#)
            times.append(Stopwatch.seconds(since: start) * 1e3)
        }
        return times.sorted()
    }

    /// Loops of 100 lines, each with 94 feedbacks.
    private static func manifest(lines: Int) -> String {
        var text = ""
        for loop in 0..<lines / 100 {
            text += """
                [loops.loop\(loop)]
                state  = { a = 1, b = 2.5 }
                events = { moved = { to = 'int' } }
                on.moved = { set = { a = 'event.to' } }
                # The feedbacks print the state.
                [loops.loop\(loop).feedback]

                """
            for index in 0..<94 {
                text += "f\(index) = { effect = 'std:print', args = ['string(1)'], when = 'state.b > 0.0' }\n"
            }
        }
        return text
    }
}
