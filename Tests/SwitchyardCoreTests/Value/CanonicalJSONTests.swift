import Foundation
import Switchyard
import SwitchyardCore
import Testing

@Suite("Canonical JSON")
struct CanonicalJSONTests {
    @Test(
        "JSON becomes canonical, and canonical JSON stays unchanged",
        arguments: [
            (" [ 1 , 2 ]\n", "[1,2]"), ("{ }", "{}"), ("[]", "[]"), ("\tnull\r", "null"), ("true", "true"),
            (#"{"b":1,"a":{"d":[],"c":false}}"#, #"{"a":{"c":false,"d":[]},"b":1}"#),
            (#"{"a9":1,"a10":2,"B":3,"é":4,"z":5}"#, #"{"B":3,"a10":2,"a9":1,"z":5,"é":4}"#),
            (#""\u00e9\u0041\/\u005C\u0022""#, #""éA/\\\"""#),
            (#""\uD83D\uDE00 😀""#, #""😀 😀""#),
            (
                #""\u0000\u0008\u0009\u000A\u000c\u000D\u001F\u007f""#,
                "\"\\u0000\\b\\t\\n\\f\\r\\u001f\u{7F}\""
            ),
            ("\"e\u{301}\"", "\"e\u{301}\""),
            (#"{"\u0062":1,"a":2}"#, #"{"a":2,"b":1}"#),
        ])
    func form(text: String, canonical: String) {
        #expect(CanonicalJSON.canonical(text).map { Array($0.utf8) } == Array(canonical.utf8))
        #expect(CanonicalJSON.canonical(canonical).map { Array($0.utf8) } == Array(canonical.utf8))
    }

    @Test(
        "a JSON number has one spelling and keeps all its digits",
        arguments: [
            ("0", "0"), ("-0", "0"), ("0.0", "0"), ("-0e5", "0"), ("0e999999999999999999999", "0"),
            ("1.0", "1"),
            ("100", "100"), ("1e2", "100"), ("1E+02", "100"), ("1.50", "1.5"), ("-12.250e1", "-122.5"),
            ("0.10", "0.1"), ("1e-4", "0.0001"), ("0.00001", "1e-05"), ("12.5e-7", "1.25e-06"),
            ("9223372036854775807", "9223372036854775807"), ("1e+16", "10000000000000000"),
            ("12345678901234567890.12345678901234567890", "12345678901234567890.1234567890123456789"),
            ("1e38", "100000000000000000000000000000000000000"), ("1e39", "1e+39"), ("15e39", "1.5e+40"),
            ("1.7976931348623157e+308", "1.7976931348623157e+308"), ("5e-324", "5e-324"),
        ])
    func numbers(text: String, canonical: String) {
        #expect(CanonicalJSON.canonical(text) == canonical)
        #expect(CanonicalJSON.canonical(canonical) == canonical)
    }

    @Test(
        "malformed and ambiguous JSON has no canonical form",
        arguments: [
            "", " ", "[1,]", "{\"a\":1,}", "[1", "]", "{\"a\"}", "{a:1}", "{1:2}", "01", "1.", ".5", "+1",
            "-", "1e",
            "1e+", "0x1", "NaN", "nul", "nulls", "1 2", "\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"",
            "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"a\nb\"", "\u{FEFF}1", "[1e401]", "1e-999",
            "1e99999999999999999999", #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":2}"#,
        ])
    func refusals(text: String) {
        #expect(CanonicalJSON.canonical(text) == nil)
    }

    @Test("JSON nested too deeply is refused without a stack overflow")
    func depth() {
        func nested(_ count: Int) -> String {
            String(repeating: "[", count: count) + String(repeating: "]", count: count)
        }
        #expect(CanonicalJSON.canonical(nested(512)) == nested(512))
        #expect(CanonicalJSON.canonical(nested(513)) == nil)
        #expect(CanonicalJSON.canonical(String(repeating: "{\"a\":", count: 1_000_000)) == nil)
    }

    private struct Sample: Codable, Equatable {
        var double: [Double] = [0, -0.0, 0.1, 1e16, 1e300, -2.5e-9, 9_007_199_254_740_992, .pi]
        var float: [Float] = [0.1, 1e10, 0x1p-149]
        var whole: [Int64] = [.min, 0, .max]
        var unsigned = UInt64.max
        var decimal = Decimal(string: "12345678901234567890.123")
        var large = Decimal(string: "1e60")
        var text = "\u{0}\u{1F}/\\\"é\u{2028}"
        var names = ["b": 1, "a": 2, "é": 3, "\"": 4]
    }

    @Test("a Codable value's text is canonical, and reads back as the value")
    func values() throws {
        let text = try CanonicalJSON.text(Sample())
        #expect(
            text == """
                {"decimal":12345678901234567890.123,"double":[0,0,0.1,10000000000000000,1e+300,-2.5e-09,\
                9007199254740992,3.141592653589793],"float":[0.1,10000000000,1e-45],"large":1e+60,\
                "names":{"\\"":4,"a":2,"b":1,"é":3},"text":"\\u0000\\u001f/\\\\\\"é\u{2028}",\
                "unsigned":18446744073709551615,\
                "whole":[-9223372036854775808,0,9223372036854775807]}
                """)
        #expect(CanonicalJSON.canonical(text) == text)
        #expect(CanonicalJSON.value(Sample.self, text) == Sample())
    }

    @Test("every finite number survives its JSON text, for 20,000 random ones")
    func randomNumbers() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var state = seed
        for _ in 0..<20_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let double = Double(bitPattern: state)
            let float = Float(bitPattern: UInt32(truncatingIfNeeded: state >> 32))
            guard double.isFinite, float.isFinite else { continue }
            let text = try CanonicalJSON.text(double)
            let found = CanonicalJSON.value(Double.self, text)
            #expect(found == double, "seed \(seed): \(text)")
            let short = try CanonicalJSON.text(float)
            #expect(CanonicalJSON.value(Float.self, short) == float, "seed \(seed): \(short)")
            #expect(CanonicalJSON.canonical(text) == text, "seed \(seed)")
        }
    }
}
