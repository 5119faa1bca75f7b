import Diagnostics
import Interfaces
import PluginHost
import Records
import Testing

/// Libraries that fill `spin_entry` by hand, as another language does: tables of other sizes, and tables that
/// are wrong.
struct TableTests {
    private let host: TestHost

    init() throws { host = try TestHost() }

    private func fault(_ body: () throws -> Void) throws -> PluginError {
        try #require(#expect(throws: PluginError.self, performing: body))
    }

    /// A plugin with one description of each kind.
    private struct Source {
        /// Bytes behind the last known member of each struct.
        var tail = 0
        /// What is taken off the size that the effect says.
        var isShorterBy = 0
        var noteMinor = 0
        var tableMinor = 0
        var header = "2.0"
        var kind = "SPIN_KIND_EFFECT"
        var prototype = "int32_t one(void)"
        var function = "(void (*)(void))one"
        /// Pointers in the list besides those of the plugin.
        var more = ""
        var list = "list, list + sizeof list / sizeof *list"
        var slot = "&spin_plugin_host"
        var major = "SPIN_ABI_MAJOR"
        var size = "sizeof(struct spin_entry)"
        var lines = ""

        var text: String {
            """
            #include <spinhost/plugin.h>
            const spin_host *spin_plugin_host;
            static const spin_host *const constant_place = 0;
            static int32_t one(void) { return 1; }
            static spin_self *create(spin_call *call, const spin_config *config) { return (spin_self *)&spin_plugin_host; }
            static void destroy(spin_self *self) {}
            SPIN_NOTE(note, SPIN_KIND_PLUGIN, "\(header)\\0raw\\0" "1.0");
            SPIN_NOTE(note_one, SPIN_KIND_EFFECT | \(noteMinor) << 16, "one\\0int32_t one(void)\\0\\0One.");
            SPIN_NOTE(note_told, SPIN_KIND_EMITTER, "told\\0void told(int64_t n)\\0");
            static spin_status start(spin_call *call, spin_self *self) { return SPIN_OK; }
            static spin_status save(spin_call *call, spin_self *self, spin_saving *saving) { return SPIN_OK; }
            static spin_status restore(spin_call *call, spin_self *self, const spin_saved *saved) { return SPIN_OK; }
            static spin_status reconfigure(spin_call *call, spin_self *self, const spin_config *before,
                                           const spin_config *config) { return SPIN_OK; }
            static spin_status reduce(spin_reduction *reduction, void *state, const void *event) { return SPIN_OK; }
            SPIN_NOTE(note_instance, SPIN_KIND_INSTANCE, "create\\0destroy");
            SPIN_NOTE(note_config, SPIN_KIND_CONFIG, "void spin_config(int64_t n)\\0" "1\\0\\0\\0");
            SPIN_NOTE(note_life, SPIN_KIND_LIFE, "start\\0destroy");
            SPIN_NOTE(note_swap, SPIN_KIND_SWAP, "save\\0restore\\0" "7");
            SPIN_NOTE(note_reconfigure, SPIN_KIND_RECONFIGURE, "reconfigure");
            SPIN_NOTE(note_loop, SPIN_KIND_LOOP, "main\\0n i64 0 8\\n\\0ended\\0");
            SPIN_NOTE(note_record, SPIN_KIND_RECORD, "point\\0struct point { double x; double y; }");
            SPIN_NOTE(note_reducer, SPIN_KIND_REDUCER, "reduce\\0main_state\\0main_event\\0");
            #define GROWN(type, name, kind, ...) \\
                static const struct { type known; char later[\(tail) + 1]; } name = \\
                    {{{sizeof(type) + \(tail), kind, \(tableMinor)}, __VA_ARGS__}, {1}}
            GROWN(spin_emitter, told, SPIN_KIND_EMITTER, "told", "void told(int64_t n)", "", 8);
            GROWN(spin_record, point, SPIN_KIND_RECORD, "point", "struct point { double x; double y; }", 16);
            GROWN(struct spin_plugin_instance, instance, SPIN_KIND_INSTANCE, create, destroy);
            GROWN(struct spin_plugin_config, config, SPIN_KIND_CONFIG, 8);
            GROWN(struct spin_plugin_life, life, SPIN_KIND_LIFE, start, destroy);
            GROWN(struct spin_plugin_swap, swap, SPIN_KIND_SWAP, 7, 0, save, restore);
            GROWN(struct spin_plugin_reconfigure, changed, SPIN_KIND_RECONFIGURE, reconfigure);
            GROWN(spin_emitter, ended, SPIN_KIND_EMITTER, "ended", "", "", 0);
            static const spin_emitter *const events[] = {&ended.known, 0};
            GROWN(spin_loop, loop, SPIN_KIND_LOOP, "main", events);
            GROWN(spin_reducer, reducer, SPIN_KIND_REDUCER, "reduce", "main_state", "main_event", "", 8, 4,
                (void (*)(void))reduce);
            static const struct { spin_effect known; char later[\(tail) + 1]; } effect = {
                {{sizeof(spin_effect) + \(tail) - \(isShorterBy), \(kind), \(tableMinor)},
                "one", "\(prototype)", "", "One.", \(function)}, {1}};
            static const char room[64] = {1};
            static spin_status tell(spin_call *call) { int64_t n = 7; return spin_emit(call, &told.known, &n); }
            SPIN_NOTE(note_tell, SPIN_KIND_EFFECT, "tell\\0int32_t tell(spin_call *call)\\0\\0");
            static const spin_effect tell_effect = {{sizeof effect, SPIN_KIND_EFFECT, 0}, "tell",
                "int32_t tell(spin_call *call)", 0, 0, (void (*)(void))tell};
            \(lines)
            static const spin_description *const list[] = {&effect.known.head, &told.known.head, &instance.known.head,
                &effect.known.head, &config.known.head, &life.known.head, &swap.known.head, &loop.known.head,
                &changed.known.head, &reducer.known.head, &point.known.head, &tell_effect.head \(more)};
            __attribute__((visibility("default"))) const struct spin_entry spin_entry = {\(size), \(major), \(tableMinor), 0,
                "raw", "1.0", \(slot), \(list)};

            """
        }
    }

