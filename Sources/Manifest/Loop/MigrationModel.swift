public import Diagnostics
import Expressions
import Records

/// An entry of a loop's `migrate`: the value of a field whose type was another one when the state was made.
public struct MigrationModel: Sendable {
    /// The field of the new state.
    public let field: String
    /// An expression over `earlier`. It is right for a state whose types are not known, and is checked again with those
    /// of the earlier manifest.
    public let expression: SourceText

    /// The name of the earlier state in expressions.
    public static let earlier = "before"

    /// A scope in which the earlier state is of a type that is not known, to check an expression without it.
    fileprivate static let scope = {
        do throws(TextFault) {
            let earlier = Scope([Scope.Variable(name: "state", type: .integer(.i64), slot: 0)])
            let state = try Expression("dyn(state)", in: earlier)
            let source = SourceText(file: SourceFile(name: Self.earlier, text: state.text))
            return Scope(
                [], bindings: [Scope.Binding(name: Self.earlier, state, source: source, slot: 1, number: 0)])
        } catch {
            preconditionFailure("the expression is right")
        }
    }()
}

extension LoopDecoder {
    /// The entries of `migrate` without a fault.
    func decodeMigrations(_ table: TableReader) -> [MigrationModel] {
        let fields = stateType.fields + stateType.cases.flatMap(\.fields)
        let names = fields.map(\.name).filter { $0 != RecordType.caseField || stateType.cases.isEmpty }
        let scope = Scope(untyped: [MigrationModel.earlier])
        return table.named.compactMap { entry in
            guard names.contains(entry.key) else {
                // The state lacks a field with a fault, which is reported already.
                if !manifest.faultyUses.contains(".\(entry.key)") {
                    manifest.unknownField(entry, among: names)
                }
                return nil
            }
            let types = fields.filter { $0.name == entry.key }.map(\.type)
            let type = types.allSatisfy { $0 == types[0] } ? types[0] : nil
            guard let text = manifest.expressionText(entry.value, as: type) else { return nil }
            do throws(TextFault) {
                let names = try Expression(text.text.text, in: scope).names.map(\.name)
                // A scope without types finds unknown names only at evaluation.
                if let other = names.first(where: { $0 != MigrationModel.earlier }) {
                    throw TextFault(
                        .unknownName, "unknown name `\(other)`", at: 0..<text.text.text.utf8.count,
                        label: "in scope: `\(MigrationModel.earlier)`")
                }
                let expression = try Expression(text.text.text, in: MigrationModel.scope)
                if let type { _ = try expression.store(as: type) }
            } catch {
                collector.add(text.diagnostic(error))
                return nil
            }
            return MigrationModel(field: entry.key, expression: text.text)
        }
    }
}
