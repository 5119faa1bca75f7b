import Diagnostics
import Expressions
public import Manifest
import Records

/// Changes of a state that does not fit a manifest as it is, such as `state.count = int(state.text)`.
///
/// Each gives one field of the new state a value that is computed from the old state and the constants.
public struct StateMigration: Sendable {
    /// A field with its expression.
    private struct Change: Sendable {
        let field: String
        let expression: SourceText
    }

    private let loop: String
    private let changes: [Change]
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
        var (changes, diagnostics): ([Change], [Diagnostic]) = ([], [])
        for text in texts {
            do throws(AppRefusal) { changes.append(try Self.change(text, of: loop)) } catch {
                diagnostics += error.diagnostics
            }
        }
        guard diagnostics.isEmpty else { throw AppRefusal(diagnostics) }
        self.changes = changes
    }

    private static func change(_ text: String, of loop: LoopModel) throws(AppRefusal) -> Change {
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
        return Change(field: name, expression: SourceText(text: String(match.3), file: file, start: start))
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
        let type = before.caseIndex.map { before.type.narrowed(toCase: $0) } ?? before.type
        let scope = Scope([
            Scope.Variable(name: "state", type: .record(type), slot: FrameSlot.state.rawValue),
            Scope.Variable(name: "config", type: .record(config.type), slot: FrameSlot.config.rawValue),
        ])
        let frame = ExpressionFrame(config: config, bindings: 0)
        // Safe because the old state lives as long as the expressions are evaluated.
        unsafe frame.bind(.state, to: before.unsafeBase)
        defer { withExtendedLifetime(before) {} }
        for change in changes {
            guard let field = state.field(change.field) else {
                diagnostics.append(
                    Diagnostic(
                        .error, .notCarried,
                        "the state of `\(loop.name)` has no field `\(change.field)` in its case",
                        at: change.expression.span))
                continue
            }
            do {
                let store = try Expression(change.expression.text, in: scope).store(as: field.type)
                let writer = RecordWriter([Assignment(to: field, store: store, source: change.expression)])
                // Safe because the state is an initialised record with the field.
                unsafe try writer.write(frame, into: state.unsafeMutableBase())
            } catch let fault as TextFault {
                diagnostics.append(fault.diagnostic(in: change.expression))
            } catch let fault as RunFault {
                diagnostics.append(fault.diagnostic)
            } catch {
                preconditionFailure("an expression fails with a fault: \(error)")
            }
        }
    }
}
