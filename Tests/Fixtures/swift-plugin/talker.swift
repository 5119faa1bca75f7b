import SpinPlugin

/// Prints a greeting, and answers how many characters it has.
@c(greet)
func greet(_ name: UnsafePointer<CChar>) -> Int64 {
    let text = "hello \(String(cString: name))"
    return Host.print(text) == .ok ? Int64(text.count) : -1
}

/// Ends its call as failed.
@c(refuse)
func refuse(_ token: OpaquePointer, _ reason: UnsafePointer<CChar>) {
    Call(token).fail(String(cString: reason), code: Status(rawValue: -42))
}
