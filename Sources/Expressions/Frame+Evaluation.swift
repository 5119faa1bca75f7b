import Records

extension Frame {
    /// A frame like this one with a slot for each of `values` behind its first `count`, for the time of `body`.
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
        let empty = unsafe [UnsafeRawPointer?](repeating: nil, count: count + 1)
        // Safe because the body does not keep the frame.
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
