import Diagnostics
import Interfaces
import Records
import Testing

struct CallSignatureTests {
    private static let types = """
        struct point { double x, y; };
        typedef struct { int32_t id; char name[16]; struct point at; void *next; } item;
        struct message { spin_string text; };
        enum level { LOW, HIGH };
        typedef struct handle handle;

        """

    private func declared(_ prototype: String) throws -> CFunction {
        let declarations = CDeclarations(parsing: Self.types + prototype + ";")
        #expect(declarations.faults == [], "\(prototype)")
        return try #require(declarations.functions.last)
    }

    private func shown(_ passing: CallSignature.Passing, _ inputs: RecordType) -> String {
        switch passing {
        case .call: "the call"
        case .instance: "the instance"
        case .value(let field): "value of \(inputs.fields[field].type.name)"
        case .cString(let field): "NUL-terminated text of \(inputs.fields[field].type.name)"
        case .bytes(let field): "data of \(inputs.fields[field].type.name)"
        case .recordPointer(let field): "address of \(inputs.fields[field].type.name)"
        case .listPointer(let field): "elements of \(inputs.fields[field].type.name)"
        case .nullable(let passing): "null, or \(shown(passing, inputs))"
        case .out(let buffer):
            "out \(buffer.count) × \(buffer.element.name), \(buffer.byteCount) bytes, as \(buffer.form)"
                + (buffer.input.map { ", begins with \(inputs.fields[$0].type.name)" } ?? "")
                + (buffer.used.map { ", used: \($0)" } ?? "")
        case .null: "null"
        case .callback(let callback):
            "callback \(callback.value) -> \(callback.result?.name ?? "nothing"), read as "
                + callback.parameters.map { "\($0.form)" }.joined(separator: ", ")
        }
    }

    private func shown(_ prototype: String, _ arguments: [CallArgument]) throws -> String {
        var text = "---- \(prototype)\n"
        do {
            let signature = try CallSignature(try declared(prototype), arguments: arguments)
            for parameter in signature.parameters {
                text += "  \(parameter.name): \(shown(parameter.passing, signature.inputs))\n"
            }
            text += "  -> \(signature.outcome)"
            text += signature.result.map { ", result \($0.form)\n" } ?? "\n"
        } catch let error as InterfaceError {
            text += "error[\(error.code.rawValue)]: \(error.message)"
            text += error.argument.map { " (argument \($0))\n" } ?? "\n"
            for line in error.help { text += "  help: \(line)\n" }
        }
        return text
    }

    private static let one = CallArgument.out(count: 1, as: .elements)
    private static func string(_ count: Int) -> CallArgument { .out(count: count, as: .string) }
    private static func bytes(_ count: Int, _ used: String? = nil) -> CallArgument {
        .out(count: count, as: .bytes(used: used))
    }
    private static func many(_ count: Int) -> CallArgument { .out(count: count, as: .elements) }

    private static func callback(_ counts: [String: CallArgument.Count] = [:]) -> CallArgument {
        .callback(counts: counts)
    }

    private static func inOut(_ count: Int? = nil) -> CallArgument { .inOut(count: count, as: .elements) }

