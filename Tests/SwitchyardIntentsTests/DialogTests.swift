import Foundation
import SwitchyardIntents
import Testing

@Suite("Dialogs and representations")
struct DialogTests {
    @Test("a dialog writes values of parameters as people read them")
    func interpolation() {
        let amount = Measurement(value: 120, unit: UnitVolume.milliliters)
        let dialog: IntentDialog =
            "\(TeaRoom.mia): \(amount), \(DrinkType.blackTea), \(4.0), \(3), \(true), \("text"), \(UInt8(7))"
        #expect(dialog.text == "Mia: 120 mL, Black Tea, 4, 3, true, text, 7")
        #expect(dialog.description == dialog.text)
    }

    @Test("a representation shows its subtitle in parentheses")
    func representations() {
        #expect(
            DisplayRepresentation(title: "Mia", subtitle: "born in May").description == "Mia (born in May)")
        #expect(DisplayRepresentation(title: "Mia").description == "Mia")
        #expect(Date(timeIntervalSince1970: 1_795_249_800).displayRepresentation == "2026-11-21T08:30:00Z")
    }

    @Test("an error lists at most ten choices")
    func choices() {
        let error = IntentError(.unknownIntent, "No.", choices: (1...12).map { "c\($0)" })
        #expect(error.explanation == "No. Choose from: c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, and 2 more.")
    }
}
