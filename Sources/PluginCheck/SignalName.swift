/// The names of signals.
public enum SignalName {
    /// The name of a signal, such as `SIGSEGV`; its number for one that has none.
    public static func name(_ signal: Int32) -> String {
        names.indices.contains(Int(signal) - 1) ? "SIG\(names[Int(signal) - 1])" : "signal \(signal)"
    }

    /// From 1 on, as Linux counts them on the machines that this host is for.
    private static let names = """
        HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG \
        XCPU XFSZ VTALRM PROF WINCH IO PWR SYS
        """.split(separator: " ")
}
