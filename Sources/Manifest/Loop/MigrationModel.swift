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
}

extension LoopDecoder {
    /// The entries of `migrate` without a fault.
    func decodeMigrations(_ table: TableReader) -> [MigrationModel] {
        let fields = stateType.fields + stateType.cases.flatMap(\.fields)
        let names = fields.map(\.name).filter { $0 != RecordType.caseField || stateType.cases.isEmpty }
        let scope = Scope(untyped: [MigrationModel.earlier], isChecked: true)
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
                let expression = try Expression(text.text.text, in: scope)
                if let type { _ = try expression.store(as: type) }
            } catch {
                collector.add(text.diagnostic(error))
                return nil
            }
            return MigrationModel(field: entry.key, expression: text.text)
        }
    }
}
