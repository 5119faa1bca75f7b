import CForeignCall
import CPluginABI
import Diagnostics
import Glibc
import Interfaces
public import Records

/// The native reducer of one loop, with the memory for its calls. Used by one thread at a time.
@safe
public final class PreparedReducer {
    private let interface: ReducerInterface
    private let type: RecordType
    private let memory: ReductionMemory
    private let guarded: PluginImage?
    // Safe because all of it is made in `init`, used by one call at a time, and freed in `deinit`.
    private let reducer: UnsafeMutablePointer<foreign_reducer>
    // The next state while it is checked, if its fields own nothing.
    private let checked: UnsafeMutableRawPointer
    private let message: UnsafeMutableBufferPointer<CChar>
    // Any bytes are a valid state, so that the reducer may change the state in place.
    private let isPlain: Bool
    // By event, in words; 0 without fields.
    private let payloadSizes: [Int]

    /// Allocates the memory.
    public init(_ interface: ReducerInterface) {
        self.interface = interface
        type = interface.layout.state
        let image = interface.function.image
        guarded = image.isGuarded ? image : nil
        memory = ReductionMemory()
        isPlain = ValueType.record(type).isPlain
        payloadSizes = interface.layout.events.map { $0.type.fields.isEmpty ? 0 : Self.words($0.type) }
        unsafe checked = .allocate(byteCount: type.size, alignment: 16)
        unsafe message = .allocate(capacity: 512)
        let event = UnsafeMutableRawPointer.allocate(
            byteCount: interface.layout.eventSize + 7, alignment: 16)
        unsafe memset(event, 0, interface.layout.eventSize + 7)
        unsafe reducer = .allocate(capacity: 1)
        unsafe reducer.initialize(
            to: foreign_reducer(
                callee: interface.callee.pointer, function: interface.function.pointer,
                reduction: memory.pointer,
                copy: .allocate(byteCount: 8 * Self.words(type), alignment: 16), in_place: isPlain,
                event: event, payload_offset: interface.layout.payloadOffset, state_size: Self.words(type),
                message: message.baseAddress, message_size: message.count, answer: 0))
    }

    /// The number of words of a record of the type, all of which belong to the record (`RecordStorage`).
    private static func words(_ type: RecordType) -> Int { (type.size + 7) / 8 }

    deinit {
        unsafe reducer.pointee.copy.deallocate()
        unsafe reducer.pointee.event.deallocate()
        unsafe reducer.deallocate()
        unsafe checked.deallocate()
        unsafe message.deallocate()
    }

    /// Calls the reducer, which makes the next state. Allocates nothing when no field of the state is text,
    /// bytes or a list.
    ///
    /// - Parameters:
    ///   - tag: the event, as an index into `LoopLayout.events`.
    ///   - payload: the event's fields, of its type.
    /// - Returns: false when the reducer does not handle the event.
    /// - Throws: `DiagnosticCode.callThrew` for a C++ exception, `callCrashed` and `quarantined` as
    ///   `PreparedCall.invoke`, `reducerFailed` for an answer that means failure, and `badState` for an
    ///   invalid state, with the invalid field. The state is then unchanged, as for an event that is not
    ///   handled.
    public func reduce(_ state: inout Record, tag: Int, payload: Record) throws(PluginError) -> Bool {
        let isOnProbation = interface.probation?.begin() == true
        defer { if isOnProbation { interface.probation?.hasReturned() } }
        // Safe because the records are of the layout's types and live for the call, and the function is a
        // reducer, as its constant says.
        let status = unsafe foreign_reduce(
            reducer,
            isPlain ? state.unsafeMutableBase() : UnsafeMutableRawPointer(mutating: state.unsafeBase),
            Int32(truncatingIfNeeded: tag), payload.unsafeBase, payloadSizes[tag])
        defer { memory.reset() }
        guard status == FOREIGN_RETURNED else {
            throw unsafe interface.function.image.failure(status, message, of: interface.callee, in: nil)
        }
        guarded?.settle(interface.callee)
        let answer = unsafe reducer.pointee.answer
        switch answer {
        case SPIN_OK:
            if !isPlain {
                do { try take(&state) } catch {
                    throw fault(.badState, "left an invalid state: \(error)")
                }
            }
            return true
        case SPIN_UNHANDLED: return false
        default:
            throw fault(
                .reducerFailed, "answered \(answer)",
                help: ["a reducer answers `SPIN_OK` or `SPIN_UNHANDLED`; anything else is a fault"])
        }
    }

    /// Copies the state that the reducer has changed.
    private func take(_ state: inout Record) throws(RecordError) {
        let copy = unsafe reducer.pointee.copy!
        if guarded != nil { unsafe try ForeignProbe.check(copy, as: .record(type)) }
        // Safe because all of it is of the state's type, and `state` keeps the memory that its old bytes
        // refer to.
        if type.isTrivial {
            unsafe memcpy(checked, state.unsafeBase, type.size)
            unsafe try ForeignState.take(
                copy, old: state.unsafeBase, to: checked, as: .record(type))
            unsafe memcpy(state.unsafeMutableBase(), checked, type.size)
        } else {
            var next = state
            unsafe try ForeignState.take(
                copy, old: state.unsafeBase, to: next.unsafeMutableBase(), as: .record(type))
            state = next
        }
    }

    private func fault(_ code: DiagnosticCode, _ message: String, help: [String] = []) -> PluginError {
        let function = interface.function
        if code == .badState || code == .reducerFailed {
            function.image.failProbation("reducer `\(function.name)` \(message)")
        }
        return PluginError(
            code, "`\(function.name)` \(message)", help: help, library: function.image.library,
            symbol: function.name)
    }
}
