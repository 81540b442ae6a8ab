import Foundation
import SwitchyardConfiguration
import SwitchyardCore
import Testing
import ToyPlugins

@Suite("The secrets directory")
struct ConfigurationSecretsTests {
    private func password(_ bytes: Data) async throws -> String? {
        try await Toy.inDirectory { directory in
            let path = directory + "/store-postgres-password"
            try bytes.write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            return try await Toy.configuration(flags: [
                "store.backend": "postgres", "config.secrets": directory,
            ])
            .settings.text("password")
        }
    }

    @Test("a secret excludes one final line break, and nothing else")
    func lineBreak() async throws {
        #expect(try await password(Data("geheim".utf8)) == "geheim")
        #expect(try await password(Data("geheim\n".utf8)) == "geheim")
        #expect(try await password(Data("geheim\r\n".utf8)) == "geheim")
        #expect(try await password(Data("geheim\n\n".utf8)) == "geheim\n")
        #expect(try await password(Data(" ge heim \n".utf8)) == " ge heim ")
    }

    @Test("an empty secret file is an error")
    func empty() async throws {
        let message = try await Toy.complaint { try await password(Data("\n".utf8)) }
        #expect(
            message.hasPrefix(
                "The setting store.postgres.password cannot be empty; it takes text that is not empty."))
        #expect(message.hasSuffix("/store-postgres-password."))
    }

    @Test("a secret that is not UTF-8 is an error, not repaired")
    func notText() async throws {
        let message = try await Toy.complaint { try await password(Data([0x61, 0xFF])) }
        #expect(message.contains("store-postgres-password is not UTF-8 text."))
    }

    @Test("a malformed secret is not shown")
    func hidden() async throws {
        let message = try await Toy.complaint { try await password(Data("ge\u{0}heim".utf8)) }
        #expect(
            message.hasPrefix("The setting store.postgres.password cannot be the given value; it takes text"))
        #expect(!message.contains("heim\0"))
    }

    @Test(
        "a secret file that others may write is refused, with the command that closes it",
        arguments: [0o620, 0o602, 0o666])
    func writableFile(mode: Int) async throws {
        try await Toy.inDirectory { directory in
            let path = directory + "/store-postgres-password"
            try Toy.write("geheim", path, mode: mode)
            let message = try await Toy.complaint {
                try await Toy.configuration(flags: ["store.backend": "postgres"], secrets: directory)
            }
            #expect(
                message
                    == "The secrets file \(path) is writable by users other than its owner (mode \(String(mode, radix: 8))). "
                    + "Run `chmod go-w \(path)`.")
        }
    }

    @Test("a secrets directory that others may write is refused")
    func writableDirectory() async throws {
        try await Toy.inDirectory { directory in
            try Toy.write("geheim", directory + "/store-postgres-password")
            try FileManager.default.setAttributes([.posixPermissions: 0o1777], ofItemAtPath: directory)
            let message = try await Toy.complaint {
                try await Toy.configuration(flags: ["store.backend": "postgres"], secrets: directory)
            }
            #expect(
                message
                    == "The secrets directory \(directory) is writable by users other than its owner (mode 1777). Run "
                    + "`chmod go-w \(directory)`.")
        }
    }

    @Test(
        "a secret file may be world-readable, as containers mount it",
        arguments: [0o444, 0o644, 0o440, 0o400, 0o600])
    func readableFile(mode: Int) async throws {
        try await Toy.inDirectory { directory in
            try Toy.write("geheim", directory + "/store-postgres-password", mode: mode)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory)
            let configuration = try await Toy.configuration(
                flags: ["store.backend": "postgres"], secrets: directory)
            #expect(configuration.settings.text("password") == "geheim")
        }
    }

    @Test(
        "files of other programs in a secrets directory are not read, be they hidden, locked, huge or binary")
    func foreign() async throws {
        try await Toy.inDirectory { directory in
            try Toy.write("geheim", directory + "/store-postgres-password")
            try Toy.write("x", directory + "/.store-postgres-user")
            try Data(repeating: 0xFF, count: 100_000).write(to: URL(filePath: directory + "/tls.key"))
            for name in ["apple-push-key", "storefront", "api_token", "ca"] {
                try Toy.write("x", directory + "/" + name, mode: 0o666)
            }
            let configuration = try await Toy.configuration(
                flags: ["store.backend": "postgres"], secrets: directory)
            #expect(configuration.settings.text("password") == "geheim")
            #expect(configuration.settings.text("user") == nil)
        }
    }

    @Test(
        "a secrets directory follows symbolic links, as Kubernetes makes them, and ignores directories and hidden files"
    )
    func links() async throws {
        try await Toy.inDirectory { directory in
            let data = directory + "/..2026_11_21"
            try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: false)
            try FileManager.default.createDirectory(
                atPath: directory + "/other", withIntermediateDirectories: false)
            try Toy.write("geheim\n", data + "/store-postgres-password")
            try FileManager.default.createSymbolicLink(
                atPath: directory + "/..data", withDestinationPath: "..2026_11_21")
            try FileManager.default.createSymbolicLink(
                atPath: directory + "/store-postgres-password",
                withDestinationPath: "..data/store-postgres-password")
            let configuration = try await Toy.configuration(
                flags: ["store.backend": "postgres"], secrets: directory)
            #expect(configuration.settings.text("password") == "geheim")
        }
    }

    @Test(
        "a secret file whose name resembles a setting is refused",
        arguments: [
            "store_postgres_password", "STORE-POSTGRES-PASSWORD", "store", "stroe-backend", "config-url",
        ])
    func misspelt(name: String) async throws {
        try await Toy.inDirectory { directory in
            try Toy.write("geheim", directory + "/" + name)
            let message = try await Toy.complaint {
                try await Toy.configuration(flags: ["store.backend": "postgres"], secrets: directory)
            }
            #expect(
                message.hasPrefix(
                    "The file `\(name)` in the secrets directory \(directory) is not a known setting."))
        }
    }

    @Test("an unknown secret file names the nearest setting")
    func unknown() async throws {
        try await Toy.inDirectory { directory in
            try Toy.write("geheim", directory + "/store-postgres-pasword")
            let message = try await Toy.complaint {
                try await Toy.configuration(flags: ["store.backend": "postgres"], secrets: directory)
            }
            #expect(
                message.hasPrefix(
                    "The file `store-postgres-pasword` in the secrets directory \(directory) is not a known setting. Did you mean "
                        + "`store-postgres-password`? There are: store-postgres-url, store-postgres-host,"))
        }
    }

    @Test("a secrets directory named in the file must exist")
    func namedInFile() async throws {
        try await Toy.inDirectory { directory in
            let file = directory + "/toy.json"
            try Toy.write(#"{"config": {"secrets": "secrets"}, "store": {"backend": "postgres"}}"#, file)
            let message = try await Toy.complaint { try await Toy.configuration(file: file) }
            #expect(message.hasPrefix("The secrets directory \(directory)/secrets cannot be read: "))
            #expect(message.hasSuffix("It was given by the file \(file), line 1."))
            try FileManager.default.createDirectory(
                atPath: directory + "/secrets", withIntermediateDirectories: false)
            try Toy.write("geheim", directory + "/secrets/store-postgres-password")
            let configuration = try await Toy.configuration(file: file)
            #expect(configuration.settings.text("password") == "geheim")
            try Toy.write("x", directory + "/secrets/config-secrets")
            let nested = try await Toy.complaint { try await Toy.configuration(file: file) }
            #expect(nested.hasPrefix("The setting config.secrets cannot be given in a secrets directory"))
        }
    }

    @Test("an optional secrets directory may be missing")
    func absent() async throws {
        let configuration = try await Toy.configuration(
            flags: ["store.url": "memory:"], secrets: "/nowhere/at/all")
        #expect(configuration.backend == "memory")
    }
}
