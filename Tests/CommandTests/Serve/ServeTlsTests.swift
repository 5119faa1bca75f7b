import Foundation
import TestSupport
import Testing

/// TLS of `spin:serve`, with certificates of openssl, and with curl and openssl on the other side.
@Suite(.timeLimit(.minutes(10))) struct ServeTlsTests {
    private static let config = "certificate_file = 'cert.pem', key_file = 'key.pem'"

    /// Makes a certificate for 127.0.0.1, and puts it and its key in the place of those of the app.
    private static let making = """
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=server \
            -addext subjectAltName=IP:127.0.0.1 -keyout next.key -out next.pem
        mv next.key key.pem
        mv next.pem cert.pem
        """

    private func run(_ script: String, in world: ServeWorld) throws {
        let outcome = try Shell.run("bash", ["-e", "-c", script], in: world.folder.root)
        try #require(outcome.status == 0, "\(outcome.errors)")
    }

    @Test func `an app with a certificate speaks TLS`() throws {
        let world = try ServeWorld()
        try run(Self.making, in: world)
        let (app, address) = try world.start(Self.config)
        #expect(address.hasPrefix("https://127.0.0.1:"))
        let trusted = world.folder.url("cert.pem").path
        #expect(try world.curl("--cacert", trusted, "-d", "text", "\(address)/a") == "POST /a [] text")
        // Each URL has an output of its own.
        let next = "\(address)/2"
        #expect(
            try world.status("--cacert", trusted, "\(address)/1", "--output", "/dev/null", next) == "200200")
        // Without TLS there is no answer.
        #expect(try world.status(address.replacing("https", with: "http")) == "000")
        app.endInOrder()
    }

    @Test(arguments: [
        ("-tls1_3", "TLS_AES_128_GCM_SHA256"), ("-tls1_2", "ECDHE-ECDSA-AES128-GCM-SHA256"),
        ("-tls1_1", "(NONE)"), ("-tls1", "(NONE)"),
    ])
    func `versions before 1.2 are refused`(_ version: String, _ cipher: String) throws {
        let world = try ServeWorld()
        try run(Self.making, in: world)
        let (app, address) = try world.start(Self.config)
        let found = try Shell.run(
            "openssl",
            [
                "s_client", "-msg", version, "-cipher", "DEFAULT@SECLEVEL=0", "-connect",
                address.replacing("https://", with: ""),
            ])
        #expect(found.output.contains("ClientHello"))
        #expect(found.output.contains("Cipher is \(cipher)\n"), "\(found.output)")
        app.endInOrder()
    }

    @Test func `new connections get a changed certificate, and the others stay`() throws {
        let world = try ServeWorld()
        try run(Self.making, in: world)
        let (app, address) = try world.start(Self.config)
        let trusted = world.folder.url("cert.pem").path, before = world.folder.url("before.pem").path
        try run("cp cert.pem before.pem", in: world)
        let waiting = try world.client("--cacert", before, "\(address)/wait")
        #expect(app.nextLine() == "/wait")
        try run(Self.making, in: world)
        #expect(try world.status("--cacert", trusted, address) == "200")
        #expect(try world.status("--cacert", before, address) == "000")
        #expect(app.waitForErrors("new connections get the changed certificate file=cert.pem"))
        // The files need not be whole at each moment.
        try run("cp cert.pem before.pem; echo > key.pem", in: world)
        #expect(try world.status("--cacert", before, address) == "200")
        #expect(app.waitForErrors("the changed certificate is not used reason=\"setting `key_file`: "))
        try run(Self.making, in: world)
        #expect(try world.status("--cacert", trusted, address) == "200")
        app.endInOrder()
        #expect(waiting.nextLine() == "the server ends")
        #expect(waiting.end().status == 0)
    }

    @Test(arguments: [
        ("rm key.pem", "setting `key_file`: cannot open `key.pem`: No such file or directory"),
        ("cp key.pem cert.pem", "setting `certificate_file`: `cert.pem` has no certificate as PEM: "),
        ("cp cert.pem key.pem", "setting `key_file`: `key.pem` has no key as PEM without a password: "),
        (
            "openssl pkey -in key.pem -aes256 -passout pass:abcd -out locked.pem; mv locked.pem key.pem",
            "setting `key_file`: `key.pem` has no key as PEM without a password: "
        ),
        (
            "openssl ecparam -name prime256v1 -genkey -noout -out key.pem",
            "setting `key_file`: `key.pem` is not the key of the first certificate in `cert.pem`: "
        ),
        (
            "rm cert.pem; mkdir cert.pem",
            "setting `certificate_file`: `cert.pem` is no file of at most a mebibyte"
        ),
    ])
    func `files that are no certificate and its key end the app before it begins`(
        _ script: String, _ reason: String
    ) throws {
        let world = try ServeWorld()
        try run(Self.making + "\n" + script, in: world)
        try world.folder.write("app.toml", world.manifest(Self.config))
        let end = try RunningProgram(["run"], in: world.folder.root).end()
        #expect(end.status == 69)
        #expect(end.errors.contains(reason), "\(end.errors)")
    }

    @Test(arguments: ["certificate_file = 'cert.pem'", "key_file = 'key.pem'"])
    func `a certificate without a key is refused, and a key without a certificate`(_ config: String) throws {
        let world = try ServeWorld()
        try world.folder.write("app.toml", world.manifest(config))
        let end = try RunningProgram(["run"], in: world.folder.root).end()
        #expect(end.status == 69)
        #expect(
            end.errors.contains(
                "settings `certificate_file` and `key_file`: both must name a file, or neither"),
            "\(end.errors)")
    }

    @Test(arguments: [
        ("20200101000000Z", "20200102000000Z", "has expired file=cert.pem expired=2020-01-02T00:00:00Z"),
        ("20480101000000Z", "20490101000000Z", "is not valid yet file=cert.pem begins=2048-01-01T00:00:00Z"),
    ])
    func `the log warns of a certificate that is not valid now`(
        _ begin: String, _ end: String, _ warning: String
    ) throws {
        let world = try ServeWorld()
        let making = """
            openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=server \
                -keyout key.pem -out request
            printf '[ca]\\ndefault_ca=a\\n[a]\\ndatabase=index\\nserial=serial\\nnew_certs_dir=.\\npolicy=p\\n' > ca
            printf 'default_md=sha256\\n[p]\\ncommonName=supplied\\n' >> ca
            touch index
            echo 01 > serial
            openssl ca -batch -selfsign -notext -config ca -keyfile key.pem -in request -out cert.pem \
                -startdate \(begin) -enddate \(end)
            """
        try run(making, in: world)
        let (app, address) = try world.start(Self.config)
        #expect(app.waitForErrors("the certificate \(warning)"))
        #expect(try world.status("--insecure", address) == "200")
        app.endInOrder()
    }
}
