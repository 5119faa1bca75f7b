import Expressions
import Records
import Testing

@Suite("addresses over records")
struct NetworkTests {
    private func world() throws -> World {
        var world = World()
        try world.set("name", .string("192.168.0.7"))
        try world.set("names", .list([.string("10.1.2.3"), .string("::1"), .string("x")]))
        try world.set("nick", .string("fe80::1"))
        return world
    }

    @Test(
        "have types of their own",
        arguments: [
            ("ip(state.name)", "\"192.168.0.7\"", "net.IP"), ("ip(state.nick).family()", "6", "int"),
            ("cidr(state.name + '/24').masked()", "\"192.168.0.0/24\"", "net.CIDR"),
            ("cidr('10.0.0.0/8').containsIP(state.name)", "false", "bool"),
            ("cidr('192.0.0.0/8').containsIP(ip(state.name))", "true", "bool"),
            ("cidr('::/0').containsCIDR(state.nick + '/64')", "true", "bool"),
            ("type(ip(state.name)) == net.IP", "true", "bool"), ("net.CIDR", "\"net.CIDR\"", "type"),
            ("string(ip(state.name)) + '!'", "\"192.168.0.7!\"", "string"),
            (
                "state.names.filter(n, isIP(n) && cidr('10.0.0.0/8').containsIP(n))", "[\"10.1.2.3\"]",
                "list(string)"
            ),
            ("state.names.filter(n, isIP(n)).map(n, ip(n))", "[\"10.1.2.3\", \"::1\"]", "list(net.IP)"),
            ("state.names.filter(n, isIP(n)).map(n, ip(n).family())", "[4, 6]", "list(int)"),
            (
                "cel.bind(lan, cidr('192.168.0.0/16'), lan.containsIP(state.name) ? lan.prefixLength() : 0)",
                "16", "int"
            ),
            ("optional.of(ip('::1')).orValue(ip(state.name))", "\"::1\"", "net.IP"),
            ("state.on ? ip('::1') : ip(state.name)", "\"192.168.0.7\"", "net.IP"),
            ("string(state.on ? ip('::1') : cidr('::/0'))", "\"::/0\"", "string"),
            ("ip(state.name) in [ip('::1'), ip('192.168.0.7')]", "true", "bool"),
            ("{'a': ip(state.name)}.a.isGlobalUnicast()", "true", "bool"),
            ("[ip(state.name), ip('::1')].exists(a, a.isLoopback())", "true", "bool"),
        ])
    func types(text: String, value: String, type: String) throws {
        #expect(outcome(text, try world()) == value)
        #expect(try Expression(text, in: World.scope).type.name == type)
    }

    @Test("leave the names free that their functions use")
    func names() throws {
        let record = RecordType([("IP", .integer(.i64)), ("isCanonical", .bool)])
        let scope = Scope([
            Scope.Variable(name: "ip", type: .record(record), slot: 0),
            Scope.Variable(name: "net", type: .record(record), slot: 1),
            Scope.Variable(name: "regex", type: .bool, slot: 2),
        ])
        #expect(try Expression("net.IP + 1", in: scope).type == .int)
        #expect(try Expression("ip.isCanonical || regex", in: scope).type == .bool)
        #expect(try Expression("ip('::1')", in: scope).type == .ip)
        #expect(try Expression("type(ip('::1')) == net.CIDR", in: World.scope).type == .bool)
        #expect(outcome("[1].map(net, net + 1)") == "[2]")
        #expect(outcome("[{'IP': 5}].map(net, net.IP)") == "[5]")
        #expect(outcome("cel.bind(ip, '::1', ip(ip).family())") == "6")
    }

    @Test("cannot be stored in fields, and say how to store their text")
    func stores() throws {
        let world = try world()
        let refusal =
            "load: E017 0..<14: net.IP does not convert to `string` = write `string(ip(state.name))`"
        #expect(stored("ip(state.name)", as: .string, world) == refusal)
        #expect(stored("ip(state.name)", as: .optional(.string), world) == refusal)
        #expect(stored("string(ip(state.nick))", as: .string, world) == "\"fe80::1\"")
        #expect(
            stored("cidr('::/0')", as: .string)
                == "load: E017 0..<12: net.CIDR does not convert to `string` = write `string(cidr('::/0'))`")
        for (type, name) in [
            (ValueType.integer(.i64), "i64"), (.bytes, "bytes"), (.record(World.point), ""), (World.mode, ""),
        ] {
            let wanted = "load: E017 0..<9: net.IP does not convert to `\(name)"
            #expect(stored("ip('::1')", as: type).hasPrefix(wanted))
        }
        #expect(
            stored("[ip('::1')]", as: .list(.string))
                == "load: E017 1..<10: net.IP does not convert to `string` = write `string(ip('::1'))`")
        #expect(
            stored("state.names.map(n, ip(n))", as: .list(.string))
                == "load: E017 0..<25: list(net.IP) does not convert to `[string]`")
        #expect(
            stored("optional.of(ip('::1'))", as: .optional(.string))
                == "load: E017 0..<22: optional(net.IP) does not convert to `string?`")
        #expect(
            stored("state.on ? 'x' : ip('::1')", as: .string)
                == "load: E017 17..<26: net.IP does not convert to `string` = write `string(ip('::1'))`")
        #expect(
            stored("dyn(ip('::1'))", as: .string)
                == "fault: E038 0..<14: net.IP does not convert to `string`")
    }

    @Test("take no more time for a long text")
    func limits() throws {
        var world = World()
        try world.set("name", .string("::" + String(repeating: "0:", count: 2_000_000)))
        #expect(
            fault("ip(state.name)", world)
                == "E035 0..<14: `::0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:…` is not the text of an IP address: at character 18, `::` stands for no group: there are eight already"
        )
        #expect(outcome("isCIDR(state.name) || isIP(state.name)", world) == "false")
    }
}

