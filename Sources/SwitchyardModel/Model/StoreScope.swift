internal import Foundation

/// The phantom type behind `StoreScope`.
public enum StorePart {
    fileprivate static let attribute = Attribute("switchyard_scope", type: .uuid)
}

/// The part of a shared store that a transaction is confined to, such as the rows of one household.
///
/// A store that is created with a scope (`OpenOptions.scope`) can hold any number of scopes side by side. Ids, unique
/// constraints, references, delete rules and operation ids apply within one scope, and a transaction sees the rows of
/// no other:
///
/// ```swift
/// let home = StoreScope(), grandparents = StoreScope()
/// let store = try await registry.open(url: url, schema: schema, options: OpenOptions(scope: home))
/// try await store.write { try $0.insert(feed) }  // at home
/// try await store.write(WriteOptions(scope: grandparents)) { try $0.insert(other) }
/// let feeds = try await store.read(ReadOptions(scopes: [home, grandparents])) { try $0.fetchScoped(Feed.all) }
/// ```
///
/// A scope does not protect its rows: any client that can open the store can name any scope.
public typealias StoreScope = Identifier<StorePart>

extension Identifier where Row == StorePart {
    /// The scope of a row as an attribute, which no model declares.
    ///
    /// A driver whose transaction reads several scopes meets it in selections: among the columns, as the last sort key,
    /// and in the condition of a page.
    public static var attribute: Attribute { StorePart.attribute }

    /// A scope to open a store in whose own scopes are not known: nothing is written in it.
    public static var unused: StoreScope {
        StoreScope(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    }
}
