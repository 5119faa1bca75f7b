import Diagnostics
import Interfaces
import Manifest
import Records

/// Compares a plugin's `declares` with the C headers that the manifest names, using the C compiler.
struct HeaderCheck {
    private struct Line {
        let text: String
        let span: SourceSpan
        // The name of the checked declaration. Only its first fault is reported.
        let subject: String
        // The message for a failure; nil to use the compiler's message.
        let meaning: String?
    }

    private let plugin: PluginModel
    private let compiler: CompilerCommand

    /// A check of one plugin.
    ///
    /// - Parameter compiler: the compiler, with the folders to search for headers.
    init(_ plugin: PluginModel, compiler: CompilerCommand) {
        (self.plugin, self.compiler) = (plugin, compiler)
    }

    /// A fault for each declaration that differs from the headers, in order.
    ///
    /// - Throws: if the compiler gave no answer.
    func faults() throws(CompilerCommand.Failure) -> [Diagnostic] {
        let lines = self.lines
        guard !plugin.headers.isEmpty, !lines.isEmpty else { return [] }
        var faults: [Diagnostic] = []
        var seen: Set<String> = []
        let answer = try compiler.run(
            // Removes two words that only clang knows.
            ["-w", "-fsyntax-only", "-D_Nullable=", "-D_Nonnull="],
            source: lines.map(\.text).joined(separator: "\n") + "\n")
        for said in answer.errors.split(separator: "\n") {
            guard let match = said.firstMatch(of: #/^(.+):([0-9]+):[0-9]+: (?:fatal )?error: (.+)$/#) else {
                continue
            }
            let isOurs = match.1 == "<stdin>"
            guard isOurs, let number = Int(match.2), lines.indices.contains(number - 1) else {
                if !isOurs, seen.insert("").inserted { faults.append(fault("\(said)", at: plugin.span)) }
                continue
            }
            let line = lines[number - 1]
            guard seen.insert(line.subject).inserted else { continue }
            faults.append(
                fault(line.meaning ?? "the compiler says: \(match.3)", at: line.span, of: line.subject))
        }
        return faults
    }

    private func fault(_ message: String, at span: SourceSpan, of subject: String = "") -> Diagnostic {
        let names = plugin.headers.map { "`\($0)`" }.joined(separator: ", ")
        return Diagnostic(
            .error, .differsFromHeader,
            subject.isEmpty
                ? "\(names): \(message)" : "\(subject) differs from its declaration in \(names): \(message)",
            at: span, help: subject.isEmpty ? [] : ["copy the declaration from the header"])
    }

    private var lines: [Line] {
        guard let declarations = plugin.declarations, let text = plugin.declarationsText else { return [] }
        var lines = ["stddef.h", "stdint.h", "stdbool.h", "sys/types.h"].map {
            Line(text: "#include <\($0)>", span: plugin.span, subject: "", meaning: nil)
        }
        lines += plugin.headers.map {
            Line(text: "#include \"\($0)\"", span: plugin.span, subject: "", meaning: nil)
        }
        for typedef in declarations.typedefs where typedef.isRepeatable {
            lines.append(
                Line(
                    text: "\(typedef.text.filter { !$0.isNewline });", span: text.span(of: typedef.range),
                    subject: "`\(typedef.name)`", meaning: nil))
        }
        for enumeration in declarations.enumerations { lines += self.lines(of: enumeration, text) }
        for structure in declarations.structures { lines += self.lines(of: structure, text) }
        for (index, function) in declarations.functions.enumerated() {
            lines.append(
                Line(
                    text: "__typeof__(\(function.name)) *declared_\(index);",
                    span: text.span(of: function.range),
                    subject: "`\(function.name)`", meaning: "the header has no such function"))
            lines.append(
                Line(
                    text: "\(function.text.filter { !$0.isNewline });", span: text.span(of: function.range),
                    subject: "`\(function.name)`", meaning: nil))
        }
        return lines
    }

