import Diagnostics
import Expressions
import Interfaces
import Manifest
import PluginHost
import Records

/// The arguments of a direct call: the source of each value, and the last value in the memory where the call
/// reads it.
///
/// Scalar fields, which most arguments are, are plain data here: nothing is retained or called for them.
// Safe because one thread at a time uses it: that of its loop, or for a while of the run that it is lent to.
@safe
final class ArgumentTable: @unchecked Sendable {
    /// A scalar that is read in place.
    @safe
    private struct Word {
        let source: FieldReference.Place
        let last: UnsafeMutableRawPointer
        let size: Int
    }

    /// Any other argument: `field` when it is read in place, else the value of its expression.
    @safe
    private struct Other {
        let model: ArgumentModel
        let field: FieldReference.Place?
        let type: ValueType
        let last: UnsafeMutableRawPointer
        // Where a computed value is stored, to be compared with the last one.
        let scratch: Int
    }

    let source: EffectSource
    let call: PreparedCall
    private let models: [ArgumentModel]
    // Safe because the tables are written in `init` only, and point into `call`, which this object keeps.
    private let words: UnsafeMutableBufferPointer<Word>
    private let outcome: UnsafeRawPointer
    private let others: [Other]
    private let constants: [Other]
    private var scratch: Record
    private var hasConstants = false

    init(_ models: [ArgumentModel], of source: EffectSource) {
        (self.source, self.models, call) = (source, models, source.makeCall())
        unsafe outcome = call.outcomeAddress
        let inputs = call.interface.signature.inputs
        scratch = Record(inputs)
        var words: [Word] = []
        var others: [Other] = []
        var constants: [Other] = []
        for model in models {
            let field = inputs.fields[model.input]
            let last = unsafe call.inputAddress(model.input)
            let place: FieldReference.Place? =
                if case .field(let field) = model.source { field.place } else { nil }
            if let place, let size = field.type.wordSize {
                unsafe words.append(Word(source: place, last: last, size: size))
            } else {
                let other = unsafe Other(
                    model: model, field: place, type: field.type, last: last, scratch: field.offset)
                if model.reads.isEmpty { constants.append(other) } else { others.append(other) }
            }
        }
        unsafe self.words = .allocate(capacity: words.count)
        _ = unsafe self.words.initialize(from: words)
        self.others = others
        self.constants = constants
    }

    deinit { unsafe words.deallocate() }

    /// Evaluates the arguments; true when one differs from the last: numbers by their bits, strings by their
    /// bytes.
    @inline(__always)
    func update(_ frame: ExpressionFrame) throws(RunFault) -> Bool {
        if !hasConstants { try storeConstants(frame) }
        var changed = false
        // Safe because each `last` is an initialised value of its argument's type.
        for index in unsafe words.indices {
            let source = unsafe frame.address(of: words[index].source)
            guard unsafe !WordSize.equal(words[index].size, words[index].last, source) else { continue }
            unsafe WordSize.copy(words[index].size, from: source, to: words[index].last)
            changed = true
        }
        guard !others.isEmpty else { return changed }
        return try updateOthers(frame) || changed
    }

    private func updateOthers(_ frame: ExpressionFrame) throws(RunFault) -> Bool {
        var changed = false
        for index in others.indices {
            let other = others[index]
            var new: UnsafeRawPointer
            if let field = other.field {
                unsafe new = frame.address(of: field)
            } else {
                let memory = unsafe scratch.unsafeMutableBase() + other.scratch
                unsafe try other.model.compute(frame, into: memory)
                unsafe new = UnsafeRawPointer(memory)
            }
            // Safe because both are initialised values of the argument's type.
            guard unsafe !ValueMemory.equal(other.last, new, as: other.type) else { continue }
            unsafe ValueMemory.assign(other.last, from: new, as: other.type)
            changed = true
        }
        return changed
    }

    /// Makes the call with the last values, and binds the outcome in the frame.
    @inline(__always)
    func invoke(_ frame: ExpressionFrame) throws(RunFault) {
        do { try call.invoke() } catch { throw RunFault(error, at: source.effect.span) }
        // Safe because the outcome lives as long as the call.
        unsafe frame.bind(.call, to: outcome)
    }

    /// The same arguments with the same last values, for calls of another source.
    func copy(for source: EffectSource) -> ArgumentTable {
        let copy = ArgumentTable(models, of: source)
        copy.takeValues(of: self)
        return copy
    }

    /// Takes the last values of a table for the same parameters.
    func takeValues(of other: ArgumentTable) { call.setInputs(of: other.call) }

    /// The last values, a record of the call's inputs.
    var values: Record { call.inputRecord }

    private func storeConstants(_ frame: ExpressionFrame) throws(RunFault) {
        // Safe because the address is an initialised value of the argument's type.
        for constant in constants { unsafe try constant.model.compute(frame, into: constant.last) }
        hasConstants = true
    }
}

extension ArgumentModel {
    /// Evaluates the argument's expression into an initialised value of the argument's type.
    func compute(_ frame: ExpressionFrame, into memory: UnsafeMutableRawPointer) throws(RunFault) {
        guard case .store(let store) = source else { return }
        do { unsafe try store.evaluate(frame.frame, into: memory) } catch { throw RunFault(error, in: text) }
    }
}
