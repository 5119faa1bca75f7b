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

    // A class, and a function in the place of the store, so that an evaluation copies neither.
    @safe
    private final class Computed: Sendable {
        let evaluate: @Sendable (Frame, UnsafeMutableRawPointer) throws(EvaluationFault) -> Void
        let target: Int
        let source: SourceText

        init(_ assignment: Assignment) {
            // Safe because the memory that it writes to is that of its assignment.
            unsafe (evaluate, target, source) = (
                assignment.store.evaluate, assignment.offset, assignment.source
            )
        }
    }

    private struct Word {
        let offset, size: Int
    }

    // Safe because the table is written in `init` only and freed with its owner.
    private let copies: UnsafeMutableBufferPointer<WordCopy>
    private let computed: [Computed]
    // The fields that are written: first those of one word.
    private let words: [Word]
    private let others: [(offset: Int, type: ValueType)]
    /// True when `write` may write into the state that the expressions read: no written field is read later,
    /// and a right side that fails does so before the first write.
    let isInPlace: Bool

    init(_ assignments: [Assignment]) {
        words = assignments.compactMap { assignment in
            assignment.type.wordSize.map { Word(offset: assignment.offset, size: $0) }
        }
        others = assignments.filter { $0.type.wordSize == nil }.map { ($0.offset, $0.type) }
        var copies: [WordCopy] = []
        var computed: [Computed] = []
        for assignment in assignments {
            if let field = assignment.store.field, let size = field.type.wordSize {
                copies.append(WordCopy(source: field.place, target: assignment.offset, size: size))
            } else {
                computed.append(Computed(assignment))
            }
        }
        unsafe self.copies = .allocate(capacity: copies.count)
        _ = unsafe self.copies.initialize(from: copies)
        self.computed = computed
        let readsState = assignments.contains { $0.store.reads.contains(FrameSlot.state.rawValue) }
        isInPlace = assignments.count < 2 || (computed.count < 2 && !readsState)
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
        for part in computed {
            do { unsafe try part.evaluate(frame, base + part.target) } catch {
                throw RunFault(error, in: part.source)
            }
        }
    }

    /// Copies the fields that `write` writes from one record of the type to another.
    func assign(from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
        // Safe because both records are initialised and of the type.
        for word in words {
            unsafe WordSize.copy(word.size, from: source + word.offset, to: target + word.offset)
        }
        for field in others {
            unsafe ValueMemory.assign(target + field.offset, from: source + field.offset, as: field.type)
        }
    }
}
