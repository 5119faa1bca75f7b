import Glibc

/// `script/bench`: measures the rows and prints them.
///
/// Arguments: the build folder of the release, the folder of the benchmark's plugins, the manifest of examples/levels;
/// then `--json`, `--only ROW`, `--rounds N`.
@main
enum Bench {
    static func main() async {
        do { try await run(Array(CommandLine.arguments.dropFirst())) } catch {
            BenchFile.complain("bench: \(error)\n")
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        guard arguments.count >= 3 else { throw BenchFault("start it through script/bench") }
        let (release, plugins, manifest) = (arguments[0], arguments[1], arguments[2])
        var (isJSON, only, rounds) = (false, String?.none, 11)
        var rest = arguments[3...]
        while let option = rest.popFirst() {
            switch option {
            case "--json": isJSON = true
            case "--only": only = try value(of: option, &rest)
            case "--rounds":
                guard let number = Int(try value(of: option, &rest)), number > 0 else {
                    throw BenchFault("`--rounds` wants a number above 0")
                }
                rounds = number
            default: throw BenchFault("`\(option)` is unknown; there are `--json`, `--only ROW` and `--rounds N`")
            }
        }
        guard only == nil || ["M1", "T1"].contains(only) else { throw BenchFault("there are the rows M1 and T1") }
        var rows: [Row] = []
        if only ?? "M1" == "M1" { rows.append(try await ManifestLoopRow(plugins: plugins).measure(rounds: rounds)) }
        if only ?? "T1" == "T1" {
            rows.append(
                try ColdStartRow(
                    program: "\(release)/spinhost", empty: "\(release)/EmptyFoundation", manifest: manifest
                ).measure(rounds: rounds * 2))
        }
        print(isJSON ? Table.json(rows) : Table.text(rows))
    }

    private static func value(of option: String, _ rest: inout ArraySlice<String>) throws -> String {
        guard let value = rest.popFirst() else { throw BenchFault("`\(option)` wants a value") }
        return value
    }
}
