internal import Foundation
internal import Switchyard

/// A row with a value of every type whose form could differ between backends, and that form.
package enum CanonicalSpecimen {
    package static func make() -> Specimen {
        Specimen(
            id: Specimen.ID("01980000-0000-7000-8000-000000000001") ?? Specimen.ID(), flag: true, whole: -7,
            small: 3, real: 0.1, amount: Decimal(string: "10.250"), text: "e\u{301}\"\\",
            memo: "Ä", data: Data([0, 255]), key: UUID(uuidString: "0F000000-0000-7000-8000-00000000000A"),
            moment: Date(timeIntervalSince1970: 1.5), day: CalendarDay("2024-02-29"), certainty: .high,
            labels: [Label(name: "b", weight: 2)], otherReal: -.infinity,
            otherWhole: .max)
    }

    package static let text =
        #"[[{"uuid":"01980000-0000-7000-8000-000000000001"},{"bool":true},{"int":"-7"},{"int":"3"},"#
        + #"{"double":"0.1"},{"decimal":"10.25"},{"text":"e\#u{301}\"\\"},{"text":"Ä"},{"blob":"AP8="},"#
        + #"{"uuid":"0f000000-0000-7000-8000-00000000000a"},{"timestamp":"1500000"},{"day":"2024-02-29"},"#
        + #"{"text":"high"},{"int":"1"},{"json":"[{\"name\":\"b\",\"weight\":2}]"},{"null":null},"#
        + #"{"null":null},{"double":"-inf"},{"int":"9223372036854775807"},{"null":null},{"null":null}]]"#
}
