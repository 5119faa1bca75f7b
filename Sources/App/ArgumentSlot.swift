import Expressions
import Manifest
import PluginHost
import Records

/// One argument of a call: where its value comes from, and where the last one is kept.
struct ArgumentSlot {
    let model: ArgumentModel
    private let type: ValueType
    // Scalars are compared and copied as words, by their size; 0 for all other types.
    private let word: Int
    /// False for a constant, which is stored once.
    let varies: Bool

    init(_ model: ArgumentModel, in inputs: RecordType) {
        self.model = model
        type = inputs.fields[model.input].type
        varies = !model.reads.isEmpty
        word = if case .array = type { 0 } else if case .record = type { 0 } else { type.isTrivial ? type.size : 0 }
    }

    /// Evaluates the argument into `memory`, an initialised value of the type.
    func evaluate(_ frame: ExpressionFrame, into memory: UnsafeMutableRawPointer) throws(RunFault) {
        switch model.source {
        case .field(let field):
            // Safe because field and parameter have the same type.
            unsafe ValueMemory.assign(memory, from: frame.address(of: field), as: type)
        case .store(let store):
            do { unsafe try store.evaluate(frame.frame, into: memory) } catch {
                throw RunFault(error, in: model.text)
            }
        }
    }

    /// Copies the value at `new` over the one at `last`; false when they were equal already: numbers with the same
    /// bits, strings with the same bytes.
    func update(_ last: UnsafeMutableRawPointer, from new: UnsafeRawPointer) -> Bool {
        // Safe because both are initialised values of the type.
        switch word {
        case 8: return unsafe update(last, from: new, as: UInt64.self)
        case 4: return unsafe update(last, from: new, as: UInt32.self)
        case 2: return unsafe update(last, from: new, as: UInt16.self)
        case 1: return unsafe update(last, from: new, as: UInt8.self)
        default:
            guard unsafe !ValueMemory.equal(last, new, as: type) else { return false }
            unsafe ValueMemory.assign(last, from: new, as: type)
            return true
        }
    }

    private func update<Word: FixedWidthInteger>(
        _ last: UnsafeMutableRawPointer, from new: UnsafeRawPointer, as _: Word.Type
    ) -> Bool {
        let value = unsafe new.load(as: Word.self)
        guard unsafe last.load(as: Word.self) != value else { return false }
        unsafe last.storeBytes(of: value, as: Word.self)
        return true
    }
}
