import Diagnostics
import Expressions
import Foundation
import Records
import TestSupport
import Testing

/// The tables in `Tests/Fixtures/expressions`, one case a line: an expression, the values of its names, and its value or
/// the code of its fault. They follow the CEL specification and the cases of its conformance tests.
@Suite("expressions without types")
struct ConformanceTests {
    private static let folder = Project.root.appending(path: "Tests/Fixtures/expressions")

    @Test(
        "have the values and faults that CEL says",
        arguments: [
            "literals", "names", "operators", "comparisons", "macros", "variables", "lists", "conversions",
            "text",
            "math", "time", "optionals", "network", "regex",
        ])
    func table(name: String) throws {
        let lines = try String(contentsOf: Self.folder.appending(path: "\(name).jsonl"), encoding: .utf8)
            .split(separator: "\n")
        for line in lines {
            let entry = try Value(json: String(line))
            guard case .string(let text)? = entry["expr"] else {
                Issue.record("no expression in \(line)")
                continue
            }
            let wanted: String
            if case .string(let code)? = entry["error"] {
                wanted = code
            } else {
                wanted = try #require(entry["value"]).json
            }
            #expect(try outcome(text, entry["bindings"]) == wanted, "\(text)")
        }
        #expect(lines.count > 30)
    }

    /// The typed value, or the code of the fault.
    private func outcome(_ text: String, _ bindings: Value?) throws -> String {
        var names: [String] = []
        var values: [Value] = []
        if case .map(let entries)? = bindings {
            for entry in entries {
                guard case .string(let name) = entry.key else { continue }
                names.append(name)
                values.append(try TypedValue.value(of: entry.value))
            }
        }
        do {
            let value = try Expression(text, in: Scope(untyped: names)).evaluate(with: values)
            return TypedValue.json(of: value).json
        } catch let fault as TextFault {
            return fault.code.rawValue
        } catch let fault as EvaluationFault {
            #expect(fault.range.upperBound <= text.utf8.count)
            return fault.code.rawValue
        }
    }
}
