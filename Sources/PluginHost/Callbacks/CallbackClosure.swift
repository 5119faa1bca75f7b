import CForeignCall
import HostLoop
import Interfaces
import Records

/// A function that C calls, made at run time. It serves one call of a plugin's function at a time, and exists
/// for ever: C code may keep its address beyond the call.
///
/// A call on any thread during that time is answered by its target. A call at another time returns the
/// fallback of the last target, and breaks a rule of the plugin.
// Safe because the C object never changes after `init`, and everything else is under the lock.
@safe
final class CallbackClosure: @unchecked Sendable {
    private struct State {
        var target: CallbackTarget?
        // The plugin of the last target.
        var conduct: PluginConduct?
        var function = ""
    }

    private let state = Lock(State())
    private var closure: OpaquePointer?

    /// - Parameter types: those of the result and the parameters, which are never freed.
    /// - Returns: nil when libffi refuses the types, or the system gives no memory for code.
    init?(result: ForeignType, parameters: [ForeignType]) {
        unsafe closure = nil
        let pointers = unsafe parameters.map { unsafe Optional($0.unsafePointer) }
        // Safe because neither this object nor the types are ever freed: see below.
        let made = unsafe pointers.withUnsafeBufferPointer { pointers in
            unsafe foreign_closure_create(
                result.unsafePointer, pointers.baseAddress, pointers.count, Self.answer,
                Unmanaged.passUnretained(self).toOpaque())
        }
        guard let made = unsafe made else { return nil }
        unsafe closure = made
        // Nobody releases this reference.
        _ = unsafe Unmanaged.passRetained(self)
    }

    /// The address that C calls.
    var function: UInt { unsafe UInt(bitPattern: foreign_closure_function(closure)) }

    /// Lets the target answer from now on.
    func begin(_ target: CallbackTarget) {
        unsafe foreign_closure_set_fallback(closure, target.fallback)
        state.withLock { $0 = State(target: target, conduct: target.conduct, function: target.function) }
    }

    /// Ends the answers of the target. A thread that asks it at this moment still gets one.
    func end() {
        // The target is released outside of the lock.
        _ = state.withLock { state in
            defer { state.target = nil }
            return state.target
        }
    }

    private static let answer: foreign_answer = { context, arguments in
        // Safe because the object is never freed.
        let closure = unsafe Unmanaged<CallbackClosure>.fromOpaque(context!).takeUnretainedValue()
        return unsafe closure.answer(arguments)
    }

    private func answer(_ arguments: UnsafePointer<UnsafeMutableRawPointer?>?) -> UInt64 {
        if let target = state.withLock({ $0.target }) { return unsafe target.answer(arguments) }
        let last = state.withLock { $0 }
        last.conduct?.broke(.callbackAfterEnd, effect: last.function, call: nil)
        return unsafe foreign_closure_fallback(closure)
    }
}

/// The closures for one callback of one function, in all versions of its library.
///
/// A closure that was in use is used again only when many others are free, the longest free first. So a late
/// call of it is recognised for some time. A pool has at most 16 closures more than calls that ran at once.
final class ClosurePool: Sendable {
    private struct Key: Hashable {
        let library: String
        let function: String
        let callback: String
        let result: ValueType?
        let parameters: [ValueType?]
    }

    private static let all = Lock<[Key: ClosurePool]>([:])
    /// So many others are free before a closure is used again.
    private static let leastFree = 16
    /// The most closures of one pool.
    private static let most = 4096

    private struct State {
        var free: [CallbackClosure] = []
        var count = 0
    }

    private let result: ForeignType
    private let parameters: [ForeignType]
    private let state = Lock(State())

    private init(_ function: CFunctionType) {
        (result, parameters) = (function.result.foreignType, function.parameters.map(\.type.foreignType))
    }

    /// The pool of a callback, which is never freed.
    static func pool(for callback: CallbackSignature, of function: FunctionAddress) -> ClosurePool {
        let type = callback.function
        let key = Key(
            library: function.image.library, function: function.name, callback: callback.name,
            result: type.result.valueType, parameters: type.parameters.map(\.type.valueType))
        return all.withLock { all in
            if let known = all[key] { return known }
            let made = ClosurePool(type)
            all[key] = made
            return made
        }
    }

    /// How many closures there are.
    var count: Int { state.withLock { $0.count } }

    /// False when the system lets the host make no closure.
    var canMake: Bool {
        guard count == 0 else { return true }
        let first = take()
        if let first { add(first) }
        return first != nil
    }

    /// A closure for one call; nil when there are as many as can be, or when the system gives no memory.
    func take() -> CallbackClosure? {
        state.withLock { state in
            if state.free.count <= Self.leastFree, state.count < Self.most,
                let made = CallbackClosure(result: result, parameters: parameters)
            {
                state.count += 1
                return made
            }
            return state.free.isEmpty ? nil : state.free.removeFirst()
        }
    }

    /// Takes a closure back, whose target has ended.
    func add(_ closure: CallbackClosure) { state.withLock { $0.free.append(closure) } }
}
