import Diagnostics
import Interfaces
import Records

/// Reads a text as declarations, as one prototype, and as the structs of a plugin. Checks calls of every
/// function in it.
enum PrototypeInput {
    private static let outs: [CallArgument] = [
        .out(count: 1, as: .elements), .out(count: 7, as: .elements), .out(count: 1 << 20, as: .string),
        .out(count: 16, as: .bytes(used: "result")), .out(count: .max, as: .elements),
    ]

    static func run(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let declarations = CDeclarations(parsing: text)
        precondition(declarations.faults.count <= 65, "the number of faults is bounded")
        let file = SourceText(file: SourceFile(name: "declares", text: text))
        for fault in declarations.faults { show(fault, in: file) }
        for function in declarations.functions.prefix(16) { call(function) }
        do { call(try CFunction(parsing: text)) } catch { show(error, in: file) }
        describe(text)
    }

    /// Reads each line as the note of a struct, `struct NAME …`.
    private static func describe(_ text: String) {
        var notes = [PluginNote(.plugin, ["\(ABIVersion.host)", "fuzz", "1"])]
        for line in text.split(separator: "\n").prefix(64) where line.hasPrefix("struct ") {
            let name = String(
                line.dropFirst(7).prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
            notes.append(PluginNote(.record, [name, String(line)]))
            notes.append(PluginNote(.emitter, [name, "void \(name)(\(name) one, spin_list_\(name) all)"]))
        }
        do {
            let plugin = try PluginDescription(notes: notes)
            for record in plugin.records {
                precondition((1...1 << 16).contains(record.type.size), "a struct has a size within bounds")
                precondition(record.type.description.utf8.count < 1 << 24, "a type can be shown")
            }
            for emitter in plugin.emitters {
                precondition(emitter.payloadSize == emitter.payload.size, "structs are emitted as they are")
            }
        } catch { precondition(!error.message.isEmpty, "every refusal says something") }
    }

    private static func show(_ fault: TextFault, in file: SourceText) {
        precondition(
            fault.range.lowerBound >= 0 && fault.range.upperBound <= file.text.utf8.count,
            "every place exists")
        precondition(!DiagnosticRenderer().render(fault.diagnostic(in: file)).isEmpty, "every fault is shown")
    }

    private static func call(_ function: CFunction) {
        let count = function.parameters.count - function.hostParameters
        check(function, Array(repeating: .input, count: count))
        for out in outs {
            check(function, Array(repeating: out, count: count))
            // The function writes one parameter and reads the others, as most functions do.
            for index in 0..<min(count, 4) {
                var arguments = [CallArgument](repeating: .input, count: count)
                arguments[index] = out
                check(function, arguments)
            }
        }
    }

    private static func check(_ function: CFunction, _ arguments: [CallArgument]) {
        do {
            let signature = try CallSignature(function, arguments: arguments)
            precondition(signature.parameters.count == function.parameters.count, "every parameter is passed")
            precondition(signature.inputs.size >= 0 && signature.outcome.size > 0, "records have sizes")
        } catch { precondition(!error.message.isEmpty, "every refusal says something") }
    }
}
