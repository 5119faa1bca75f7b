import Diagnostics
import Expressions
import Manifest
import Records

/// Writes fields of a record with the values of expressions.
///
/// Scalars that are copied from one field to another, as most are, are plain data here: no closure is called
/// and nothing is retained for them.
@safe
final class RecordWriter {
    private struct WordCopy {
        let source: FieldReference.Place
        let target: Int
        let size: Int
    }

    private struct Computed {
        let store: Store
        let target: Int
        let source: SourceText
    }

    // Safe because the table is written in `init` only and freed with its owner.
    private let copies: UnsafeMutableBufferPointer<WordCopy>
    private let computed: [Computed]
    private let assignments: [Assignment]
    /// True when `write` may write into the state that the expressions read: no written field is read later,
    /// and a right side that fails does so before the first write.
    let isInPlace: Bool

    init(_ assignments: [Assignment]) {
        self.assignments = assignments
        var words: [WordCopy] = []
        var others: [Computed] = []
        for assignment in assignments {
            if let field = assignment.store.field, let size = field.type.wordSize {
                words.append(WordCopy(source: field.place, target: assignment.offset, size: size))
            } else {
                others.append(
                    Computed(store: assignment.store, target: assignment.offset, source: assignment.source))
            }
        }
        unsafe copies = .allocate(capacity: words.count)
        _ = unsafe copies.initialize(from: words)
        computed = others
        let readsState = assignments.contains { $0.store.reads.contains(FrameSlot.state.rawValue) }
        isInPlace = assignments.count < 2 || (others.count < 2 && !readsState)
    }

    deinit { unsafe copies.deallocate() }

    /// Evaluates all right sides, and stores each into its field of the record at `base`.
    @inline(__always)
    func write(_ frame: ExpressionFrame, into base: UnsafeMutableRawPointer) throws(RunFault) {
        // Right sides that may fail come first.
        if !computed.isEmpty { unsafe try compute(frame.frame, into: base) }
        for index in unsafe copies.indices {
            let copy = unsafe copies[index]
            // Safe because both fields have one type, of that size.
            let source = unsafe frame.address(of: copy.source)
            unsafe WordSize.copy(copy.size, from: source, to: base + copy.target)
        }
    }

    private func compute(_ frame: Frame, into base: UnsafeMutableRawPointer) throws(RunFault) {
        for index in computed.indices {
            do {
                unsafe try computed[index].store.evaluate(frame, into: base + computed[index].target)
            } catch { throw RunFault(error, in: computed[index].source) }
        }
    }

    /// Copies the fields that `write` writes from one record of the type to another.
    func assign(from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
        for assignment in assignments {
            // Safe because both records are initialised and of the type.
            unsafe ValueMemory.assign(
                target + assignment.offset, from: source + assignment.offset, as: assignment.type)
        }
    }
}