    private static let calls: [(String, [CallArgument])] = [
        ("void nothing(void)", []),
        (
            "bool scalars(bool a, int8_t b, unsigned short c, long d, uint64_t e, float f, double g, char h)",
            Array(repeating: .input, count: 8)
        ),
        ("enum level levels(enum level a, const enum level *b, size_t count)", [.input, .input, .input]),
        (
            "spin_duration times(spin_duration a, spin_timestamp b, const spin_duration *c)",
            [.input, .input, .input]
        ),
        (
            "char *texts(const char *a, const char b[], const unsigned char *c, const uint8_t *d, const void *e)",
            Array(repeating: .input, count: 5)
        ),
        (
            "spin_string views(spin_string a, spin_bytes b, const spin_string *c, const spin_bytes *d)",
            Array(repeating: .input, count: 4)
        ),
        (
            "struct point records(struct point a, const struct point *b, const item *c, const item d[], size_t n)",
            Array(repeating: .input, count: 5)
        ),
        (
            "void lists(const double *a, const bool b[], const signed char *c, const struct message d[])",
            Array(repeating: .input, count: 4)
        ),
        (
            "handle *pointers(handle *a, const handle *b, void *c, struct point *d, char **e, const char *const *f, FILE *g)",
            Array(repeating: .input, count: 7)
        ),
        (
            "int outs(double *a, double b[], struct point *c, item d[2], bool *e, handle **f, enum level *g)",
            [one, many(3), one, many(2), one, one, one]
        ),
        (
            "int buffers(char *a, void *b, unsigned char c[], char *d, void *e, char *f)",
            [string(256), string(16), string(8), bytes(64, "result"), bytes(4096), many(4)]
        ),
        ("void effect(spin_call *call, const char *url)", [.input]),
        ("const unsigned char *foreign(int)", [.input]),
        ("int gethostname(char *name, size_t len)", [string(256), .input]),
        ("int getloadavg(double loadavg[], int nelem)", [many(3), .input]),
        (
            "int swap(struct point *p, int n[3], enum level *l, char *text, void *data, item *many)",
            [
                inOut(), inOut(), inOut(), .inOut(count: 8, as: .string),
                .inOut(count: 9, as: .bytes(used: "result")),
                inOut(2),
            ]
        ),
        (
            "int pack(uint8_t *to, uint64_t *size, const char *from)",
            [bytes(100, "out.size"), inOut(), .null]
        ),
        (
            "int maybe(const char *_Nullable a, const uint8_t *_Nullable b, const double *_Nullable c, const item *_Nullable d, handle *_Nullable e)",
            Array(repeating: .input, count: 5)
        ),
        ("int made(char **a, const char **b, char **c)", [string(1), string(1), one]),
        ("void nulls(handle *a, const double *b, time_t *c, char **d)", [.null, .null, .null, .null]),
        (
            "void qsort_r(int32_t *base, size_t n, size_t size, int (*compare)(const int32_t *, const int32_t *right, void *context), void *context)",
            [many(3), .input, .input, callback(), .null]
        ),
        (
            "int exec(handle *db, const char *sql, int (*row)(void *context, int count, char *_Nullable *values, char **names), void *context, char **error)",
            [
                .input, .input, callback(["values": .parameter("count"), "names": .fixed(2)]), .null,
                string(1),
            ]
        ),
        (
            "void kinds(bool (*f)(bool a, enum level b, float c, struct point d, spin_string e, const item *_Nullable f, const double g[3], handle *h, int *i, const void *j, void (*k)(void)))",
            [callback()]
        ),
        (
            "void counted(double (*f)(const char *a, size_t n, const void *b, unsigned char *c, const item *d, double *_Nullable e))",
            [
                callback([
                    "a": .parameter("n"), "b": .parameter("n"), "c": .fixed(3), "d": .parameter("n"),
                    "e": .parameter("n"),
                ])
            ]
        ),
        (
            "void pointers(void *(*find)(void), void (*told)(const char *), int (*none)(int))",
            [callback(), .input, .null]
        ),
        // What is refused.
        ("int abs(int j)", [callback()]),
        ("void f(int (*g)(void))", [one]),
        ("void f(struct point (*g)(void))", [callback()]),
        ("void f(int (*g)(struct message m))", [callback()]),
        ("void f(int (*g)(const char *text, double n))", [callback(["text": .parameter("n")])]),
        ("void f(int (*g)(const char *text, double n))", [callback(["test": .parameter("n")])]),
        ("void f(int (*g)(int n))", [callback(["n": .fixed(1)])]),
        ("void f(int (*g)(handle *h))", [callback(["h": .fixed(1)])]),
        ("void f(int (*g)(const double *h))", [callback(["h": .fixed(-1)])]),
        ("void f(spin_call *call, int (*g)(void))", [callback()]),
        ("int made(char **text)", [string(2)]),
        ("int made(char **text)", [.inOut(count: 1, as: .string)]),
        ("int pack(uint8_t *to, uint64_t *size)", [bytes(100, "out.sise"), one]),
        ("int pack(uint8_t *to, uint64_t *size)", [bytes(100, "out.size"), many(2)]),
        ("double pack(uint8_t *to)", [bytes(100, "result")]),
        ("int shout(char *text)", [.inOut(count: nil, as: .string)]),
        ("int abs(int j)", [inOut()]),
        ("int abs(int j)", [.null]),
        ("size_t strlen(const char *s)", [inOut()]),
        ("int gethostname(char *name, size_t len)", [string(256)]),
        ("int rand(void)", [.input]),
        ("int abs(int j)", []),
        ("int abs(int j)", [one]),
        ("size_t strlen(const char *s)", [one]),
        ("int getloadavg(double loadavg[], int nelem)", [.input, .input]),
        ("int take(const struct message *m, int *count)", [.input, .input]),
        ("double modf(double x, double *iptr)", [.input, many(0)]),
        ("double modf(double x, double *iptr)", [.input, many(3_000_000)]),
        ("double modf(double x, double *iptr)", [.input, string(8)]),
        ("double modf(double x, double *iptr)", [.input, bytes(8)]),
        ("int fill(double values[4])", [many(3)]),
        ("int fill(void *memory)", [one]),
        ("int fill(handle *memory)", [one]),
        ("int fill(spin_string *text)", [one]),
        ("int fill(struct message *m)", [one]),
        ("int fill(spin_string *text)", [.input]),
        ("struct message make(void)", []),
        ("int twice(spin_call *a, spin_call *b)", [.input]),
        ("void effect(spin_call *call, const char *url)", [.input, .input]),
    ]

