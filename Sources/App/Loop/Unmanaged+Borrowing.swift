extension Unmanaged {
    /// Gives `body` the object without a counted reference. Somebody else keeps the object meanwhile.
    @inline(__always)
    func borrow<Answer>(_ body: (Instance) throws(RunFault) -> Answer) throws(RunFault) -> Answer {
        // Safe because of what the caller promises. The standard library's function passes on no type of an error.
        let result = unsafe _withUnsafeGuaranteedRef { object in
            Result { () throws(RunFault) in try body(object) }
        }
        return try result.get()
    }
}
