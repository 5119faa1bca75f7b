import TestSupport

/// Random feedbacks of a random state machine, as a manifest. Each prints a line when a run begins, and most print
/// another one when it is cancelled.
struct RandomFeedbacks {
    /// `lib:hold` prints its text with `+`, and with `-` once it is cancelled.
    static let plugin = """
        #include <spinhost/plugin.h>
        #include <stdio.h>
        #include <stdlib.h>
        SPIN_PLUGIN("held", "1");
        static void print(char sign, const char *text) {
            char line[512];
            snprintf(line, sizeof line, "%c%s", sign, text);
            spin_print(line);
        }
        struct held { spin_call *call; char text[500]; };
        static void cancelled(void *context) {
            struct held *held = context;
            print('-', held->text);
            spin_finish(held->call);
            free(held);
        }
        static void hold(spin_call *call, const char *text) {
            struct held *held = malloc(sizeof *held);
            held->call = call;
            snprintf(held->text, sizeof held->text, "%s", text);
            print('+', text);
            if (spin_on_cancel(call, cancelled, held) != SPIN_OK) {
                free(held);
                spin_finish(call);
            }
        }
        SPIN_EFFECT(void, hold, (spin_call *call, const char *text), "Emits nothing.");
        """

    /// The keys of its instances; empty for a loop without a key.
    let keys: [String]
    let manifest: String

    init(of machine: RandomMachine, isKeyed: Bool, using generator: inout SeededGenerator) {
        keys = isKeyed ? ["k0", "k1"] : []
        let key = isKeyed ? "key + ' ' + " : ""
        var lines = [
            "[plugins.lib]", "library = \"./lib.so\"", "[gears.out]",
            "messages = { said = { text = \"string\" } }",
            // An event that always comes last, which tells that all others were handled.
            machine.manifest
                .replacing("[loops.main]", with: isKeyed ? "[loops.main]\nkey = \"string\"" : "[loops.main]")
                .replacing("events = {", with: #"events = { last = { n = "int", t = "string" }, "#)
                .replacing("[loops.main.on]", with: "[loops.main.on]\nlast = {}"),
            "[loops.main.let]",
            "named = \"\(Self.text(machine.shared, using: &generator))\"",
        ]
        for index in 0..<Int.random(in: 5...14, using: &generator) {
            lines += Self.feedback(index, key, of: machine, using: &generator)
        }
        lines.append(
            """
            [loops.main.feedback.last]
            effect = "std:print"
            args = ["\(key)'last'"]
            on = "last"
            [loops.main.feedback.olast]
            send = { gear = "out", message = "said", text = "'o' + \(key)'last'" }
            on = "last"
            [loops.other]
            state = {}
            events = { said = { text = "string" } }
            receive = { out = { said = { event = "said", text = "message.text" } } }
            on = { said = {} }
            feedback.print = { effect = "std:print", args = ["event.text"], on = "said" }
            """)
        if isKeyed { lines.append(Self.sender) }
        manifest = lines.joined(separator: "\n") + "\n"
    }

    /// A loop that hands its events to an instance.
    private static let sender = """
        [loops.sender]
        state = {}
        [loops.sender.events]
        \(events.map { "\($0) = { n = \"int\", t = \"string\", key = \"string\" }" }.joined(separator: "\n"))
        [loops.sender.on]
        \(events.map { "\($0) = {}" }.joined(separator: "\n"))
        [loops.sender.feedback]
        \(events.map {
            "\($0) = { send = { loop = \"main\", key = \"event.key\", event = \"\($0)\", "
                + "n = \"event.n\", t = \"event.t\" }, on = \"\($0)\" }"
        }.joined(separator: "\n"))
        """
    private static let events = ["e0", "e1", "e2", "last"]

    private static func feedback(
        _ index: Int, _ key: String, of machine: RandomMachine, using generator: inout SeededGenerator
    ) -> [String] {
        var fields = machine.shared
        var lines = ["[loops.main.feedback.f\(index)]"]
        if Int.random(in: 0...2, using: &generator) == 0 {
            let count = Int.random(in: 1...machine.cases.count, using: &generator)
            let cases = Array(machine.cases.indices.shuffled(using: &generator).prefix(count))
            lines.append("in = [\(cases.map { "\"c\($0)\"" }.joined(separator: ", "))]")
            fields += RandomMachine.common(cases.map { machine.cases[$0] })
        }
        var text = "\(key)'\(index) ' + " + Self.text(fields, using: &generator)
        switch Int.random(in: 0...5, using: &generator) {
        case 0:
            let strategies = ["cancel-on-new-state", "cancel-on-new-match", "continue-on-new-state", "queue"]
            lines.append("trigger = \"state\"")
            lines.append("strategy = \"\(strategies.randomElement(using: &generator)!)\"")
        case 1:
            let events = [0, 1, 2].shuffled(using: &generator)
                .prefix(Int.random(in: 1...2, using: &generator))
            lines.append("on = [\(events.map { "\"e\($0)\"" }.joined(separator: ", "))]")
            text += " + event.t"
        case 2:
            let number = fields.first { $0.type != .text }.map { "state.\($0.name) % 3" } ?? "2"
            let shift = fields.first { $0.type != .text }.map { " + state.\($0.name) % 2 * 100" } ?? ""
            let itemKey = "item" + (Bool.random(using: &generator) ? shift : "")
            lines.append("trigger = { each = \"[1, 10 + \(number)]\", key = \"\(itemKey)\" }")
            text += " + string(item)"
        default: break
        }
        if let condition = condition(fields, using: &generator) { lines.append("when = \"\(condition)\"") }
        switch Int.random(in: 0...6, using: &generator) {
        case 0: lines.append("send = { gear = \"out\", message = \"said\", text = \"'o' + \(text)\" }")
        case 1, 2: lines += ["effect = \"std:print\"", "args = [\"\(text)\"]"]
        default: lines += ["effect = \"lib:hold\"", "args = [\"\(text)\"]"]
        }
        return lines
    }

    /// A text that an expression makes of some of the fields.
    private static func text(
        _ fields: [RandomMachine.Field], using generator: inout SeededGenerator
    ) -> String {
        switch Int.random(in: 0...5, using: &generator) {
        case 0: return "state.case"
        case 1: return "json.encode(state)"
        case 2: return "'fixed'"
        default: break
        }
        guard let field = fields.randomElement(using: &generator) else { return "'no field'" }
        return field.type == .text ? "state.\(field.name)" : "string(state.\(field.name))"
    }

    private static func condition(
        _ fields: [RandomMachine.Field], using generator: inout SeededGenerator
    ) -> String? {
        let number = fields.filter { $0.type != .text }.randomElement(using: &generator).map {
            "state.\($0.name)"
        }
        switch Int.random(in: 0...7, using: &generator) {
        case 0: return "now > timestamp('2000-01-01T00:00:00Z')"
        case 1: return "named != 'c0'"
        case 2: return number.map { "\($0) % 2 == 0" }
        // It faults for some values.
        case 3: return number.map { "10 / (\($0) % 3) != 4" }
        case 4: return "state.case != 'c0'"
        default: return nil
        }
    }
}