    /// The span of a type's declaration, and the type's name in C.
    private func location(of name: String, _ keyword: String, in text: SourceText) -> (SourceSpan, String) {
        let isTagged = !keyword.isEmpty && text.text.contains("\(keyword) \(name)")
        let name = isTagged ? "\(keyword) \(name)" : name
        let start = text.text.firstRange(of: name).map { range in
            text.text.utf8.distance(from: text.text.startIndex, to: range.lowerBound)
        }
        return (text.span(of: (start ?? 0)..<(start ?? 0) + name.utf8.count), name)
    }

    private func check(
        _ condition: String, _ span: SourceSpan, _ subject: String, _ meaning: String
    ) -> Line {
        Line(
            text: "_Static_assert(\(condition), \"differs\");", span: span, subject: "`\(subject)`",
            meaning: meaning)
    }

    private func lines(of enumeration: CEnumeration, _ text: SourceText) -> [Line] {
        let named = enumeration.constants.first?.name ?? ""
        let (span, name) =
            enumeration.name.isEmpty
            ? (location(of: named, "", in: text).0, "enum")
            : location(of: enumeration.name, "enum", in: text)
        var lines = enumeration.constants.map {
            check("\($0.name) == \($0.value)", span, name, "`\($0.name)` is not \($0.value) there")
        }
        if !enumeration.name.isEmpty {
            let size = enumeration.integer.size
            lines.append(
                check("sizeof(\(name)) == \(size)", span, name, "it does not have \(size) bytes there"))
        }
        return lines
    }

    private func lines(of structure: CStructure, _ text: SourceText) -> [Line] {
        // A nested structure without a name is checked with the structure around it.
        guard !structure.name.isEmpty else { return [] }
        let (span, name) = location(of: structure.name, "struct", in: text)
        var lines: [Line] = []
        for member in structure.members {
            lines.append(
                check(
                    "offsetof(\(name), \(member.name)) == \(member.offset)", span, name,
                    "`\(member.name)` is not \(member.offset) bytes from its start there"))
            let value = "((\(name) *)0)->\(member.name)"
            if let size = member.type.size {
                lines.append(
                    check(
                        "sizeof(\(value)) == \(size)", span, name,
                        "`\(member.name)` does not have \(size) bytes there"))
            }
            if let condition = member.type.condition(on: value) {
                lines.append(
                    check(condition, span, name, "`\(member.name)` is not of type `\(member.type)` there"))
            }
        }
        lines.append(
            check(
                "sizeof(\(name)) == \(structure.size)", span, name,
                "it does not have \(structure.size) bytes there"))
        return lines
    }
}

extension CTypedef {
    /// True if C allows to repeat the typedef, and the repetition compares something. A definition in braces
    /// cannot be repeated, and the name of an incomplete structure compares nothing.
    fileprivate var isRepeatable: Bool {
        if case .incomplete = type { return false }
        return !text.contains("{")
    }
}

extension CType {
    /// A C condition that a value has this kind of type, by the classes of `__builtin_classify_type`; nil if
    /// size and offset are enough.
    fileprivate func condition(on value: String) -> String? {
        let kind = "__builtin_classify_type(\(value))"
        switch self {
        case .array(let element, _): return element.condition(on: "(\(value))[0]")
        case .float, .double: return "\(kind) == 8"
        case .pointer: return "\(kind) == 5"
        case .structure: return "\(kind) == 12"
        case .integer(let integer):
            // Pointers do not convert to `double`, and nothing else has these classes.
            return
                "\(kind) != 5 && \(kind) != 8 && \(kind) != 12 && ((__typeof__(\(value)))-1 < 0) == \(integer.isSigned ? 1 : 0)"
        case .bool, .character, .enumeration: return "\(kind) != 5 && \(kind) != 8 && \(kind) != 12"
        default: return nil
        }
    }
}

extension DiagnosticCode {
    /// A declaration that differs from the C header.
    static let differsFromHeader = DiagnosticCode("M101")
}
