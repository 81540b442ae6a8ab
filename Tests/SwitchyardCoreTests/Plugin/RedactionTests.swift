import SwitchyardCore
import Testing
import ToyPlugins

@Suite("Redaction")
struct RedactionTests {
    @Test(
        "passwords in URLs and connection strings are masked",
        arguments: [
            ("postgres://mia:geheim@db.example/baby", "postgres://mia:***@db.example/baby"),
            ("postgres://mia:ge@heim@db/baby", "postgres://mia:***@db/baby"),
            ("postgres://mia:ge/he?im#x@db/baby", "postgres://mia:***@db/baby"),
            ("postgres://mia:@db/baby", "postgres://mia:***@db/baby"),
            ("postgres://:geheim@db", "postgres://:***@db"),
            ("postgres://mia:geheim@h1:5432,h2:5433/baby", "postgres://mia:***@h1:5432,h2:5433/baby"),
            ("postgres://db/baby?user=mia&password=geheim", "postgres://db/baby?user=mia&password=***"),
            ("postgres://db/baby?PassWord=geheim&x=1", "postgres://db/baby?PassWord=***&x=1"),
            ("postgres://db/baby?pass%77ord=geheim", "postgres://db/baby?pass%77ord=***"),
            ("postgres://db/baby?password=ge;he#im@x", "postgres://db/baby?password=***"),
            (
                "postgres://db/baby?sslpassword=a&password=b",
                "postgres://db/baby?sslpassword=***&password=***"
            ),
            ("postgres://u:a@db/b?password=c", "postgres://u:***@db/b?password=***"),
            ("https://api.example/?access_token=abc&q=1", "https://api.example/?access_token=***&q=1"),
            ("postgres:mia:geheim@db/baby", "postgres:***@db/baby"),
            ("mia:geheim@db", "mia:***@db"),
            ("host=db password=geheim dbname=baby", "host=db password=*** dbname=baby"),
            ("host=db password = 'ge h\\'eim' dbname=baby", "host=db password = *** dbname=baby"),
            ("password='geheim", "password=***"),
            ("password=", "password=***"),
            ("postgres://mia:geheim", "postgres://mia:***"),
            ("postgres://mia:geheim%40db/baby", "postgres://mia:***"),
            ("postgres://mia:ge/heim", "postgres://mia:***"),
        ])
    func masked(text: String, expected: String) {
        #expect(Redaction.redact(text) == expected)
    }

    @Test(
        "text without a password is not masked",
        arguments: [
            "", "memory:", "sqlite:/data/a.sqlite", "sqlite:/home/mia@work/a.sqlite",
            "postgres://mia@db.example:5432/baby",
            "postgres://[::1]:5432/baby?sslmode=require&passfile=/x", "host=db user=mia@work", "a=b", "=",
            "@", ":@:", "postgres://h1:5432,h2:5433/baby", "file:///data/a:b", "postgres://db/a:b",
        ])
    func left(text: String) {
        #expect(Redaction.redact(text) == (text == ":@:" ? ":***@:" : text))
    }

    @Test("masking changes only the words of a sentence that could hold a password")
    func sentence() {
        #expect(
            Redaction.redact(
                wordsOf:
                    "Unexpected argument 'postgres://mia:geheim@db/baby', mail: a@b, password=geheim at 10:00."
            )
                == "Unexpected argument 'postgres://mia:***@db/baby', mail: a@b, password=*** at 10:00.")
    }

    @Test("a plugin's settings are printed without their passwords")
    func settings() throws {
        let settings = try StoreSettings(
            ["host": "db", "password": "geheim", "url": "postgres://a:geheim@db"], for: ToyPostgres.self)
        #expect(
            settings.description
                == "postgres(host: db, password: (hidden), port: 5432, url: postgres://a:***@db)")
    }
}
