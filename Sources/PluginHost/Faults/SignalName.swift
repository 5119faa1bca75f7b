/// The names of signals.
public enum SignalName {
    /// The name of a signal, such as `SIGSEGV`; its number if it has no name.
    public static func name(_ signal: Int32) -> String {
        names.indices.contains(Int(signal) - 1) ? "SIG\(names[Int(signal) - 1])" : "signal \(signal)"
    }

    /// The names from signal 1 on, in Linux's numbering on the machines of this host.
    private static let names = """
        HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG \
        XCPU XFSZ VTALRM PROF WINCH IO PWR SYS
        """.split(separator: " ")
}
