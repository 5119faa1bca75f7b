import Records

/// The records that an expression reads during an evaluation: one base address per slot.
///
/// The frame borrows the table and the records. They must not change during the evaluation. The table has an
/// entry for every slot that the scope names. The entry may be nil when the expression does not read the
/// slot.
@safe
public struct Frame {
    let slots: UnsafePointer<UnsafeRawPointer?>

    /// A frame over a table of base addresses, each of a value in C layout.
    public init(_ slots: UnsafePointer<UnsafeRawPointer?>) {
        // Safe because the caller keeps the table alive while the frame is in use.
        unsafe self.slots = slots
    }

    /// The base address in a slot.
    ///
    /// - Precondition: the slot is not nil.
    @inline(__always)
    func base(_ slot: Int) -> UnsafeRawPointer {
        // Safe because the caller has filled every slot that the expression reads.
        guard let base = unsafe slots[slot] else {
            preconditionFailure("slot \(slot) is read but not filled")
        }
        return unsafe base
    }
}

extension Frame {
    /// Runs `body` with a frame of the first `count` slots of this one and a slot for each of `values`.
    func withValues<Result>(
        _ values: [Value], after count: Int, _ body: (Frame) throws(EvaluationFault) -> Result
    ) throws(EvaluationFault) -> Result {
        // Safe because this frame has `count` slots, and the body keeps neither the table nor the values.
        let result: Swift.Result<Result, EvaluationFault> = unsafe values.withUnsafeBufferPointer { values in
            unsafe withUnsafeTemporaryAllocation(
                of: UnsafeRawPointer?.self, capacity: count + values.count + 1
            ) {
                table in
                for slot in 0..<count { unsafe table.initializeElement(at: slot, to: slots[slot]) }
                for index in 0..<values.count {
                    unsafe table.initializeElement(
                        at: count + index, to: UnsafeRawPointer(values.baseAddress! + index))
                }
                unsafe table.initializeElement(at: count + values.count, to: nil)
                do throws(EvaluationFault) {
                    return unsafe .success(try body(Frame(UnsafePointer(table.baseAddress!))))
                } catch {
                    return .failure(error)
                }
            }
        }
        return try result.get()
    }

    /// Runs `body` with a frame of `count` empty slots.
    static func withoutRecords<Result>(
        count: Int, _ body: (Frame) throws(EvaluationFault) -> Result
    ) throws(EvaluationFault) -> Result {
        // Safe because the body does not keep the frame.
        let empty = unsafe [UnsafeRawPointer?](repeating: nil, count: count + 1)
        let result: Swift.Result<Result, EvaluationFault> = unsafe empty.withUnsafeBufferPointer { slots in
            do throws(EvaluationFault) {
                return unsafe .success(try body(Frame(slots.baseAddress!)))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
