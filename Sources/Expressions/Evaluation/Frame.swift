import Records

/// The records that an expression reads while it is evaluated: one base address per slot.
///
/// The table and the records are borrowed for the evaluation and must not change during it. A slot that the
/// expression does not read may be nil; every slot that its scope names has an entry.
@safe
public struct Frame {
    let slots: UnsafePointer<UnsafeRawPointer?>

    /// A frame over a table of base addresses, each of a value in C layout.
    public init(_ slots: UnsafePointer<UnsafeRawPointer?>) {
        // Safe because the caller keeps the table alive while the frame is in use.
        unsafe self.slots = slots
    }

    /// - Precondition: the slot is not nil.
    @inline(__always)
    func base(_ slot: Int) -> UnsafeRawPointer {
        // Safe because the maker of the frame filled every slot that the expression reads.
        guard let base = unsafe slots[slot] else {
            preconditionFailure("slot \(slot) is read and must be filled")
        }
        return unsafe base
    }
}

extension Frame {
    /// A frame like this one with a slot for each of `values` behind its first `count`, for the time of
    /// `body`.
    func withValues<Result>(
        _ values: [Value], after count: Int, _ body: (Frame) throws(EvaluationFault) -> Result
    ) throws(EvaluationFault) -> Result {
        // Safe because the table has `count` slots, and neither table nor values are kept by the body.
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

    /// A frame of `count` slots without a record, for the time of `body`.
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
