import Testing
import TestSupport

struct CallCommandTests {
    @Test func result_outParametersAndErrno_arePrinted() throws {
        #expect(try Spinhost.run("call", "libm.so.6", "double hypot(double x, double y)", "3", "4").output == "result = 5.0\n")
        #expect(try Spinhost.run("call", "libc.so.6", "int abs(int n)", "-7").output == "result = 7\n")
        let name = try Spinhost.run(
            "call", "libc.so.6", "int gethostname(char *name, size_t len)", "out:256:string", "256")
        let host = try Shell.run("hostname").output
        #expect(name.output == "result = 0\nout.name = \"\(host.dropLast())\"\n")
        let failed = try Spinhost.run("call", "libc.so.6", "int chdir(const char *path)", "/does/not/exist")
        #expect(failed.output == "result = -1\nerrno = 2 (no such file or directory)\n")
        #expect(failed.errors.hasPrefix("took "))
    }

    @Test func json_isOneObject() throws {
        let outcome = try Spinhost.run("call", "libc.so.6", "double frexp(double x, int *exp)", "8", "out", "--json")
        let prefix = #"{"result":0.5,"errno":0,"out":{"exp":4},"nanoseconds":"#
        let other = #"{"result":0.5,"out":{"exp":4},"errno":0,"nanoseconds":"#
        #expect(outcome.output.hasPrefix(prefix) || outcome.output.hasPrefix(other), "\(outcome.output)")
    }

    @Test func wrongUse_isSaid_withItsExitCode() throws {
        func check(_ arguments: [String], _ status: Int32, _ part: String) throws {
            let outcome = try Shell.run(Project.spinhost, ["call"] + arguments)
            #expect(outcome.status == status, "\(arguments): \(outcome.errors)")
            #expect(outcome.errors.contains(part), "\(arguments): \(outcome.errors)")
            #expect(outcome.output == "")
        }
        try check(["libm.so.6", "double hypot(double x", "1"], 64, "prototype:1:")
        try check(["libm.so.6", "double hypot(double x, double y)", "1"], 64, "hypot")
        try check(["libm.so.6", "double hypot(double x, double y)", "1", "two"], 64, "`two` is no `f64`")
        try check(["libc.so.6", "int abs(int n)", "3000000000"], 64, "`3000000000` does not fit `i32`")
        try check(["libm.so.6", "double hypott(double x)", "1"], 69, "did you mean `hypot`?")
        try check(["libnothing.so.9", "int f(void)"], 69, "libnothing.so.9")
        try check(["./no/such.so", "int f(void)"], 69, "such.so")
    }
}
