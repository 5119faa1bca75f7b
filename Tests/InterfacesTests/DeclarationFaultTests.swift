import Diagnostics
import Interfaces
import TestSupport
import Testing

struct DeclarationFaultTests {
    /// Each text with everything that is said about it.
    private static let texts = [
        "int abs(int j)",
        "int abs(int j) int b(void);",
        "abs(int j);",
        "int abs(intt j);",
        "int abs(point p); struct point { int x; };",
        "struct point { int x; }; int abs(point p);",
        "int abs(int j;",
        "int abs(int, );",
        "int (abs)(int j);",
        "int rand();",
        "int printf(const char *format, ...);",
        "#include <math.h>\ndouble sin(double x);\n#define PI 3.14\n  # pragma once\nint abs(iint j);",
        "void later(void (^block)(void));",
        "int f(int (*g));\nint h(int (*(void)));\nint i(int (*j)(int, ...));\nint k(int (*l)());",
        "typedef int compare(const void *, const void *);\nstruct s { compare c; };\ncompare d;",
        "int sum(int (*rows)[3]);",
        "union value { int i; double d; };\nint take(union value v);",
        "struct flags { unsigned ready : 1, busy : 2; int : 0; int count; };\nint use(struct flags f);",
        "long double sinl(long double x);\ndouble _Complex csin(double _Complex z);\n__int128 wide(void);",
        "int x;\nextern int errno;\nint abs(int j) { return j < 0 ? -j : j; }\nint labs(long jj);",
        "extern \"C\" { int abs(int j); }",
        "int open(const char *path) __attribute__((nonnull));\nstruct __attribute__((packed)) s { char a; int b; };",
        "unsigned double x(void);\nlong long long y(void);\nsigned unsigned z(void);\nshort long w(void);",
        "int abs(int j);\nlong abs(long j);\ntypedef int size_t;\nstruct s { int a; };\nstruct s { int b; };\nenum s { A };",
        "int f(struct unknown value);\nvoid g(void v);\nint h(void v[2]);\nint i(int a, int a);",
        "struct s { int a; int a; };\nstruct empty { };\nstruct open { int count; int items[]; };\nstruct anonymous { struct { int a; }; };",
        "struct s { int a[0]; int b[-1]; int c[1 / 0]; int d[COUNT]; int e[sizeof(int)]; int f[9999999999999999999]; };",
        "enum huge { A = 5000000000 };\nenum wide { B = -1, C = 0xFFFFFFFF };\nenum again { D, D };\nenum none { };\nenum unknown f(void);",
        "struct s { int a; double b\n};\nint f(void);",
        "struct s { int a;",
        "int f(void) }\nint g(void);",
        "int naïve(int ä);\nint é;\nint ok(void);\nint dollar$(void);\nint at@(int \\ j);",
        "int f(void); /* never closed",
        "struct big { char a[65536]; char b; };\nstruct one { char bytes[60000]; };\nstruct two { struct one a, b; };",
        "int open(const char *p) __asm__(\"open64\");\nint x __attribute__((aligned(8)));\nint f(int for);\ntypedef int;\nint;\nconst;\n;",
        "int f(typedef int a);\nint *g(void)[3];\ndouble h[3](void);",
    ]

    @Test func everyFault_isSaidWithItsPlaceAndWhatToDo() throws {
        let renderer = DiagnosticRenderer()
        var text = ""
        for source in Self.texts {
            let file = SourceText(file: SourceFile(name: "declares", text: source))
            let faults = CDeclarations(parsing: source).faults.map { $0.diagnostic(in: file) }
            #expect(!faults.isEmpty, "\(source)")
            text += "---- \(source)\n" + renderer.render(faults, in: "declares")
        }
        try ExpectedText(name: "declaration-faults.txt").check(text)
    }

