import Interfaces
import PluginHost
import Records
import TestSupport
import Testing

/// What the loader of the system makes of libraries that do what libraries should not: no library is ever unmapped, so
/// nothing that one leaves behind finds its code gone.
@Suite struct ResidueTests {
    let host: TestHost

    init() throws { host = try TestHost() }

    @Test func `destructors that a plugin leaves in a thread run when the thread ends, without an image`()
        throws
    {
        var image: PluginImage? = try host.open("residue.cpp")
        let count = try prepare(
            try #require(CDeclarations(parsing: "int64_t ended_count(void);").functions.first),
            at: try #require(image).address(of: "ended_count"), [])
        let used = image
        let answers = try OtherThread.result { [host] in
            let image = try #require(used)
            return (
                try host.call(image, "use_thread_local"), try host.call(image, "leave_key")
            )
        }
        #expect(answers.0 == .int(1) && answers.1 == .int(0))
        image = nil
        try count.invoke()
        #expect(outcome(count)["result"] == .int(2))
    }

    @Test func `two versions share the objects whose symbols are unique, unless built without`() throws {
        let (first, second) = (try host.open("residue.cpp"), try host.open("residue.cpp"))
        #expect(try host.call(first, "count_shared") == .int(1))
        #expect(try host.call(second, "count_shared") == .int(2))
        let flags = ["-fno-gnu-unique", "-fvisibility=hidden"]
        let (third, fourth) = (
            try host.open("residue.cpp", flags: flags), try host.open("residue.cpp", flags: flags)
        )
        #expect(try host.call(third, "count_shared") == .int(1))
        #expect(try host.call(fourth, "count_shared") == .int(1))
    }

    @Test func `more static thread-local memory than there is is refused, with what raises it`() throws {
        let error = #expect(throws: PluginError.self) { try host.open("big_tls.c") }
        #expect(error?.code == .notLoaded)
        #expect(error?.help == ["raise it: GLIBC_TUNABLES=glibc.rtld.optional_static_tls=8192"])
    }

    @Test func `functions that are called as the host's are the plugin's own`() throws {
        let image = try host.open("names_of_host.c", flags: ["-Wno-main"])
        #expect(try call(image, "int64_t sum(void)")["result"] == .int(7))
    }
}
