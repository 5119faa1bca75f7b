import Diagnostics
import Records

/// The elements that a macro iterates over. Each element is put in the slot of the macro's variable.
///
/// A macro with two variables has two slots: one for the position, which is the index in a list or the key in a map, and
/// the next one for the value.
struct Iteration: Sendable {
    enum Elements: Sendable {
        /// A list or array in memory. Its elements are not copied.
        case memory(MemoryLocation, ValueType)
        /// A list, or a map. With one variable, the elements of a map are its keys.
        case boxed(AnyComputation<Value>)
    }

    let elements: Elements
    /// The first slot. The outer frame has the slots before it.
    let slot: Int
    /// Whether there are two variables.
    let hasPosition: Bool
    let meter: Int
    /// The range of the list or map in the expression.
    let range: Range<Int>

    /// Calls `step` for each element, with a frame that holds the element, until `step` returns false.
    func forEach(
        _ frame: Frame, _ step: (Frame) throws(EvaluationFault) -> Bool
    ) throws(EvaluationFault) {
        // Safe because the elements outlive the loop: the caller keeps the records, and this function keeps
        // the values.
        switch elements {
        case .memory(let location, let type):
            let memory = unsafe try location.pointer(in: frame)
            switch type {
            case .list(let element):
                let items = unsafe memory.load(as: UnsafeRawPointer.self)
                let count = unsafe memory.load(fromByteOffset: 8, as: Int.self)
                unsafe try walk(frame, nil, items, count, element.stride, step)
            case .array(let element, let count):
                unsafe try walk(frame, nil, memory, count, element.stride, step)
            default: preconditionFailure("only lists and arrays have elements in memory")
            }
        case .boxed(let compute):
            let (keys, values) = try parts(of: try compute(frame))
            guard !values.isEmpty else { return }
            let result: Result<Void, EvaluationFault> = unsafe values.withUnsafeBufferPointer { values in
                do throws(EvaluationFault) {
                    unsafe try walk(
                        frame, keys, UnsafeRawPointer(values.baseAddress!), values.count,
                        MemoryLayout<Value>.stride,
                        step)
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }
            try result.get()
        }
    }

    /// The keys, if they are positions of their own, and the values.
    private func parts(of value: Value) throws(EvaluationFault) -> (keys: [Value]?, values: [Value]) {
        switch value {
        case .list(let values): return (nil, values)
        case .map(let entries):
            return hasPosition ? (entries.map(\.key), entries.map(\.value)) : (nil, entries.map(\.key))
        default:
            throw EvaluationFault(
                .wrongDynamicType, "expected a list or a map, found \(value.kind)", at: range)
        }
    }

    private func walk(
        _ frame: Frame, _ keys: [Value]?, _ items: UnsafeRawPointer, _ count: Int, _ stride: Int,
        _ step: (Frame) throws(EvaluationFault) -> Bool
    ) throws(EvaluationFault) {
        let valueSlot = hasPosition ? slot + 1 : slot
        var position = Value.null
        // Safe because the frame has `slot` slots, the items lie `stride` bytes apart, and `position` outlives the
        // table.
        let result: Result<Void, EvaluationFault> = unsafe withUnsafeMutablePointer(to: &position) {
            position in
            unsafe withUnsafeTemporaryAllocation(
                of: UnsafeRawPointer?.self, capacity: valueSlot + 1
            ) { table in
                for index in 0..<slot { unsafe table.initializeElement(at: index, to: frame.slots[index]) }
                if hasPosition { unsafe table.initializeElement(at: slot, to: position) }
                let inner = unsafe Frame(UnsafePointer(table.baseAddress!))
                do throws(EvaluationFault) {
                    for index in 0..<count {
                        unsafe table.initializeElement(at: valueSlot, to: items + index * stride)
                        if hasPosition { unsafe position.pointee = keys?[index] ?? .int(Int64(index)) }
                        try inner.charge(1, meter: meter, at: range)
                        guard try step(inner) else { break }
                    }
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }
        }
        try result.get()
    }
}
