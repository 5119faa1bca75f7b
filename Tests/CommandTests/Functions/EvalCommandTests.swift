import Testing
import TestSupport

struct EvalCommandTests {
    @Test(arguments: [
        ("1 + 2 * 3", "7"), ("'a' + \"b\"", "\"ab\""), ("9223372036854775807", "9223372036854775807"),
        ("18446744073709551615u", "18446744073709551615"), ("1.0 / 0.0", "\"Infinity\""), ("[1, 2][1]", "2"),
        ("duration('90s')", "\"90s\""), ("b'\\xff'", "\"/w==\""), ("null", "null"), ("size('日本')", "2"),
    ])
    func value_isPrintedAsJSON(_ expression: String, _ expected: String) throws {
        let outcome = try Spinhost.run("eval", expression)
        #expect(outcome.output == expected + "\n")
        #expect(outcome.status == 0)
    }

    @Test(arguments: [
        (
            "[1, 2u, 'x', b'a', 1.5, null, true]",
            #"{"type":"list","value":[{"type":"int","value":"1"},{"type":"uint","value":"2"},"#
                + #"{"type":"string","value":"x"},{"type":"bytes","value":[97]},{"type":"double","value":1.5},"#
                + #"{"type":"null","value":null},{"type":"bool","value":true}]}"#
        ),
        (
            "{'a': duration('1s')}",
            #"{"type":"map","value":[[{"type":"string","value":"a"},{"type":"duration","value":"1000000000"}]]}"#
        ),
    ])
    func typedValue_saysItsType(_ expression: String, _ expected: String) throws {
        #expect(try Spinhost.run("eval", expression, "--typed").output == expected + "\n")
        let again = try Spinhost.run(
            "eval", "x == y", "--typed", "--bindings",
            #"{"x": {"type": "timestamp", "value": "5"}, "y": {"type": "timestamp", "value": "5"}}"#)
        #expect(again.output == #"{"type":"bool","value":true}"# + "\n")
    }

    @Test func bindings_areNames() throws {
        let outcome = try Spinhost.run(
            "eval", "state.n > limit && name == 'x' && list[1] == 2", "--bindings",
            #"{"state": {"n": 4}, "limit": 3, "name": "x", "list": [1, 2]}"#)
        #expect(outcome.output == "true\n")
    }

    @Test func faultyExpression_pointsAtTheFault() throws {
        let outcome = try Spinhost.run("eval", "1 + state.lefft", "--bindings", #"{"state": {"left": 1}}"#)
        #expect(outcome.output == "")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains(" --> expression:1:11\n"))
        #expect(outcome.errors.contains("did you mean `left`?"))
    }

    @Test func divisionByZero_isAnError() throws {
        let outcome = try Spinhost.run("eval", "10 / (1 - 1)")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("divides by zero"))
    }

    @Test(arguments: [
        "[1]", "{\"a\":", "{\"a\": 184467440737095516150}",
    ])
    func wrongBindings_areAUsageError(_ bindings: String) throws {
        let outcome = try Spinhost.run("eval", "1", "--bindings", bindings)
        #expect(outcome.status == 64)
        #expect(outcome.errors.hasPrefix("error: `--bindings`: "))
    }

    @Test func bindings_mayBeAnyJSON() throws {
        let outcome = try Spinhost.run(
            "eval", "list.filter(x, type(x) == int).map(x, x + 1) + [nothing]", "--bindings",
            #"{"list": [1, "x", {"a": null}], "nothing": null}"#)
        #expect(outcome.output == "[2,null]\n")
    }

    @Test func jsonLines_giveOneAnswerEachInOrder() throws {
        let outcome = try Spinhost.run(
            "eval", "--jsonl",
            input: """
                {"expr": "a + 1", "bindings": {"a": 1}}
                {"expr": "a + 1", "bindings": {"a": "x"}}
                {"expr": "1 +"}
                no json

                {"expr": "{'k': [1.5, null]}", "comment": "ignored"}
                """)
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 6)
        #expect(lines.first == "2")
        #expect(lines[1] == #"{"error":{"code":"E038","message":"`+` does not take string and int"}}"#)
        #expect(lines[2].hasPrefix(#"{"error":{"code":"E005","message":"#))
        #expect(lines[3].hasPrefix(#"{"error":{"message":"#))
        #expect(lines[4].hasPrefix(#"{"error":{"message":"#))
        #expect(lines[5] == #"{"k":[1.5,null]}"#)
        #expect(outcome.status == 0)
    }

    @Test func typedJSONLines_sayTheirTypes() throws {
        let outcome = try Spinhost.run(
            "eval", "--jsonl", "--typed",
            input: #"{"expr": "[type(a), a]", "bindings": {"a": {"type": "uint", "value": "7"}}}"#)
        #expect(
            outcome.output
                == #"{"type":"list","value":[{"type":"type","value":"uint"},{"type":"uint","value":"7"}]}"#
                + "\n")
    }

    @Test func jsonLinesWithAnExpression_areAUsageError() throws {
        #expect(try Spinhost.run("eval", "1", "--jsonl").status == 64)
        #expect(try Spinhost.run("eval").status == 64)
    }
}