@Suite("faults of addresses")
struct NetworkFaultTests {
    @Test(
        "of texts name the first wrong character",
        arguments: [
            ("", 1, "expected an IPv4 or IPv6 address"), ("localhost", 1, "expected an IPv4 or IPv6 address"),
            ("16909060", 1, "expected an IPv4 or IPv6 address"),
            ("1.2.3", 6, "expected `.`: an IPv4 address has four numbers"),
            ("1.2.3.", 7, "expected a number of 0 to 255"), (".1.2.3", 1, "expected a number of 0 to 255"),
            ("1.2.x.4", 5, "expected a number of 0 to 255"),
            ("1.2.03.4", 5, "a number has no zeros before it"),
            ("1.2.256.4", 5, "the number is greater than 255"), ("192.168.0.1.0", 12, "expected the end"),
            ("10.0.0.0/8", 9, "expected the end"), ("::1 ", 4, "expected the end"),
            ("2001:db8:::68", 11, "expected a group of hexadecimal digits"),
            ("1:", 3, "expected a group of hexadecimal digits"), (":1", 2, "expected `::`"),
            ("1::2::3", 5, "`::` may appear only once"), ("12345::", 1, "a group has at most four digits"),
            ("1:2:3", 6, "expected `:`: an IPv6 address has eight groups, or `::`"),
            ("1:2:3:4:5:6:7:8:9", 16, "expected the end"),
            ("1:2:3:4::5:6:7:8", 17, "`::` stands for no group: there are eight already"),
            ("1:1.2.3.4", 3, "an IPv4 address stands only for the last two groups"),
            ("fe80::1%en0", 8, "a zone is not allowed"), ("1.2.3.4%en0", 8, "a zone is not allowed"),
            ("::ffff:192.168.0.1", 1, "IPv4 within IPv6 is not allowed"),
        ])
    func addresses(text: String, position: Int, reason: String) {
        let end = text.utf8.count + 6
        #expect(
            fault("ip('\(text)')")
                == "E035 0..<\(end): `\(text)` is not the text of an IP address: at character \(position), \(reason)"
        )
    }

    @Test(
        "of texts of ranges name it, too",
        arguments: [
            ("10.0.0.0", 9, "expected `/` and the length of the prefix"),
            ("10.0.0.0/", 10, "expected the length of the prefix"),
            ("10.0.0.0/08", 10, "a number has no zeros before it"),
            ("10.0.0.0/33", 10, "the number is greater than 32"),
            ("::/129", 4, "the number is greater than 128"),
            ("10.0.0.0/8/8", 11, "expected the end"), ("fe80::1%en0/24", 8, "a zone is not allowed"),
            ("::ffff:10.0.0.0/104", 1, "IPv4 within IPv6 is not allowed"),
            ("::ffff:a00:0/104", 1, "IPv4 within IPv6 is not allowed"),
        ])
    func ranges(text: String, position: Int, reason: String) {
        let end = text.utf8.count + 8
        #expect(
            fault("cidr('\(text)')")
                == "E035 0..<\(end): `\(text)` is not the text of a range such as `10.0.0.0/8`: at character \(position), \(reason)"
        )
    }

    @Test(
        "of types and names say what does not go together",
        arguments: [
            ("isIP(cidr('::/0'))", "E013 0..<18: `isIP` does not take net.CIDR"),
            ("ip('::1').prefixLength()", "E013 0..<24: `prefixLength` does not take net.IP"),
            ("cidr('::/0').family()", "E013 0..<21: `family` does not take net.CIDR"),
            ("ip('::1').ip()", "E013 0..<14: `ip` does not take net.IP"),
            ("cidr('::/0').containsIP(1)", "E013 0..<26: `containsIP` does not take net.CIDR and int"),
            (
                "ip('::1') < ip('::2')",
                "E013 0..<21: `<` does not take net.IP and net.IP = write `string(ip('::1'))`"
            ),
            (
                "ip('::1') == state.name",
                "E016 0..<23: `==` compares net.IP with string, which are never equal = write `ip(state.name)`"
            ),
            (
                "state.name != cidr('::/0')",
                "E016 0..<26: `!=` compares string with net.CIDR, which are never equal = write `cidr(state.name)`"
            ),
            (
                "ip('::1') == cidr('::1/128')",
                "E016 0..<28: `==` compares net.IP with net.CIDR, which are never equal"
            ),
            ("ip('::1') == null", "E016 0..<17: `ip('::1')` is net.IP, which is never null"),
            ("state.name in [ip('::1')]", "E016 0..<10: string is never in list(net.IP)"),
            (
                "{ip('::1'): 1}",
                "E037 1..<10: the key of a map must be bool, int, uint or string, found net.IP"
            ),
            ("[ip('::1')].sort()", "E038 0..<18: `sort` does not order net.IP"),
            ("'%s'.format([ip('::1')])", "E042 0..<24: `%s` does not take net.IP"),
            ("ip('::1').isIP()", "E012 10..<14: `isIP` is not a method = write `isIP(…)`"),
            ("family('::1')", "E012 0..<6: `family` is a method = write `….family(…)`"),
            (
                "ip.isCanonicl('::1')",
                "E012 3..<13: unknown function `ip.isCanonicl` | known functions: `ip.isCanonical` = did you mean `ip.isCanonical`?"
            ),
            ("ip('::1').family", "E011 10..<16: net.IP has no field `family`"),
            (
                "state.names.all(n, ip(n).isLoopback() && n)",
                "E014 41..<42: `&&` needs bool, found string"
            ),
        ])
    func types(text: String, wanted: String) { #expect(fault(text) == wanted) }
}