    @Test func nesting_hasALimit() {
        let structures =
            String(repeating: "struct { ", count: 10_000) + "int a;"
            + String(repeating: "} b;", count: 10_000)
        #expect(CDeclarations(parsing: structures).faults.contains { $0.code == .declarationLimit })
        let stars = "int f(int \(String(repeating: "*", count: 100_000))p);"
        #expect(CDeclarations(parsing: stars).faults.map(\.code) == [.declarationLimit])
        let parentheses = "enum e { A = \(String(repeating: "(", count: 100_000))1 };"
        #expect(CDeclarations(parsing: parentheses).faults.map(\.code) == [.declarationLimit])
        let signs = "enum e { A = \(String(repeating: "-", count: 100_000))1 };"
        #expect(CDeclarations(parsing: signs).faults.map(\.code) == [.declarationLimit])
        var chain = "struct s0 { char a; };"
        for index in 1..<10_000 { chain += "struct s\(index) { struct s\(index - 1) a; };" }
        #expect(CDeclarations(parsing: chain).faults.map(\.code) == [.declarationLimit])
        var pointers = "typedef int *p0;"
        for index in 1..<10_000 { pointers += "typedef p\(index - 1) *p\(index);" }
        #expect(CDeclarations(parsing: pointers).faults.map(\.code) == [.declarationLimit])
    }

    @Test func graphOfPointers_staysSmall() {
        var text = "struct s0 { int a; };"
        for index in 1..<200 { text += "struct s\(index) { struct s\(index - 1) *a, *b, *c; };" }
        text += "int f(struct s199 *s);"
        let declarations = CDeclarations(parsing: text)
        #expect(declarations.faults == [])
        #expect(Set(declarations.functions).count == 1)
    }

    @Test func tooMuchText_isRefusedAtOnce() {
        let text = String(repeating: "int f(void);\n", count: 100_000)
        #expect(CDeclarations(parsing: text).faults.map(\.code) == [.declarationLimit])
    }

    @Test func megabyteOfParameters_isRefusedAtOnce() {
        let parameters = (0..<80_000).map { "int a\($0)" }.joined(separator: ",")
        #expect(CDeclarations(parsing: "int f(\(parameters));").faults.map(\.code) == [.declarationLimit])
    }

    @Test func megabyteOfValidText_isRead() {
        var text = ""
        var index = 0
        while text.utf8.count < 1_000_000 {
            text += "int function_\(index)(const char *path, double values[]);\n"
            index += 1
        }
        let declarations = CDeclarations(parsing: text)
        #expect(declarations.faults == [])
        #expect(declarations.functions.count == index)
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func noise_neitherCrashesNorHangs(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let words = [
            "struct", "enum", "typedef", "int", "long", "const", "void", "*", "(", ")", "[", "]", "{", "}",
            ";", ",", "=",
            "1", "0x", "a", "b", "union", "...", ":", "#", "\n", "'", "\"", "/*", "*/", "//", "é", "\u{0}",
            "-", "sizeof",
            "\\", "static", "unsigned", "size_t", "spin_call", "99999999999999999999", "<<", "%", "0",
        ]
        for _ in 0..<400 {
            var text = ""
            for _ in 0..<Int.random(in: 0..<60, using: &random) {
                text += (words.randomElement(using: &random) ?? "") + (Bool.random(using: &random) ? " " : "")
            }
            let declarations = CDeclarations(parsing: text)
            for fault in declarations.faults {
                #expect(fault.range.lowerBound >= 0 && fault.range.upperBound <= text.utf8.count)
                #expect(!fault.message.isEmpty)
            }
            if declarations.functions.isEmpty {
                #expect(throws: TextFault.self) { try CFunction(parsing: text) }
            }
        }
        // One long one is enough: most of it is skipped.
        let bytes = (0..<(seed == 0 ? 300_000 : 3_000)).map { _ in UInt8.random(in: 0...255, using: &random) }
        let noise = CDeclarations(parsing: String(decoding: bytes, as: UTF8.self))
        #expect((1...65).contains(noise.faults.count))
    }
}
