internal import Synchronization

/// A parameter of an intent, declared with `@Parameter` on a property of the intent.
///
/// The property's type determines what the parameter accepts: text, a number, a boolean, a date, a volume, an
/// `IntentEnum`, an `IntentEntity`, any other `IntentValue`, or an optional of these. A parameter that is not
/// optional and has no default is required: if it is missing, the person is asked for it.
///
/// Assigning to the property of one copy of an intent does not change other copies.
@propertyWrapper
public struct IntentParameter<Value: IntentParameterValue>: Sendable {
    /// The parameter's name for people, such as `Amount`.
    public let title: String
    /// What the parameter is for, in one sentence; may be empty.
    public let description: String
    /// The default value, if any.
    public let defaultValue: Value?
    /// The question to ask when the value is missing.
    public let requestValueDialog: IntentDialog?
    var slot: ParameterSlot<Value>

    /// Declares a parameter.
    ///
    /// - Parameters:
    ///   - title: The parameter's name for people.
    ///   - description: What the parameter is for, in one sentence.
    ///   - defaultValue: The value to use if none is given.
    ///   - requestValueDialog: The question to ask when the value is missing; by default the title with a
    ///     question mark.
    public init(
        title: String, description: String = "", default defaultValue: Value? = nil,
        requestValueDialog: IntentDialog? = nil
    ) {
        self.title = title
        self.description = description
        self.defaultValue = defaultValue
        self.requestValueDialog = requestValueDialog
        slot = ParameterSlot(defaultValue ?? Value.absent)
    }

    /// The value; always set inside `perform(_:)`.
    public var wrappedValue: Value {
        get {
            guard let value = slot.value else {
                // Only code that reads an intent it created itself and did not fill in gets here. Inside
                // `perform(_:)` all values are set, because only an invocation can create an `IntentRun`.
                preconditionFailure("The parameter \(title) was read before it was given a value.")
            }
            return value
        }
        set { slot = ParameterSlot(newValue) }
    }

    /// The parameter itself, to ask for its value inside `perform(_:)`.
    public var projectedValue: Self { self }

    /// Whether a value must be given: the type is not optional and there is no default.
    public var isRequired: Bool { defaultValue == nil && Value.absent == nil }
}

/// The storage of a parameter's value.
///
/// It is an object, so that an invocation can fill in the parameters of the intent it has just created:
/// `Mirror` returns copies of the property wrappers, and the copies share the slot.
final class ParameterSlot<Value: Sendable>: Sendable {
    private let storage: Mutex<Value?>

    init(_ value: Value?) { storage = Mutex(value) }

    var value: Value? {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }
}
