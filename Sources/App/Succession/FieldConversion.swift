import Diagnostics
import Expressions
import Manifest
import Records

/// A value of a field that is computed from an earlier state.
struct FieldConversion: Sendable {
    let field: String
    let expression: SourceText
    /// The name of the earlier state in the expression.
    let earlier: String

    /// Writes the value.
    ///
    /// - Parameters:
    ///   - state: a state of the new type.
    ///   - before: the earlier state, of another type.
    ///   - config: the constants that the expression may use.
    /// - Throws: `AppRefusal` when the case of the state has no such field, when the expression does not fit the types, and
    ///   when it has no value.
    func write(
        to state: inout Record, of loop: LoopModel, from before: Record, config: Record
    ) throws(AppRefusal) {
        guard let field = state.field(field) else {
            throw AppRefusal(
                Diagnostic(
                    .error, .notCarried,
                    "the state of `\(loop.name)` has no field `\(self.field)` in its case",
                    at: expression.span))
        }
        let type = before.caseIndex.map { before.type.narrowed(toCase: $0) } ?? before.type
        let scope = Scope([
            Scope.Variable(name: earlier, type: .record(type), slot: FrameSlot.state.rawValue),
            Scope.Variable(name: "config", type: .record(config.type), slot: FrameSlot.config.rawValue),
        ])
        let frame = ExpressionFrame(config: config, bindings: 0)
        // Safe because the earlier state lives as long as the expression is evaluated.
        unsafe frame.bind(.state, to: before.unsafeBase)
        defer { withExtendedLifetime(before) {} }
        do {
            let store = try Expression(expression.text, in: scope).store(as: field.type)
            let writer = RecordWriter([Assignment(to: field, store: store, source: expression)])
            // Safe because the state is an initialised record with the field.
            unsafe try writer.write(frame, into: state.unsafeMutableBase())
        } catch let fault as TextFault {
            throw AppRefusal(fault.diagnostic(in: expression))
        } catch let fault as RunFault {
            throw AppRefusal(fault.diagnostic)
        } catch {
            preconditionFailure("an expression fails with a fault: \(error)")
        }
    }
}
