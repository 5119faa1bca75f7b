import CLinux

/// The environment of this process.
package enum ProcessEnvironment {
    /// The variables that the process started with. Ask for them before any plugin is loaded, because plugins may change
    /// the environment on their threads.
    package static let atStart = variables

    /// Each variable as `NAME=VALUE`, in no order. No other thread may change the environment meanwhile.
    package static var variables: [String] {
        var variables: [String] = []
        // Safe because the text is copied at once.
        while let text = unsafe linux_variable(variables.count) {
            variables.append(unsafe String(cString: text))
        }
        return variables
    }
}
