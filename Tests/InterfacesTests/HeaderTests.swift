import Diagnostics
import Interfaces
import Testing

struct HeaderTests {
    /// What a preprocessor leaves of a system header, in small.
    private static let header = CHeader(
        preprocessed: """
            typedef unsigned int __u_int;
            typedef long int __time_t;
            typedef __time_t time_t;
            typedef __signed__ char __s8_like;
            typedef struct { int __val[2]; } __fsid_t;
            struct timespec { __time_t tv_sec; long int tv_nsec; };
            extern int clock_gettime (int __clock_id, struct timespec *__tp) __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__nonnull__ (2)));
            extern __inline __attribute__ ((__gnu_inline__)) int twice (int __x) { if (__x) { return 2 * __x; } return 0; }
            enum { COUNT = 2, OTHER = COUNT + 1 };
            enum kind { KIND_A = 1, KIND_B };
            typedef enum { LOW, HIGH } level_t;
            union value { int i; double d; };
            typedef struct stream_s { unsigned char *next; void *(*alloc)(void *, unsigned); unsigned own : 3; } stream;
            typedef stream *streamp;
            typedef struct handle handle;
            typedef void (*callback)(void *, int);
            typedef struct node { struct node *next; struct timespec at[COUNT]; enum kind kind; } node, *nodep;
            struct holder { union value v; };
            struct __attribute__ ((__packed__)) tight { char a; int b; };
            struct loose { struct holder h; };
            extern char **environ;
            static int hidden (int x) { return x; }
            extern long renamed (const char *__restrict __s) __asm__ ("" "__isoc23_renamed") __attribute__ ((__nothrow__));
            extern long named (const char *__restrict __s) __asm__ ("named");
            _Static_assert (sizeof (int) == 4, "int");
            int walk (nodep first, const struct node *__last, level_t, enum kind __kind);
            int pump (streamp s, int flush);
            int pump_all (stream streams[], int count);
            int open_handle (const char *path, handle **out);
            void on_event (handle *h, callback then);
            void (*signal (int sig, void (*handler)(int)))(int);
            void later (void (^block)(void));
            typedef int number;
            void *(*walk_all (number (*visit)(void)))(int);
            int hold (struct holder *h);
            int take (struct holder h);
            int lose (const struct loose *l);
            int squeeze (struct tight *t);
            __fsid_t identify (__u_int __id, __s8_like small);
            double _Complex spin (double x);
            int printf (const char *format, ...);
            """)

    private func text(_ names: String...) -> String {
        let excerpt = Self.header.excerpt(of: names)
        #expect(excerpt.refused.isEmpty)
        #expect(CDeclarations(parsing: excerpt.text).faults == [])
        return excerpt.text
    }

    private func refusal(_ name: String) throws -> CHeader.Refusal {
        let excerpt = Self.header.excerpt(of: [name])
        #expect(excerpt.text == "")
        return try #require(excerpt.refused.first).refusal
    }

    @Test func function_isDeclaredWithWhatItNeeds_andNothingElse() {
        #expect(
            text("clock_gettime") == """
                struct timespec {
                    long int tv_sec;
                    long int tv_nsec;
                };
                int clock_gettime(int clock_id, struct timespec *tp);

                """)
        #expect(
            text("open_handle") == """
                typedef struct handle handle;
                int open_handle(const char *path, handle **out);

                """)
        #expect(text("twice", "named") == "int twice(int x);\nlong named(const char *restrict s);\n")
    }

    @Test func types_comeOnce_inTheHeadersOrder_andFunctionsAsAsked() {
        #expect(
            text("walk", "clock_gettime", "walk") == """
                struct timespec {
                    long int tv_sec;
                    long int tv_nsec;
                };
                enum {
                    COUNT = 2,
                    OTHER = COUNT + 1
                };
                enum kind {
                    KIND_A = 1,
                    KIND_B
                };
                typedef enum {
                    LOW,
                    HIGH
                } level_t;
                typedef struct node {
                    struct node *next;
                    struct timespec at[COUNT];
                    enum kind kind;
                } node, *nodep;
                int walk(nodep first, const struct node *last, level_t, enum kind __kind);
                int clock_gettime(int clock_id, struct timespec *tp);

                """)
    }

    @Test func typedefsOfReservedNames_becomeWhatTheyStandFor_whereThatIsWords() {
        #expect(
            text("identify") == """
                typedef struct {
                    int __val[2];
                } __fsid_t;
                __fsid_t identify(unsigned int id, signed char small);

                """)
    }

    @Test func functionPointers_areWrittenAsTheyAre_withTheirTypedefs() {
        #expect(
            text("on_event") == """
                typedef struct handle handle;
                typedef void (*callback)(void *, int);
                void on_event(handle *h, callback then);

                """)
        #expect(text("walk_all") == "typedef int number;\nvoid *(*walk_all(number (*visit)(void)))(int);\n")
        #expect(text("signal") == "void (*signal(int sig, void (*handler)(int)))(int);\n")
    }

    @Test func structureWhoseMembersCannotBeRead_isOnlyNamed_behindPointers() throws {
        let excerpt = Self.header.excerpt(of: ["pump"])
        #expect(
            excerpt.text == """
                typedef struct stream_s stream;
                typedef stream *streamp;
                int pump(streamp s, int flush);

                """)
        #expect(excerpt.opaque.map { $0.name } == ["stream"])
        #expect(excerpt.opaque.first?.reason.hasPrefix("bit-fields are not supported") == true)
        #expect(CDeclarations(parsing: excerpt.text).faults == [])
        #expect(text("hold") == "int hold(struct holder *h);\n")
        #expect(text("lose") == "int lose(const struct loose *l);\n")
    }

    @Test(arguments: [
        ("later", "C005", "`later`: blocks are not supported"),
        ("printf", "C006", "`printf`: functions with a variable number of arguments are not supported"),
        ("take", "C007", "`take`: unions are not supported: the host cannot know which member is valid"),
        ("spin", "C008", "`spin`: the type `_Complex` is not supported"),
        (
            "hidden", "C041",
            "`hidden` is static: each file that includes it has a copy, no library exports it"
        ),
        ("renamed", "C041", "in this header, `renamed` is the symbol `__isoc23_renamed`"),
        ("clock_getime", "C040", "there is no function `clock_getime`"),
        ("environ", "C040", "there is no function `environ`"),
    ])
    func whatCannotBeCalled_isRefused_withTheReason(
        _ name: String, _ code: String, _ message: String
    ) throws {
        let refusal = try refusal(name)
        #expect(refusal.code.rawValue == code)
        #expect(refusal.message == message)
    }

    @Test func packedStructure_keepsItsAttribute_soThatItIsRefused() throws {
        #expect(Self.header.excerpt(of: ["squeeze"]).opaque.first?.reason.contains("`__attribute__`") == true)
    }

    @Test func suggestion_isTheClosestFunction() throws {
        #expect(try refusal("clock_getime").help == ["did you mean `clock_gettime`?"])
    }

    @Test(arguments: [
        "", "}", "{{{", ";;;", "typedef", "struct", "enum {", "typedef struct { int (*f", "int f(", "((((",
        "typedef a a; a f(a);", "typedef __b __a; typedef __a __b; __a f(__b);", "__attribute__ ((",
        "int f(void) {",
    ])
    func rubbish_isReadOver(_ text: String) {
        let header = CHeader(preprocessed: text)
        _ = header.excerpt(of: ["f", "a"])
    }
}
