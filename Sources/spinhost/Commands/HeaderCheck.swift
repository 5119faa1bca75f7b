import Diagnostics
import Glibc
import Interfaces
import Manifest
import Records

/// Compares what a plugin's `declares` says with the C headers that the manifest names, through the C compiler.
struct HeaderCheck {
    /// Why there is no answer.
    enum Failure: Error {
        /// There is no such compiler.
        case noCompiler(String)
        /// It did not end in time, or not in order.
        case noAnswer(String)
    }

    /// How long the compiler may take, in seconds.
    static let limit = 60

    private struct Line {
        let text: String
        let span: SourceSpan
        // Of what the line checks; one fault about each is enough.
        let subject: String
        // What a failure means, when the compiler's own words do not say it.
        let meaning: String?
    }

    private let plugin: PluginModel
    private let folder: String

    init(_ plugin: PluginModel, folder: String) { (self.plugin, self.folder) = (plugin, folder) }

    /// A fault for each function and structure that the headers have otherwise, in order.
    func faults() throws(Failure) -> [Diagnostic] {
        let lines = self.lines
        guard !plugin.headers.isEmpty, !lines.isEmpty else { return [] }
        var faults: [Diagnostic] = []
        var seen: Set<String> = []
        let answer = try compile(lines.map(\.text).joined(separator: "\n") + "\n")
        for said in answer.split(separator: "\n") {
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
                ? "\(names): \(message)" : "\(subject) is declared otherwise in \(names): \(message)",
            at: span, help: subject.isEmpty ? [] : ["write it as the header does"])
    }

    private var lines: [Line] {
        guard let declarations = plugin.declarations, let text = plugin.declarationsText else { return [] }
        var lines = ["stddef.h", "stdint.h", "stdbool.h", "sys/types.h"].map {
            Line(text: "#include <\($0)>", span: plugin.span, subject: "", meaning: nil)
        }
        lines += plugin.headers.map {
            Line(text: "#include \"\($0)\"", span: plugin.span, subject: "", meaning: nil)
        }
        for structure in declarations.structures {
            let isTagged = text.text.contains("struct \(structure.name)")
            let name = isTagged ? "struct \(structure.name)" : structure.name
            let place = text.text.firstRange(of: name).map { range in
                text.text.utf8.distance(from: text.text.startIndex, to: range.lowerBound)
            }
            let span = text.span(of: (place ?? 0)..<(place ?? 0) + name.utf8.count)
            func check(_ condition: String, _ meaning: String) {
                lines.append(
                    Line(
                        text: "_Static_assert(\(condition), \"differs\");", span: span, subject: "`\(name)`",
                        meaning: meaning))
            }
            for member in structure.members {
                check(
                    "offsetof(\(name), \(member.name)) == \(member.offset)",
                    "`\(member.name)` is not \(member.offset) bytes from its start there")
                if let size = member.type.size {
                    check(
                        "sizeof(((\(name) *)0)->\(member.name)) == \(size)",
                        "`\(member.name)` does not have \(size) bytes there")
                }
            }
            check("sizeof(\(name)) == \(structure.size)", "it does not have \(structure.size) bytes there")
        }
        for (index, function) in declarations.functions.enumerated() {
            lines.append(
                Line(
                    text: "__typeof__(\(function.name)) *declared_\(index);",
                    span: text.span(of: function.range),
                    subject: "`\(function.name)`", meaning: "there is no such function"))
            lines.append(
                Line(
                    text: "\(function.text.filter { !$0.isNewline });", span: text.span(of: function.range),
                    subject: "`\(function.name)`", meaning: nil))
        }
        return lines
    }

    /// What the compiler says of a source.
    private func compile(_ source: String) throws(Failure) -> String {
        // Safe because the stream is closed below, and the text a NUL-terminated copy for the call.
        guard let input = unsafe tmpfile(), unsafe fputs(source, input) >= 0 else {
            throw .noAnswer("there is no room for a temporary file")
        }
        // Safe because the stream is open, and closed once.
        defer { unsafe fclose(input) }
        unsafe rewind(input)
        let include = folder.replacing("'", with: #"'\''"#)
        let command =
            "LC_ALL=C exec timeout --kill-after=5 \(Self.limit) ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -w -fsyntax-only "
            + "-I '\(include)' -x c - 2>&1 <&\(unsafe fileno(input))"
        // Safe because command and mode are NUL-terminated copies for the call.
        guard let output = unsafe popen(command, "re") else { throw .noAnswer("no process can be started") }
        var bytes: [UInt8] = []
        while true {
            // Safe because the stream is open until `pclose`.
            let byte = unsafe getc(output)
            guard byte >= 0 else { break }
            bytes.append(UInt8(truncatingIfNeeded: byte))
        }
        // Safe because the stream is open, and not used again.
        let status = unsafe pclose(output)
        let text = String(decoding: bytes, as: UTF8.self)
        // The exit code of a process that ended by itself (`WEXITSTATUS`).
        switch status & 0x7F == 0 ? status >> 8 & 0xFF : -1 {
        case 0, 1: return text
        case 124, 137: throw .noAnswer("it did not end within \(Self.limit) seconds")
        case 126, 127: throw .noCompiler(text.split(separator: "\n").last.map(String.init) ?? "")
        default: throw .noAnswer(text.split(separator: "\n").first.map(String.init) ?? "it was ended")
        }
    }
}

extension DiagnosticCode {
    /// A function or structure is declared in another way by the C header that the manifest names.
    static let differsFromHeader = DiagnosticCode("M101")
}
