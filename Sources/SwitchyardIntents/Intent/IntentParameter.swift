internal import Synchronization

/// A parameter of an intent, declared by `@Parameter` on a property of the intent.
///
/// The property's type says what the parameter takes: text, a number, a boolean, a date, a volume, an
/// `IntentEnum`, an `IntentEntity`, any other `IntentValue`, or an optional of these. A parameter that is not
/// optional and has no default is required: it is asked for when it is missing.
///
/// Assigning to the property of one copy of an intent leaves other copies as they are.
@propertyWrapper
public struct IntentParameter<Value: IntentParameterValue>: Sendable {
    /// What people call the parameter, such as `Amount`.
    public let title: String
    /// What the parameter is for, in a sentence; it may be empty.
    public let description: String
    /// The value where none is given; nil if there is none.
    public let defaultValue: Value?
    /// The question to ask when the value is missing.
    public let requestValueDialog: IntentDialog?
    var slot: ParameterSlot<Value>

    /// Declares a parameter.
    ///
    /// - Parameters:
    ///   - title: What people call it.
    ///   - description: What it is for, in a sentence.
    ///   - defaultValue: The value where none is given.
    ///   - requestValueDialog: The question to ask when the value is missing; the title with a question mark,
    ///     unless given.
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

    /// The value, which in `perform(_:)` there always is.
    public var wrappedValue: Value {
        get {
            guard let value = slot.value else {
                // Only code that reads an intent which it made itself and did not fill gets here:
                // `perform(_:)` cannot be called before all values are there, since nothing but an invocation
                // can make an `IntentRun`.
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

/// The place of a parameter's value.
///
/// It is an object, so that an invocation can fill the parameters of the intent that it has just made:
/// `Mirror` lends copies of the property wrappers, and the copies share the place.
final class ParameterSlot<Value: Sendable>: Sendable {
    private let storage: Mutex<Value?>

    init(_ value: Value?) { storage = Mutex(value) }

    var value: Value? {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }
}
