import SwitchyardCore
import Testing

@testable import SwitchyardConfiguration

@Suite("The origin of a setting")
struct SettingOriginTests {
    @Test("an error about a value contains its source, and another error does not")
    func origins() {
        let origin = SettingOrigin(.flag, name: "--store")
        let message = StoreError(.configuration, "No.").given(by: origin).message
        #expect(message == "No. It was given by the flag --store.")
        #expect(StoreError(.unsupported, "No library.").given(by: origin).message == "No library.")
    }
}