    @Test func typeMatrix_isWhatTheDocumentSays() throws {
        var text = ""
        for (prototype, arguments) in Self.calls { text += try shown(prototype, arguments) }
        try ExpectedText(name: "call-signatures.txt").check(text)
    }

    @Test func statvfs_isCalledWithTheWholeStructure() throws {
        let declarations = CDeclarations(
            parsing: """
                struct statvfs { unsigned long f_bsize, f_frsize; fsblkcnt_t f_blocks, f_bfree, f_bavail; fsfilcnt_t f_files, f_ffree, f_favail;
                                 unsigned long f_fsid, f_flag, f_namemax; int spare[6]; };
                int statvfs(const char *path, struct statvfs *buf);
                """)
        let function = try #require(declarations.function("statvfs"))
        let signature = try CallSignature(function, arguments: [.input, .out(count: 1, as: .elements)])
        guard case .out(let buffer) = signature.parameters[1].passing else {
            Issue.record("no out-parameter")
            return
        }
        #expect(buffer.byteCount == 112)
        guard case .record(let out)? = signature.outcome.field("out")?.type else {
            Issue.record("no field `out`")
            return
        }
        guard case .record(let record)? = out.field("buf")?.type else {
            Issue.record("no field `out.buf`")
            return
        }
        #expect(record.field("f_bavail")?.offset == 32)
        #expect(record.field("spare")?.type == .array(.integer(.i32), count: 6))
    }

    @Test func failureOfAnArgument_saysWhichOne() throws {
        let function = try CFunction(parsing: "void f(spin_call *call, int a, const char *b)")
        let error = #expect(throws: InterfaceError.self) {
            try CallSignature(function, arguments: [.input, .out(count: 1, as: .elements)])
        }
        #expect(error?.argument == 1)
        #expect(error?.message == "parameter 3 `b` of `f` is `const char *b`, which the function only reads")
    }
}
