import Diagnostics
import Testing

@testable import Manifest

/// What a file with thousands of faults costs, counted.
@Suite struct ManyFaultsTests {
    @Test func whatIsNotShown_isNotComputed() {
        let collector = DiagnosticCollector()
        var computed = 0
        func text() -> String? {
            computed += 1
            return ["left", "right"].suggestion(for: "lefft")
        }
        for index in 0..<5000 {
            collector.error(.unknownEvent, "`\(index)`", at: nil, label: text() ?? "", help: [text()])
            collector.warning(.typeNameAsValue, "`\(index)`", at: nil, help: [text()])
        }
        #expect(collector.diagnostics.count == DiagnosticCollector.limit + 1)
        #expect(collector.errorCount >= 5000)
        #expect(computed <= 3 * (DiagnosticCollector.limit + 2))
    }

    /// Thousands of names that nothing has, among thousands that are nearly the same.
    @Test(arguments: ["on", "tests", "gears", "effects"])
    func thousandsOfUnknownNames_amongThousands(place: String) throws {
        let count = 4000
        let numbers = 0..<count
        let events = numbers.map { "event_\($0) = {}" }.joined(separator: ", ")
        var text = "[loops.main]\nstate = { n = 0 }\nevents = { \(events) }\n"
        switch place {
        case "on": text += "on = { \(numbers.map { "evemt_\($0) = {}" }.joined(separator: ", ")) }\n"
        case "tests":
            for number in numbers {
                text += "[[tests]]\nname = \"x\"\nevents = [{ evemt_\(number) = {} }]\nexpect = {}\n"
            }
        case "gears":
            text += "[loops.main.receive]\n"
            text += numbers.map { "geer_\($0).lost = { event = \"event_\($0)\" }\n" }.joined()
            text += "[gears]\n" + numbers.map { "gear_\($0).messages = { lost = {} }\n" }.joined()
        default:
            text += "[loops.main.feedback]\n"
            text += numbers.map { "feedback_\($0) = { effect = \"std:print\", args = [\"'x'\"] }\n" }.joined()
            for number in numbers {
                text +=
                    "[[tests]]\nname = \"x\"\nloop = \"main\"\nexpect = {}\neffects = { feedbeck_\(number) = 0 }\n"
            }
        }
        let loaded = try Fixture.shared.get().load(text: text, as: "many-\(place)")
        #expect(loaded.manifest == nil)
        #expect(loaded.diagnostics.count == 201)
        let shown = loaded.diagnostics.filter { $0.help.contains { $0.hasPrefix("did you mean `") } }
        #expect(shown.count >= 199)
    }
}
