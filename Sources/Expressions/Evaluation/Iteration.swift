import Diagnostics
import Records

/// The elements that a macro goes over, each put where the macro's name is read.
struct Iteration: Sendable {
    enum Elements: Sendable {
        /// A list or array in memory; its elements stay where they are.
        case memory(Place, ValueType)
        /// A list, or a map of which the keys count.
        case boxed(AnyComputation<Value>)
    }

    let elements: Elements
    /// The slot of the element; the frame around has those before it.
    let slot: Int
    let meter: Int
    /// Where the list or map stands.
    let range: Range<Int>

    /// Calls `step` for each element, with a frame that has it, until `step` says false.
    func forEach(
        _ frame: Frame, _ step: (Frame) throws(EvaluationFault) -> Bool
    ) throws(EvaluationFault) {
        // Safe because the elements outlive the loop: the frame's records do, and values are held here.
        switch elements {
        case .memory(let place, let type):
            let memory = unsafe try place.pointer(in: frame)
            switch type {
            case .list(let element):
                let items = unsafe memory.load(as: UnsafeRawPointer.self)
                let count = unsafe memory.load(fromByteOffset: 8, as: Int.self)
                unsafe try walk(frame, items, count, element.stride, step)
            case .array(let element, let count):
                unsafe try walk(frame, memory, count, element.stride, step)
            default: preconditionFailure("only lists and arrays have elements in memory")
            }
        case .boxed(let compute):
            let values = try keys(of: try compute(frame))
            guard !values.isEmpty else { return }
            let result: Result<Void, EvaluationFault> = unsafe values.withUnsafeBufferPointer { values in
                do throws(EvaluationFault) {
                    unsafe try walk(
                        frame, UnsafeRawPointer(values.baseAddress!), values.count,
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

    private func keys(of value: Value) throws(EvaluationFault) -> [Value] {
        switch value {
        case .list(let values): return values
        case .map(let entries): return entries.map(\.key)
        default:
            throw EvaluationFault(
                .wrongDynamicType, "a macro goes over a list or a map, and this is \(value.kind)", at: range)
        }
    }

    private func walk(
        _ frame: Frame, _ items: UnsafeRawPointer, _ count: Int, _ stride: Int,
        _ step: (Frame) throws(EvaluationFault) -> Bool
    ) throws(EvaluationFault) {
        // Safe because the frame has `slot` slots, and the items lie `stride` bytes apart.
        let result: Result<Void, EvaluationFault> = unsafe withUnsafeTemporaryAllocation(
            of: UnsafeRawPointer?.self, capacity: slot + 1
        ) { table in
            for index in 0..<slot { unsafe table.initializeElement(at: index, to: frame.slots[index]) }
            let inner = unsafe Frame(UnsafePointer(table.baseAddress!))
            do throws(EvaluationFault) {
                for index in 0..<count {
                    unsafe table.initializeElement(at: slot, to: items + index * stride)
                    try inner.charge(1, meter: meter, at: range)
                    guard try step(inner) else { break }
                }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }
}
