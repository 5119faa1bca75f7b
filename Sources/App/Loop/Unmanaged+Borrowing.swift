extension Unmanaged {
    /// Gives `body` the object without a counted reference. The caller keeps the object meanwhile.
    @inline(__always)
    func borrow<Answer>(_ body: (Instance) throws(RunFault) -> Answer) throws(RunFault) -> Answer {
        // Safe because the caller keeps the object. The standard library's function cannot pass on a typed
        // error.
        let result = unsafe _withUnsafeGuaranteedRef { object in
            Result { () throws(RunFault) in try body(object) }
        }
        return try result.get()
    }
}