    private func open(_ source: Source) throws -> PluginImage {
        try host.open(path: try PluginFixture.path(source: source.text, as: "raw.c \(source.text.hashValue)"))
    }

    @Test(arguments: [0, 1, 8, 40])
    func `a table whose structs are as long as the host's or longer is read`(tail: Int) throws {
        var source = Source()
        source.tail = tail
        source.size = "sizeof(struct spin_entry) + \(tail)"
        source.lines = "static const char behind[128] = {1};"
        let image = try open(source)
        #expect(try host.call(image, "one") == .int(1))
        let sink = RecordingSink(image)
        let token = try host.services.begin(sink, for: image, effect: "tell")
        #expect(try host.call(image, "tell", for: token) == .int(0))
        #expect(sink.heard.all == ["told {\"n\":7}"])
        _ = try InstanceInterface(of: image)
        #expect(image.description?.records.map(\.type.description) == ["{ x = \"f64\", y = \"f64\" }"])
        let layout = try #require(image.description?.loops.first)
        _ = try ReducerInterface("reduce", of: image, for: layout)
    }

    @Test func `a struct shorter than in the first version is refused`() throws {
        var source = Source()
        source.isShorterBy = 8
        let error = try fault { _ = try open(source) }
        #expect(error.code == .contradictoryPlugin)
        #expect(
            error.message.hasSuffix(
                "its `spin_entry` has a description that is too short, or outside of the library"))
        source = Source()
        source.size = "48"
        #expect(try fault { _ = try open(source) }.message.hasSuffix("its `spin_entry` is too short"))
    }

    @Test func `a library compiled with a newer header that uses nothing new is loaded`() throws {
        var source = Source()
        source.header = "2.9"
        let image = try open(source)
        #expect(image.description?.abi == .host)
        #expect(try host.call(image, "one") == .int(1))
    }

    @Test func `a description that needs a newer minor is refused`() throws {
        var source = Source()
        source.noteMinor = 1
        let error = try fault { _ = try open(source) }
        #expect(error.code == .abiMismatch)
        #expect(
            error.message == "plugin `raw` differs in the ABI's minor version: expected at most 0, found 1")
        source = Source()
        source.tableMinor = 1
        let inTable = try fault { _ = try open(source) }
        #expect(inTable.code == .abiMismatch)
        #expect(inTable.message.hasSuffix("needs ABI 2.1, this host has 2.0"))
        source = Source()
        source.major = "3"
        #expect(try fault { _ = try open(source) }.message.hasSuffix("needs ABI 3.0, this host has 2.0"))
    }

    private static let wrong: [(change: @Sendable (inout Source) -> Void, text: String)] = [
        ({ $0.prototype = "int32_t one(int32_t n)" }, "its `spin_entry` has another effect `one`"),
        ({ $0.list = "list, list + 10" }, "its `spin_entry` has no effect `tell`"),
        (
            {
                $0.lines = "SPIN_NOTE(note_other, SPIN_KIND_RECORD, \"other\\0struct other { double x; }\");"
            }, "its `spin_entry` has no record `other`"
        ),
        (
            {
                $0.lines = """
                    SPIN_NOTE(note_other, SPIN_KIND_RECORD, "other\\0struct other { double x; }");
                    static const spin_record other = {{sizeof other, SPIN_KIND_RECORD, 0}, "other",
                        "struct other { float x; }", 4};
                    """
                $0.more = ", &other.head"
            }, "its `spin_entry` has another record `other`"
        ),
        ({ $0.list = "0, 0" }, "its `spin_entry` has no "),
        (
            {
                $0.lines = """
                    static const spin_effect two = {{sizeof two, SPIN_KIND_EFFECT, 0}, "two", "int32_t one(void)", 0, 0,
                        (void (*)(void))one};
                    """
                $0.more = ", &two.head"
            }, "its `spin_entry` has effect `two`, which no note names"
        ),
        (
            {
                $0.lines = "static const spin_effect again = {{sizeof again, SPIN_KIND_EFFECT, 0}, \"one\"};"
                $0.more = ", &again.head"
            }, "its `spin_entry` has effect `one` twice"
        ),
        ({ $0.more = ", 0" }, "its `spin_entry` has a null pointer in its list"),
        (
            { $0.more = ", (const spin_description *)8" },
            "its `spin_entry` has a description outside of the library"
        ),
        (
            { $0.more = ", (const spin_description *)(room + 1)" },
            "its `spin_entry` has a description outside of the library"
        ),
        ({ $0.list = "list, list + 100000" }, "its `spin_entry` has a list outside of the library"),
        ({ $0.list = "list + 1, list" }, "its `spin_entry` has a list outside of the library"),
        ({ $0.kind = "99" }, "its `spin_entry` has a description of kind 99"),
        ({ $0.kind = "SPIN_KIND_PLUGIN" }, "its `spin_entry` has a description of kind 1"),
        ({ $0.function = "0" }, "its `spin_entry` has effect `one` without a function"),
        ({ $0.function = "(void (*)(void))8" }, "its `spin_entry` has effect `one` without a function"),
        ({ $0.slot = "0" }, "its `spin_entry` has no place for the host's table"),
        ({ $0.slot = "(const spin_host **)room" }, "its `spin_entry` has no place for the host's table"),
        (
            {
                $0.lines = """
                    static const spin_effect bad = {{sizeof bad, SPIN_KIND_EFFECT, 0}, (const char *)16};
                    """
                $0.more = ", &bad.head"
            }, "its `spin_entry` has a text that is not UTF-8, or outside of the library"
        ),
        (
            {
                $0.lines = """
                    static const spin_effect bad = {{sizeof bad, SPIN_KIND_EFFECT, 0}, "\\xff"};
                    """
                $0.more = ", &bad.head"
            }, "its `spin_entry` has a text that is not UTF-8, or outside of the library"
        ),
    ]

    @Test(arguments: TableTests.wrong.indices)
    func `a table that is wrong is refused and named`(index: Int) throws {
        var source = Source()
        Self.wrong[index].change(&source)
        let error = try fault { _ = try open(source) }
        #expect(error.code == .contradictoryPlugin)
        #expect(error.message.contains(" is not what its notes say: " + Self.wrong[index].text))
    }
}
