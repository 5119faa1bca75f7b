import CForeignCall
import CPluginABI
import Diagnostics

/// Why a call into a plugin did not return.
struct CallFailure {
    let code: DiagnosticCode
    /// What the function did, in words: `` threw a C++ exception: `no paper` ``.
    let text: String
    let help: [String]

    /// What a failed call's `error.code` is: as for every fault that the host finds, the number of the diagnostic.
    var status: Int32 {
        switch code {
        case .callCrashed: -1120
        case .quarantined: Self.quarantined
        default: SPIN_FAILED
        }
    }

    static let quarantined: Int32 = -1121
}

extension PluginImage {
    /// What a call that did not return came to. After a crash the other calls of the plugin are ended as well.
    ///
    /// - Parameters:
    ///   - status: what `foreign_call` answered, not `FOREIGN_RETURNED`.
    ///   - message: what it wrote.
    ///   - call: the call that this is about, which its own caller ends.
    func failure(
        _ status: Int32, _ message: UnsafeMutableBufferPointer<CChar>, of callee: Callee, in call: CallToken?
    ) -> CallFailure {
        switch Int(status) {
        case FOREIGN_CRASHED:
            // Safe because the text is NUL-terminated.
            let crash = unsafe "crashed with \(String(cString: message.baseAddress!))"
            let reason = "\(callee.what) \(crash)"
            if quarantine.begin(reason) {
                logFault("\(reason); the plugin is not called any more", call: call)
                speakAgainst(reason)
                HostRegistry.shared.abandonCalls(of: self, but: call)
            }
            return CallFailure(
                code: .callCrashed, text: crash,
                help: ["the plugin is not called any more in this run: what it holds may be in any state"])
        case FOREIGN_REFUSED:
            return CallFailure(
                code: .quarantined,
                text: "was not called: the plugin is in quarantine since \(quarantine.reason)", help: [])
        default:
            return unsafe CallFailure(
                code: .callThrew, text: "threw \(Self.describe(thrown: message))", help: [])
        }
    }

    /// Calls back into the plugin: `body` answers as `foreign_call_back` does. Nil when it returned.
    func callBack(
        _ role: Callee.Role, in call: CallToken?,
        _ body: (UnsafePointer<foreign_callee>, UnsafeMutableBufferPointer<CChar>) -> Int32
    ) -> CallFailure? {
        let callee = callee(role)
        // Safe because the buffer lives for the body, and `self` for the whole call.
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { message in
            let before = unsafe enter()
            let status = unsafe body(callee.pointer, message)
            unsafe leave(before)
            settle(callee)
            guard status != FOREIGN_RETURNED else { return nil }
            return unsafe failure(status, message, of: callee, in: call)
        }
    }

    /// Writes that a callback did not return; that the plugin is in quarantine has been written.
    func log(_ failure: CallFailure, of what: String, call: CallToken?) {
        switch failure.code {
        case .callCrashed, .quarantined: break
        default: logFault("\(what) \(failure.text)", call: call)
        }
    }

    /// Looks after the handlers of signals once the function has been called for the first time, as it may have changed
    /// them. For guarded plugins, which need them.
    func settle(_ callee: Callee) {
        // Safe because the callee is immortal.
        if isGuarded, unsafe foreign_callee_settle(callee.pointer) { putHandlersInFront() }
    }

    /// Puts the host's handlers of crashes in front, and says so if somebody had replaced them.
    func putHandlersInFront() {
        for replaced in CrashHandlers.install() {
            log(replaced.text, level: SPIN_LOG_WARNING, call: nil, matter: .replacedHandler)
        }
    }
}
