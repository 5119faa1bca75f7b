import Testing
import TestSupport

struct CallCommandTests {
    @Test func result_outParametersAndErrno_arePrinted() throws {
        #expect(
            try Spinhost.run("call", "libm.so.6", "double hypot(double x, double y)", "3", "4").output
                == "result = 5.0\n")
        #expect(try Spinhost.run("call", "libc.so.6", "int abs(int n)", "-7").output == "result = 7\n")
        let name = try Spinhost.run(
            "call", "libc.so.6", "int gethostname(char *name, size_t len)", "out:256:string", "256")
        let host = try Shell.run("hostname").output
        #expect(name.output == "result = 0\nout.name = \"\(host.dropLast())\"\n")
        let failed = try Spinhost.run("call", "libc.so.6", "int chdir(const char *path)", "/does/not/exist")
        #expect(failed.output == "result = -1\nerrno = 2 (no such file or directory)\n")
        #expect(failed.errors.hasPrefix("took "))
    }

    @Test func structsAndEnums_areDeclaredBeforeTheFunction_andGivenAsJSON() throws {
        let folder = try TemporaryFolder()
        let types = "struct point { double x, y; }; enum axis { AXIS_X, AXIS_Y = 7 };"
        _ = try CCompiler().sharedObject(
            """
            \(types)
            double norm2(const struct point *p) { return p->x * p->x + p->y * p->y; }
            double along(struct point p, enum axis a) { return a == AXIS_Y ? p.y : p.x; }
            void swap(struct point p, struct point *swapped) { *swapped = (struct point){p.y, p.x}; }
            double sum(const struct point p[], int n) { return n ? p[0].x + sum(p + 1, n - 1) : 0; }
            """, in: folder, as: "point.so")
        func call(_ prototype: String, _ arguments: String...) throws -> String {
            let outcome = try Shell.run(
                Project.spinhost, ["call", "./point.so", "\(types) \(prototype)"] + arguments, in: folder.root
            )
            return outcome.status == 0 ? outcome.output : outcome.errors
        }
        let point = #"{"x":3,"y":4}"#
        #expect(try call("double norm2(const struct point *p);", point) == "result = 25.0\n")
        #expect(try call("double along(struct point p, enum axis a)", point, "AXIS_Y") == "result = 4.0\n")
        #expect(
            try call("void swap(struct point p, struct point *swapped)", point, "out")
                == "out.swapped = {\"x\":4.0,\"y\":3.0}\n")
        #expect(
            try call("double sum(const struct point p[], int n)", "[\(point),\(point)]", "2")
                == "result = 6.0\n")
        #expect(try call("double norm2(const struct point *p)", #"{"x":3}"#).contains("field `y` is missing"))
        #expect(try call("").contains("expected a function"))
        #expect(try call("int f(const struct pont *p); int g(union u)", "1").contains("prototype:1:"))
    }

    @Test func functionPointer_canOnlyBeNull() throws {
        let atexit = "int __cxa_atexit(void (*function)(void *), void *context, void *library)"
        let refused = try Spinhost.run("call", "libc.so.6", atexit, "12", "null", "null")
        #expect(refused.status == 64)
        #expect(
            refused.errors == """
                error[C005]: argument `function` is a function pointer: `spinhost call` has no function for it
                  = help: write `null`, or call it in a manifest with `{ callback = … }`

                """)
        let signal = try Spinhost.run(
            "call", "libc.so.6", "void (*signal(int number, void (*handler)(int)))(int)", "10", "null")
        #expect(signal.output == "result = null\n", "\(signal.errors)")
    }

    @Test func argumentsBehindTwoDashes_areArguments() throws {
        for (arguments, result) in [
            (["--", "-3"], "3.0"), (["-3"], "3.0"), (["--", "--json"], nil), (["--", "--", "--"], nil),
        ] {
            let outcome = try Shell.run(
                Project.spinhost, ["call", "libm.so.6", "double fabs(double x)"] + arguments)
            #expect(outcome.output == (result.map { "result = \($0)\n" } ?? ""), "\(arguments)")
        }
        let text = try Spinhost.run("call", "libc.so.6", "size_t strlen(const char *s)", "--", "--json")
        #expect(text.output == "result = 6\n")
    }

    @Test func json_isOneObject() throws {
        let outcome = try Spinhost.run(
            "call", "libc.so.6", "double frexp(double x, int *exp)", "8", "out", "--json")
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
        try check(
            ["libm.so.6", "double hypot(double x, double y)", "1", "two"], 64,
            "`two` is not a value of type `f64`")
        try check(["libc.so.6", "int abs(int n)", "3000000000"], 64, "`3000000000` does not fit `i32`")
        try check(["libm.so.6", "double hypott(double x)", "1"], 69, "did you mean `hypot`?")
        try check(["libnothing.so.9", "int f(void)"], 69, "libnothing.so.9")
        try check(["./no/such.so", "int f(void)"], 69, "such.so")
    }
}
