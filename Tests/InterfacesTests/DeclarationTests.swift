import Diagnostics
import Interfaces
import Records
import Testing

struct DeclarationTests {
    private func function(_ text: String) throws -> CFunction { try CFunction(parsing: text) }

    @Test func hostwatchDeclarations_areRead() throws {
        let text = """
            int gethostname(char *name, size_t len);
            int getloadavg(double loadavg[], int nelem);
            struct statvfs { unsigned long f_bsize, f_frsize; fsblkcnt_t f_blocks, f_bfree, f_bavail; fsfilcnt_t f_files, f_ffree, f_favail;
                             unsigned long f_fsid, f_flag, f_namemax; int spare[6]; };
            int statvfs(const char *path, struct statvfs *buf);
            """
        let declarations = CDeclarations(parsing: text)
        #expect(declarations.faults == [])
        #expect(declarations.functions.map(\.name) == ["gethostname", "getloadavg", "statvfs"])
        #expect(declarations.structures.map(\.size) == [112])
        let statvfs = try #require(declarations.function("statvfs"))
        #expect(statvfs.text == "int statvfs(const char *path, struct statvfs *buf)")
        #expect(
            String(text.utf8.dropFirst(statvfs.range.lowerBound).prefix(statvfs.range.count)) == statvfs.text)
        #expect(statvfs.parameters.map(\.text) == ["const char *path", "struct statvfs *buf"])
        #expect(statvfs.parameters.map(\.type.description) == ["const char *", "struct statvfs *"])
        let load = try #require(declarations.function("getloadavg")?.parameters.first?.type)
        #expect(load == .pointer(CPointer(to: .double, isConst: false, bound: .array(count: nil))))
    }

    @Test(arguments: [
        ("int", "int32_t"), ("unsigned", "uint32_t"), ("signed", "int32_t"),
        ("long unsigned int long", "uint64_t"),
        ("int short", "int16_t"), ("unsigned short int", "uint16_t"), ("long", "int64_t"),
        ("long long", "int64_t"),
        ("char", "char"), ("char signed", "int8_t"), ("unsigned char", "uint8_t"), ("double", "double"),
        ("float const", "float"), ("_Bool", "bool"), ("bool", "bool"), ("size_t", "uint64_t"),
        ("volatile ssize_t", "int64_t"), ("mode_t", "uint32_t"), ("pid_t", "int32_t"), ("uint8_t", "uint8_t"),
        ("spin_duration", "spin_duration"), ("spin_timestamp", "spin_timestamp"),
        ("spin_string", "spin_string"),
        ("spin_bytes", "spin_bytes"), ("spin_status", "int32_t"), ("spin_call *", "struct spin_call *"),
        ("const char *", "const char *"), ("char const *", "const char *"), ("char *const", "char *"),
        ("const char **", "const char **"), ("const char *const *", "const char *const *"),
        ("void *restrict", "void *"), ("const char *_Nullable", "const char *_Nullable"),
        ("const int *const _Nullable", "const int32_t *_Nullable"), ("char *_Nonnull", "char *"),
        ("struct tm *", "struct tm *"), ("FILE *", "struct _IO_FILE *"),
        ("double [3]", "double [3]"), ("double [static 3]", "double [3]"),
        ("const int [restrict]", "const int32_t []"),
        ("double [2][3]", "double[3] [2]"), ("int [1 << 4 | 0x1]", "int32_t [17]"),
    ])
    func parameterTypes_areKnown(written: String, type: String) throws {
        let found = try function("void f(\(written))").parameters
        #expect(found.map(\.type.description) == [type])
        #expect(found.map(\.name) == ["arg1"])
    }

    @Test func unnamedParameters_getNamesThatNobodyElseHas() throws {
        let names = try function("int f(int arg2, int, int arg3, int);").parameters.map(\.name)
        #expect(names == ["arg2", "arg2_", "arg3", "arg4"])
    }

    @Test func commentsAndSeveralDeclarators_areRead() throws {
        let declarations = CDeclarations(
            parsing: """
                /* numbers */ extern double sin(double), cos(double);  // of angles
                static inline int abs(int j);
                """)
        #expect(declarations.faults == [])
        #expect(declarations.functions.map(\.name) == ["sin", "cos", "abs"])
        #expect(declarations.functions.last?.text == "static inline int abs(int j)")
    }

    @Test func typedefsAndTags_meanTheSameStructure() throws {
        let declarations = CDeclarations(
            parsing: """
                typedef struct point point;
                double length(const point *p);
                struct point { double x, y; };
                typedef struct { point from, to; char name[8]; } segment, *segment_ref;
                segment_ref longest(const segment segments[], size_t count);
                point middle(segment s);
                struct node { struct node *next; const struct point *at; } ;
                void walk(struct node *list);
                """)
        #expect(declarations.faults == [])
        #expect(
            declarations.structures.map(\.description) == ["struct point", "struct segment", "struct node"])
        #expect(declarations.structures[1].members.map(\.offset) == [0, 16, 32])
        #expect(declarations.structures[1].size == 40)
    }

    @Test func structureDeclaredFurtherDown_completesPointersAbove() throws {
        let declarations = CDeclarations(
            parsing:
                "typedef struct point point; double length(const point *p); struct point { double x, y; };")
        #expect(declarations.faults == [])
        guard case .pointer(let pointer) = declarations.functions[0].parameters[0].type,
            case .structure(let point) = pointer.pointee
        else {
            Issue.record("no pointer to a structure")
            return
        }
        #expect(point.size == 16)
    }

    @Test func enumerations_haveValuesAndWidths() throws {
        let declarations = CDeclarations(
            parsing: """
                enum colour { RED, GREEN = 5, BLUE, LAST = BLUE };
                typedef enum { SMALL = 1u << 3, BIG = 0x80000000 } flags;
                enum { LETTER = 'A', MINUS = -(3 * 4) / 5 % 4, NOT = ~0, };
                enum colour mix(enum colour a, flags f);
                """)
        #expect(declarations.faults == [])
        #expect(declarations.constant("LAST") == 6)
        #expect(declarations.enumerations[0].constants.map(\.value) == [0, 5, 6, 6])
        #expect(declarations.enumerations[1].integer == .u32)
        #expect(declarations.enumerations[1].description == "enum flags")
        #expect(declarations.enumerations[2].constants.map(\.value) == [65, -2, -1])
        #expect(declarations.function("mix")?.result.size == 4)
    }

    @Test func equalDeclarationTwice_isOne() {
        let declarations = CDeclarations(
            parsing: "int abs(int j); typedef unsigned long size_t; extern int abs(int number);")
        #expect(declarations.faults == [])
        #expect(declarations.functions.count == 1)
    }

    @Test func refusedDeclarations_areRememberedByName() {
        let declarations = CDeclarations(
            parsing: """
                int printf(const char *format, ...);
                struct flags { unsigned a : 1; };
                void set(struct flags f);
                typedef int (^compare)(const void *, const void *);
                void qsort(void *base, size_t n, size_t size, compare order);
                int abs(int j);
                """)
        #expect(declarations.refused == ["printf", "set", "qsort"])
        #expect(declarations.functions.map(\.name) == ["abs"])
        // What follows from a fault is no fault of its own.
        #expect(declarations.faults.map(\.code) == [.variadicFunction, .bitField, .functionPointer])
    }

    @Test func functionPointers_areRead_whateverTheirForm() throws {
        let declarations = CDeclarations(
            parsing: """
                typedef int compare(const int *left, const int *);
                typedef int (*order)(const int *, const int *);
                struct node;
                void a(compare *f); void b(order f); void c(int f(const int *, const int *)); void d(compare f);
                void e(int (*const f)(const int *one, const int *two));
                void (*signal(int sig, void (*handler)(int)))(int);
                struct operations { order all[3]; void (*visit)(struct node *node); };
                void use(const struct operations *operations);
                void walk(void (*each)(const struct node *node, void (*next)(void)));
                struct node { int n; };
                """)
        #expect(declarations.faults == [])
        let types = ["a", "b", "c", "d", "e"].map { declarations.function($0)?.parameters[0].type }
        #expect(Set(types).count == 1)
        #expect(types[0]?.description == "int32_t (*)(const int32_t *, const int32_t *)")
        #expect(types[0]?.pointedFunction?.parameters.map(\.name) == ["left", "arg2"])
        let signal = try #require(declarations.function("signal"))
        #expect(signal.parameters.map(\.name) == ["sig", "handler"])
        #expect(signal.result.description == "void (*)(int32_t)")
        #expect(declarations.structures.first { $0.name == "operations" }?.size == 32)
        // A structure that is declared later is known behind the pointers of a callback.
        let each = declarations.function("walk")?.parameters[0].type.pointedFunction
        guard case .pointer(let pointer)? = each?.parameters[0].type, case .structure = pointer.pointee else {
            Issue.record("no pointer to a structure")
            return
        }
    }

    @Test func singlePrototype_needsNoSemicolon_andIsAlone() throws {
        #expect(try function("double hypot(double x, double y)").name == "hypot")
        #expect(try function("double hypot(double x, double y);").parameters.count == 2)
        #expect(throws: TextFault.self) { try function("int a(void); int b(void);") }
        #expect(throws: TextFault.self) { try function("struct s { int a; };") }
        #expect(throws: TextFault.self) { try function("") }
    }
}
