import CPluginABI
import HostLoop
import PluginHost
import Records
import TestSupport
import Testing

/// Function tables that one plugin publishes and another one uses (`spin.api/1`).
@Suite(.timeLimit(.minutes(10))) struct TableUseTests {
    private let host: TestHost
    private let clock: PluginImage

    init() throws {
        host = try TestHost()
        clock = try host.open("publishes.c")
    }

    private func call(_ image: PluginImage, _ effect: String, _ arguments: Int64...) throws -> Int32? {
        let numbers = arguments.map { Value.int($0) }
        let result =
            numbers.isEmpty
            ? try host.call(image, effect) : try host.call(image, effect, for: nil, numbers[0], numbers[1])
        guard case .int(let number)? = result else { return nil }
        return Int32(number)
    }

    private var broken: [String] { host.log.all.filter { $0.matter == .brokenRule }.map(\.text) }

    @Test func `a user gets the table of a name, of its major and of a sufficient minor`() throws {
        let user = try host.open("uses_table.c")
        #expect(try call(user, "acquire", 1, 0) == SPIN_UNSUPPORTED)
        #expect(try call(clock, "publish") == SPIN_OK)
        #expect(try call(user, "acquire", 2, 0) == SPIN_UNSUPPORTED)
        #expect(try call(user, "acquire", 0, 0) == SPIN_UNSUPPORTED)
        #expect(try call(user, "acquire", 1, 3) == SPIN_FAILED)
        #expect(clock.tableUses == [])
        #expect(try call(user, "acquire", 1, 2) == SPIN_OK)
        #expect(try call(user, "ask") == 1)
        #expect(clock.tableUses == ["use of `clock` by user"])
        #expect(clock.isUsed(by: [user]) && !user.isUsed(by: [clock]))
        #expect(try call(user, "let_go") == SPIN_OK)
        #expect(clock.tableUses == [])
        #expect(broken == [])
    }

    @Test func `a name that is used is withdrawn only when its users have let go`() async throws {
        let user = try host.open("uses_table.c")
        #expect(try call(clock, "withdraw") == SPIN_STOPPED)
        #expect(try call(clock, "publish") == SPIN_OK)
        #expect(try call(user, "ask") == 1)
        #expect(try call(clock, "withdraw") == SPIN_FULL)
        await waitUntil { clock.tableUses.isEmpty }
        #expect(try call(user, "asked") == 1)
        #expect(try call(clock, "withdraw") == SPIN_OK)
        #expect(try call(user, "ask") == -1)
        #expect(try call(clock, "publish") == SPIN_OK)
        #expect(try call(user, "ask") == 1)
    }

    @Test func `a publisher that is to stop waits for its users, who are asked each time`() async throws {
        let (user, other) = (
            try host.open("uses_table.c", flags: ["-DKEEPS=1"]), try host.open("uses_table.c")
        )
        #expect(try call(clock, "publish") == SPIN_OK)
        #expect(try call(user, "ask") == 1)
        let ends = Collected<Int>()
        clock.closeTables { ends.append(1) }
        await waitUntil { user.workCount == 0 && (try? call(user, "asked")) == 1 }
        #expect(try call(other, "ask") == -1)
        #expect(ends.all == [])
        clock.closeTables { ends.append(2) }
        await waitUntil { user.workCount == 0 && (try? call(user, "asked")) == 2 }
        #expect(try call(user, "let_go") == SPIN_OK)
        #expect(ends.all == [1, 2])
        #expect(try call(user, "ask") == -1)
        clock.openTables()
        #expect(try call(other, "ask") == 1)
        let third = Collected<Int>()
        clock.closeTables { third.append(3) }
        await waitUntil { third.all == [3] }
        #expect(broken == [])
    }

    @Test func `each name has one publisher, and the newest version of it counts`() throws {
        let other = try host.open("publishes.c", flags: ["-DID=\"watch\"", "-DVERSION=5"])
        let newer = try host.open("publishes.c", flags: ["-DVERSION=2"])
        let user = try host.open("uses_table.c")
        #expect(try call(clock, "publish") == SPIN_OK)
        #expect(try call(clock, "publish") == SPIN_FULL)
        #expect(try call(other, "publish") == SPIN_FULL)
        #expect(
            broken.allSatisfy {
                $0
                    == "it published a name that is published already: each name has one publisher, and one table"
            })
        #expect(broken.count == 2)
        #expect(try call(user, "ask") == 1)
        #expect(try call(newer, "publish") == SPIN_OK)
        #expect(try call(user, "ask") == 1)
        #expect(try call(user, "let_go") == SPIN_OK)
        #expect(try call(user, "ask") == 2)
        #expect(try call(clock, "withdraw") == SPIN_OK)
        #expect(try call(newer, "withdraw") == SPIN_FULL)
    }

    @Test func `a plugin that is gone uses and publishes nothing`() throws {
        do {
            let user = try host.open("uses_table.c")
            #expect(try call(clock, "publish") == SPIN_OK)
            #expect(try call(user, "ask") == 1)
            #expect(clock.tableUses.count == 1)
        }
        #expect(clock.tableUses == [])
        #expect(
            broken == [
                "it was swapped while it used the table of another plugin: the host has ended the use"
            ])
        let user = try host.open("uses_table.c")
        do {
            let watch = try host.open("publishes.c", flags: ["-DID=\"watch\"", "-DVERSION=5"])
            #expect(try call(clock, "withdraw") == SPIN_OK)
            #expect(try call(watch, "publish") == SPIN_OK)
        }
        #expect(try call(user, "ask") == -1)
        #expect(try call(clock, "publish") == SPIN_OK)
    }

    @Test func `a use keeps the publisher, and a crashed user does not hold it up`() throws {
        let user = try host.open("uses_table.c", flags: ["-DKEEPS=1"], isGuarded: true)
        #expect(try call(clock, "publish") == SPIN_OK)
        #expect(try call(user, "ask") == 1)
        #expect(throws: PluginError.self) { try call(user, "crash") }
        let ends = Collected<Int>()
        clock.closeTables { ends.append(1) }
        #expect(ends.all == [1])
        #expect(clock.tableUses == [])
    }

    @Test(arguments: [
        (
            "publish_null", SPIN_BAD_VALUE,
            "it published a table that is null, without size, or not in its memory"
        ),
        (
            "publish_empty", SPIN_BAD_VALUE,
            "it published a table that is null, without size, or not in its memory"
        ),
        (
            "publish_nameless", SPIN_BAD_VALUE,
            "it named a table with a text that is not UTF-8, null, empty, or longer than 128 bytes"
        ),
        (
            "publish_badly", SPIN_BAD_VALUE,
            "it named a table with a text that is not UTF-8, null, empty, or longer than 128 bytes"
        ),
        (
            "publish_twice", SPIN_FULL,
            "it published a name that is published already: each name has one publisher, and one table"
        ),
        (
            "acquire_own", SPIN_BAD_VALUE,
            "it acquired its own table: a use by the publisher itself would hold up its swaps"
        ),
        ("acquire_nowhere", SPIN_BAD_VALUE, "it acquired a table without a place to store it, or its use"),
        ("release_unknown", SPIN_STOPPED, "it released a use of a table twice, or one that is not its own"),
    ])
    func `a broken rule is answered, and logged`(_ effect: String, _ answer: Int32, _ rule: String) throws {
        for isGuarded in [false, true] {
            let host = try TestHost()
            let image = try host.open("misbehaves.c", isGuarded: isGuarded)
            #expect(try host.call(image, effect) == .int(Int64(answer)))
            #expect(host.log.all.map(\.text) == [rule])
        }
    }

    @Test func `a use of another plugin, and one that has ended, cannot be released`() throws {
        let (user, other) = (try host.open("uses_table.c"), try host.open("misbehaves.c"))
        #expect(try call(clock, "publish") == SPIN_OK)
        #expect(try call(user, "ask") == 1)
        // The number of the first use.
        #expect(try call(other, "release_first") == SPIN_STOPPED)
        #expect(clock.tableUses.count == 1)
        #expect(try call(user, "let_go") == SPIN_OK)
        #expect(try call(user, "let_go") == SPIN_STOPPED)
        #expect(broken.count == 2)
    }

    @Test func `a guarded plugin cannot publish memory that it does not have`() throws {
        let image = try host.open("misbehaves.c", isGuarded: true)
        #expect(try call(image, "publish_wild") == SPIN_BAD_VALUE)
        #expect(broken.count == 1)
    }
}
