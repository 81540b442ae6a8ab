import Foundation
import Switchyard
import SwitchyardCore
import Testing

@Suite("Predicates that no backend could evaluate")
struct UnsupportedPredicateTests {
    @Test("each unsupported predicate is refused with `unsupported`, naming the part at fault")
    func refusals() {
        expect(
            #Predicate<Feed> { $0.isOpen }, names: "A property of Feed of type Bool is not a stored attribute"
        )
        expect(
            #Predicate<Baby> { $0.name.count > 3 }, names: "A property of String of type Int cannot be used")
        expect(
            #Predicate<House.Thing> { $0.level.name == "High" }, names: "A property of Level of type String")
        expect(
            #Predicate<Feed> { $0.tags.contains("nap") },
            names: "contains(_:) is not supported on a stored collection")
        expect(#Predicate<Feed> { $0.tags.max() == "a" }, names: "SequenceMaximum")
        let less = ComparisonResult.orderedAscending
        expect(#Predicate<Baby> { $0.name.caseInsensitiveCompare("b") == less }, names: "orderedSame")
        let name = "Mia"
        expect(#Predicate<Baby> { name.localizedStandardContains($0.name) }, names: "attribute on the left")
        expect(#Predicate<Baby> { name[\.folded] == $0.name }, names: "attribute on the left")
        expect(
            #Predicate<Feed> { $0.memo[\.folded] == $0.kind?.rawValue }, names: "constant text on the right")
        expect(#Predicate<Baby> { $0.name[\.folded] < "m" }, names: "Folded text can only be compared")
        expect(#Predicate<Baby> { ($0.name as Any) is String }, names: "TypeCheck")
    }

    @Test("a captured value that no attribute can have is `valueNotRepresentable`")
    func captured() {
        let text = "a\0b"
        expect(#Predicate<Baby> { $0.name == text }, .valueNotRepresentable, names: "U+0000")
        let number = Double.nan
        expect(#Predicate<Feed> { $0.amount == number }, .valueNotRepresentable, names: "NaN")
        let never = Date(timeIntervalSinceReferenceDate: .nan)
        expect(#Predicate<Feed> { $0.startTime > never }, .valueNotRepresentable, names: "years 1 to 9999")
    }

    @Test("a custom order of an app's type is unsupported in a predicate")
    func ownOrder() {
        let levels = House.Level.low...House.Level.medium
        let high = House.Level.high
        expect(#Predicate<House.Thing> { $0.level < high }, names: "Level")
        expect(#Predicate<House.Thing> { levels.contains($0.level) }, names: "Level")
    }

    @Test("calculations with numbers that stores round differently from Swift are unsupported")
    func narrowNumbers() {
        let third: Float = 3
        let five: Int8 = 5
        expect(#Predicate<House.Thing> { ($0.ratio ?? 0) * third == 1 }, names: "Float")
        expect(#Predicate<House.Thing> { $0.small + five > five }, names: "Int8")
        expect(#Predicate<House.Thing> { -$0.small == five }, names: "Int8")
    }

    @Test("the error for an unsupported predicate does not show captured values")
    func redaction() {
        let secret = "Tr0ub4dor"
        guard
            case .failure(let error) = Condition.lowering(
                #Predicate<Baby> { secret.localizedStandardContains($0.name) })
        else {
            Issue.record("not refused")
            return
        }
        #expect(!error.description.contains(secret))
    }

    private func expect<Element: Model>(
        _ predicate: Predicate<Element>, _ code: StoreError.Code = .unsupported, names part: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        switch Condition.lowering(predicate) {
        case .success(let condition):
            Issue.record("lowered to \(condition)", sourceLocation: sourceLocation)
        case .failure(let error):
            #expect(error.code == code, sourceLocation: sourceLocation)
            #expect(error.description.contains(part), sourceLocation: sourceLocation)
        }
    }
}
