import Diagnostics
public import Manifest
import Records

/// Changes of a state that does not fit a manifest as it is, such as `state.count = int(state.text)`.
///
/// Each gives one field of the new state a value that is computed from the old state and the constants.
public struct StateMigration: Sendable {
    private let loop: String
    private let changes: [FieldConversion]
    private let config: Record

    /// - Parameters:
    ///   - texts: `state.FIELD = EXPRESSION`.
    ///   - name: the loop whose state they change; nil for the only loop.
    ///   - manifest: the one that the new state is of.
    /// - Throws: `AppRefusal` when a text is malformed, or when there is no such loop or field.
    public init(_ texts: [String], loop name: String?, in manifest: Manifest) throws(AppRefusal) {
        config = manifest.config
        let names = manifest.loops.map(\.name)
        let only = name ?? (names.count == 1 ? names[0] : nil)
        guard let loop = manifest.loops.first(where: { $0.name == only }) else {
            guard let name else {
                guard !texts.isEmpty else {
                    (self.loop, changes) = ("", [])
                    return
                }
                throw AppRefusal(
                    Diagnostic(
                        .error, ManifestCode.malformedOverride.code,
                        "`--set` does not say which loop it changes",
                        help: ["name one with `--loop`: \(names.map { "`\($0)`" }.joined(separator: ", "))"]))
            }
            throw AppRefusal(
                Diagnostic(
                    .error, ManifestCode.malformedOverride.code, "the manifest has no loop `\(name)`",
                    help: [Suggestion.closest(to: name, among: names).map { "did you mean `\($0)`?" }]
                        .compactMap { $0 }))
        }
        self.loop = loop.name
        var (changes, diagnostics): ([FieldConversion], [Diagnostic]) = ([], [])
        for text in texts {
            do throws(AppRefusal) { changes.append(try Self.change(text, of: loop)) } catch {
                diagnostics += error.diagnostics
            }
        }
        guard diagnostics.isEmpty else { throw AppRefusal(diagnostics) }
        self.changes = changes
    }

    private static func change(_ text: String, of loop: LoopModel) throws(AppRefusal) -> FieldConversion {
        let file = SourceFile(name: "--set", text: text)
        guard let match = text.firstMatch(of: /^(\s*state\.([A-Za-z_][A-Za-z0-9_]*)\s*=\s*)(\S.*)$/) else {
            throw AppRefusal(
                Diagnostic(
                    .error, ManifestCode.malformedOverride.code,
                    "`--set \(text)` is not `state.FIELD = EXPRESSION`",
                    at: SourceText(file: file).span, help: ["such as `--set 'state.count = int(state.text)'`"]
                ))
        }
        let (type, name) = (loop.stateType, String(match.2))
        let fields = type.fields + type.cases.flatMap(\.fields)
        guard fields.contains(where: { $0.name == name }), type.cases.isEmpty || name != RecordType.caseField
        else {
            let start = match.1.utf8.count - match.1.drop { $0 != "." }.dropFirst().utf8.count
            throw AppRefusal(
                Diagnostic(
                    .error, ManifestCode.unknownField.code,
                    "the state of `\(loop.name)` has no field `\(name)` in the manifest",
                    at: SourceText(file: file).span(of: start..<start + name.utf8.count),
                    help: [
                        Suggestion.closest(to: name, among: fields.map(\.name)).map {
                            "did you mean `\($0)`?"
                        }
                    ].compactMap { $0 }))
        }
        let start = SourcePosition(line: 1, column: match.1.count + 1)
        let expression = SourceText(text: String(match.3), file: file, start: start)
        return FieldConversion(field: name, expression: expression, earlier: "state")
    }

    /// The names of the fields of a loop that get their values here.
    func fields(of loop: LoopModel) -> [String] { loop.name == self.loop ? changes.map(\.field) : [] }

    /// Writes the changed fields of a loop.
    ///
    /// - Parameters:
    ///   - state: a state of the manifest's type.
    ///   - before: the old state.
    ///   - diagnostics: gets the faults of expressions, and fields that the case of the state does not have.
    func write(
        to state: inout Record, of loop: LoopModel, from before: Record, _ diagnostics: inout [Diagnostic]
    ) {
        guard loop.name == self.loop else { return }
        for change in changes {
            do { try change.write(to: &state, of: loop, from: before, config: config) } catch {
                diagnostics += error.diagnostics
            }
        }
    }
}
