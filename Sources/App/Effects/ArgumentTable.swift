import Diagnostics
import Expressions
import Interfaces
import Manifest
import PluginHost
import Records

/// The arguments of a call: where each value comes from, where the last one is kept, which is where the call reads it, and
/// whether it has changed.
///
/// Scalar fields, which most arguments are, are plain data here: nothing is retained or called for them.
// Safe because one thread at a time uses it: that of its loop, or for a while of the run that it is lent to.
@safe
final class ArgumentTable: @unchecked Sendable {
    /// A scalar that is read where it lies.
    @safe
    private struct Word {
        let source: FieldReference.Place
        let last: UnsafeMutableRawPointer
        let size: Int
    }

    /// Any other argument: `field` when it is read where it lies, else what `store` computes.
    @safe
    private struct Other {
        let model: ArgumentModel
        let field: FieldReference.Place?
        let type: ValueType
        let last: UnsafeMutableRawPointer
        // Where a computed value is put, to be compared with the last one.
        let scratch: Int
    }

    let call: PreparedCall
    private let effect: EffectReference
    private let models: [ArgumentModel]
    private let inputs: RecordType
    // Safe because the tables are written in `init` only, and point into `call`, which this object keeps.
    private let words: UnsafeMutableBufferPointer<Word>
    private let outcome: UnsafeRawPointer
    private let others: [Other]
    private let constants: [Other]
    private var scratch: Record
    private var hasConstants = false

    init(_ models: [ArgumentModel], of call: PreparedCall, to effect: EffectReference) {
        (self.call, self.models, self.effect) = (call, models, effect)
        unsafe outcome = call.outcomeAddress
        inputs = call.interface.signature.inputs
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

    /// Takes the arguments anew; true when one differs from the last: numbers by their bits, strings by their bytes.
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
                unsafe try compute(other.model, frame, into: memory)
                unsafe new = UnsafeRawPointer(memory)
            }
            // Safe because of the same.
            guard unsafe !ValueMemory.equal(other.last, new, as: other.type) else { continue }
            unsafe ValueMemory.assign(other.last, from: new, as: other.type)
            changed = true
        }
        return changed
    }

    /// Makes the call with the last values, and lets the frame mean the outcome.
    @inline(__always)
    func invoke(_ frame: ExpressionFrame) throws(RunFault) {
        do { try call.invoke() } catch { throw RunFault(error, of: effect) }
        // Safe because the outcome lives as long as the call.
        unsafe frame.bind(.call, to: outcome)
    }

    /// The same arguments, with the same last values, for another call.
    func copy(for call: PreparedCall) -> ArgumentTable {
        let copy = ArgumentTable(models, of: call, to: effect)
        copy.takePlace(of: self)
        return copy
    }

    /// Goes on where a table of the same arguments is.
    func takePlace(of other: ArgumentTable) {
        takeValues(of: other)
        hasConstants = other.hasConstants
    }

    /// Has the last values of a table for the same parameters.
    func takeValues(of other: ArgumentTable) {
        for model in models {
            // Safe because both are initialised values of the type.
            unsafe ValueMemory.assign(
                call.inputAddress(model.input), from: UnsafeRawPointer(other.call.inputAddress(model.input)),
                as: inputs.fields[model.input].type)
        }
    }

    /// The last values, a record of the call's inputs.
    var values: Record {
        var values = Record(inputs)
        for field in inputs.fields.indices {
            // Safe because both are initialised values of the field's type.
            unsafe ValueMemory.assign(
                values.unsafeMutableBase() + inputs.fields[field].offset,
                from: UnsafeRawPointer(call.inputAddress(field)), as: inputs.fields[field].type)
        }
        return values
    }

    private func storeConstants(_ frame: ExpressionFrame) throws(RunFault) {
        for constant in constants {
            // Safe because the address is an initialised value of the argument's type.
            unsafe try compute(constant.model, frame, into: constant.last)
        }
        hasConstants = true
    }

    private func compute(
        _ model: ArgumentModel, _ frame: ExpressionFrame, into memory: UnsafeMutableRawPointer
    ) throws(RunFault) {
        guard case .store(let store) = model.source else { return }
        do { unsafe try store.evaluate(frame.frame, into: memory) } catch {
            throw RunFault(error, in: model.text)
        }
    }
}
