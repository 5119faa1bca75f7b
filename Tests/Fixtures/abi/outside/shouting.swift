import SpinPlugin

@c(shout)
func shout(_ token: OpaquePointer, _ text: UnsafePointer<CChar>) {
    let call = Call(token)
    if call.isCancelled { Host.log("in vain", level: .warning) }
    let text = String(cString: text)
    if text.isEmpty {
        call.fail("nothing to shout", code: .badValue)
        return
    }
    Host.log("at \(Host.monotonicNanoseconds) and \(Host.wallNanoseconds)", call: call)
    Host.print(text.uppercased())
    if call.finish() == .ok, call.finish() == .stopped { Host.print("finished once") }
}
