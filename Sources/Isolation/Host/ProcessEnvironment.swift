import Glibc

/// The environment of this process.
package enum ProcessEnvironment {
    /// Each variable as `NAME=VALUE`, in no order. No other code may change the environment meanwhile.
    package static var variables: [String] {
        var variables: [String] = []
        // Safe because a null pointer ends the list, and the texts are copied.
        var next = unsafe environ
        while let text = unsafe next.pointee {
            variables.append(unsafe String(cString: text))
            unsafe next += 1
        }
        return variables
    }
}
