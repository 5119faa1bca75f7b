import CForeignCall
import CPluginABI
import Diagnostics
import HostLoop
import Records

/// A function of an instance's life: `create`, `start`, `stop`, `destroy`, `save`, `restore` or
/// `reconfigure`.
// Safe because the function belongs to the image, which is kept.
@safe
struct InstanceFunction: @unchecked Sendable {
    /// The type that a function returns.
    enum Answer {
        case nothing
        case status
        case pointer
    }

    private let address: UnsafeRawPointer
    private let name: String
    private let image: PluginImage

    init(_ address: UnsafeRawPointer, _ name: String, of image: PluginImage) {
        unsafe self.address = address
        (self.name, self.image) = (name, image)
    }

    /// Calls the function with up to three pointers.
    ///
    /// - Returns: its answer as a word; 0 for nothing.
    /// - Throws: `DiagnosticCode.callThrew`, and for a guarded plugin `callCrashed` and `quarantined`.
    @discardableResult
    func call(
        _ arguments: [UnsafeMutableRawPointer?], _ answer: Answer, in token: CallToken? = nil
    ) throws(PluginError) -> UInt {
        let pointer = ForeignType(scalar: FOREIGN_POINTER)
        let type =
            switch answer {
            case .nothing: ForeignType(scalar: FOREIGN_VOID)
            case .status: ForeignType(scalar: FOREIGN_I32)
            case .pointer: pointer
            }
        // Safe because the types live for the call, and the function is of the type that the ABI says.
        var words = unsafe arguments
        let types = unsafe [OpaquePointer?](repeating: pointer.unsafePointer, count: words.count)
        let outcome = unsafe words.withUnsafeMutableBufferPointer { words in
            unsafe types.withUnsafeBufferPointer { types in
                unsafe invoke(image.callee(.life(name)), type, types, words, in: token)
            }
        }
        withExtendedLifetime((pointer, type)) {}
        return try outcome.get()
    }

    private func invoke(
        _ callee: Callee, _ result: ForeignType, _ types: UnsafeBufferPointer<OpaquePointer?>,
        _ words: UnsafeMutableBufferPointer<UnsafeMutableRawPointer?>, in token: CallToken?
    ) -> Result<UInt, PluginError> {
        // Safe because all memory lives for the call, and libffi reads each argument through its address.
        guard
            let interface = unsafe foreign_interface_create(
                callee.pointer, result.unsafePointer, types.baseAddress, types.count)
        else { preconditionFailure("libffi knows pointers and integers") }
        defer { unsafe foreign_interface_destroy(interface) }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { message in
            unsafe withUnsafeTemporaryAllocation(byteCount: 16, alignment: 16) { slot in
                unsafe slot.initializeMemory(as: UInt8.self, repeating: 0)
                let addresses = unsafe words.indices.map { index -> UnsafeMutableRawPointer? in
                    unsafe UnsafeMutableRawPointer(words.baseAddress! + index)
                }
                var number: Int32 = 0
                let call = unsafe image.isGuarded ? foreign_call_guarded : foreign_call
                let before = unsafe image.enter()
                let status = unsafe call(
                    interface, address, addresses, slot.baseAddress!, &number, message.baseAddress,
                    message.count)
                unsafe image.leave(before)
                image.settle(callee)
                guard status == FOREIGN_RETURNED else {
                    return unsafe .failure(image.failure(status, message, of: callee, in: token))
                }
                return unsafe .success(slot.load(as: UInt.self))
            }
        }
    }

    /// Calls the function with a `spin_call` of its own as the first argument, which the function may fail.
    ///
    /// - Parameter relay: what an instance that starts may ask for.
    /// - Returns: its answer, and `DiagnosticCode.instanceFailed` when it called `spin_fail`.
    /// - Throws: as `call`, and `DiagnosticCode.tooManyCalls`.
    func callWithToken(
        _ arguments: [UnsafeMutableRawPointer?], _ answer: Answer, starting relay: InstanceRelay? = nil
    ) throws(PluginError) -> (word: UInt, failure: PluginError?) {
        let sink = InstanceSink(starting: relay)
        let token = try image.services.begin(sink, for: image, effect: name)
        // Its timers and memory go with it.
        defer { image.services.cancel(token) }
        // Safe because a token is a number that the plugin does not follow.
        let call = unsafe UnsafeMutableRawPointer(bitPattern: token.bits)
        let word = unsafe try self.call([call] + arguments, answer, in: token)
        return (word, sink.failure.map { failed($0.text.isEmpty ? "code \($0.code)" : $0.text) })
    }

    /// The same for a function that answers a `spin_status`.
    ///
    /// - Throws: as `call`, and `DiagnosticCode.instanceFailed` for `spin_fail` and for any answer except
    ///   `SPIN_OK`.
    func callForStatus(
        _ arguments: [UnsafeMutableRawPointer?], starting relay: InstanceRelay? = nil
    ) throws(PluginError) {
        let (word, failure) = unsafe try callWithToken(arguments, .status, starting: relay)
        if let failure { throw failure }
        let status = Int32(truncatingIfNeeded: word)
        guard status == SPIN_OK else { throw failed("`\(name)` answered \(status)") }
    }

    /// An error of a function that returned.
    func failed(_ message: String) -> PluginError {
        PluginError(.instanceFailed, message, library: image.library, symbol: name)
    }
}
