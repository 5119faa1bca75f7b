public import Diagnostics
import Manifest
import Records

/// Converts the states of an app's loops for a changed manifest, by the names of loops, cases and fields.
///
/// A field keeps its value if its name and type are the same. A field of another type, or a new one, has the value that
/// the manifest's `migrate` gives it; without an entry there, a new field has its initial value. A field that is gone is
/// dropped.
struct StateCarry: Sendable {
    private let old: Manifest
    private let new: Manifest
    let addressesStayValid: Bool

    /// - Parameter addressesStayValid: whether all libraries stay loaded, so that addresses stay valid.
    init(from old: Manifest, to new: Manifest, addressesStayValid: Bool) {
        (self.old, self.new, self.addressesStayValid) = (old, new, addressesStayValid)
    }

    /// The states of the new loops, by their indices.
    ///
    /// - Parameter states: the states of the old loops, by their indices.
    /// - Throws: `AppRefusal` if a field has another type and no entry in `migrate`, a value is out of its range, the
    ///   case that a loop is in is gone, or a state contains an address while a library is loaded again.
    func states(_ states: [Record]) throws(AppRefusal) -> [Record] {
        var diagnostics: [Diagnostic] = []
        let carried = new.loops.map { loop -> Record in
            // Of a loop with a key, the instances have states.
            guard loop.key == nil, let index = old.loops.firstIndex(where: { $0.name == loop.name }) else {
                return loop.initialState
            }
            return Self.state(
                of: loop, from: states[index], addressesStayValid: addressesStayValid, &diagnostics)
        }
        guard diagnostics.isEmpty else { throw AppRefusal(diagnostics) }
        return carried
    }

    /// The state of a loop, from a state of an earlier process; nil if it does not fit.
    static func state(of loop: LoopModel, from before: Record) -> Record? {
        var diagnostics: [Diagnostic] = []
        let state = state(of: loop, from: before, addressesStayValid: false, &diagnostics)
        return diagnostics.isEmpty ? state : nil
    }

    /// The state of a loop, from a state of an earlier one of that name.
    ///
    /// - Parameters:
    ///   - migration: gives some fields other values.
    ///   - diagnostics: gets the reasons why the loop cannot keep its state.
    static func state(
        of loop: LoopModel, from before: Record, addressesStayValid: Bool,
        by migration: StateMigration? = nil,
        _ diagnostics: inout [Diagnostic]
    ) -> Record {
        let name = loop.key(of: before).map { "\(loop.name)/\($0)" } ?? loop.name
        func refuse(_ reason: String, _ help: String) {
            diagnostics.append(
                Diagnostic(
                    .error, .notCarried, "loop `\(name)` cannot keep its state: \(reason)",
                    at: loop.span,
                    help: [help]))
        }
        if !addressesStayValid, !before.pointers.isEmpty {
            refuse(
                "it contains an address, which is not valid in a library that is loaded again",
                "start the app again, or close the pointer first")
        }
        var state = loop.initialState
        if let index = before.caseIndex, !loop.stateType.cases.isEmpty {
            let name = before.type.cases[index].name
            if let same = loop.stateType.cases.firstIndex(where: { $0.name == name }) {
                state = loop.initialStates[same]
            } else {
                refuse("it is in the case `\(name)`, which is gone", "keep the case, or start the app again")
            }
        }
        let given = migration?.fields(of: loop) ?? []
        let conversions = loop.migrations.filter { entry in
            guard !given.contains(entry.field), let now = state.field(entry.field) else { return false }
            return before.field(entry.field)?.type != now.type
        }
        let changed = given + conversions.map(\.field)
        let fields = before.type.fields + (before.caseIndex.map { before.type.cases[$0].fields } ?? [])
        for field in fields where before.type.cases.isEmpty || field.name != RecordType.caseField {
            guard let now = state.field(field.name), let value = before[field.name],
                !changed.contains(field.name)
            else { continue }
            guard now.type == field.type else {
                refuse(
                    "its field `\(field.name)` was `\(field.type.name)`, and is `\(now.type.name)`",
                    "convert it in `[loops.\(loop.name).migrate]`, give the field another name, or start the app again"
                )
                continue
            }
            do throws(RecordError) { try state.set(field.name, to: value) } catch {
                refuse("its field `\(field.name)`: \(error)", "start the app again")
            }
        }
        for conversion in conversions {
            let change = FieldConversion(
                field: conversion.field, expression: conversion.expression, earlier: MigrationModel.earlier)
            do throws(AppRefusal) {
                try change.write(to: &state, of: loop, from: before, config: Record(RecordType([])))
            } catch { diagnostics += error.diagnostics }
        }
        migration?.write(to: &state, of: loop, from: before, &diagnostics)
        for range in loop.ranges where range.stateCase == nil || range.stateCase == state.caseIndex {
            guard let value = state[range.field.name], !range.contains(value) else { continue }
            refuse(
                "its field `\(range.field.name)` is \(RangeModel.text(of: value)), and its range is \(range.text)",
                "make the range wider, or start the app again")
        }
        return state
    }
}

extension DiagnosticCode {
    /// P090: the states of a running app do not fit its changed manifest.
    public static let notCarried = DiagnosticCode("P090")
}
