import Foundation
import Switchyard

/// A counter, to which each post adds one in the transaction that inserts the post.
@Model
struct Account {
    #Unique<Account>([\.number])
    let id: ID
    var number: Int
    var balance: Int
    @Relationship(deleteRule: .deny, inverse: \Post.account)
    var posts: ToMany<Post>
}

/// A write of a worker, numbered by it.
@Model
struct Post {
    #Unique<Post>([\.worker, \.number])
    let id: ID
    var account: Account.ID
    var worker: Int
    var number: Int
    /// Something to fill pages with.
    var text: String
}

/// What is written while faults happen: a balance is the number of its account's posts, in every snapshot.
enum LedgerSchema: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Account.self, Post.self]

    static let accounts = 4
}

extension WriteTransaction {
    /// Adds one to an account that is read first: lost updates show.
    func post(worker: Int, number: Int, to account: Int, text: String) throws {
        let found = try fetch(Account.where(#Predicate { $0.number == account })).first
        var target = try found ?? insert(Account(number: account, balance: 0))
        target.balance += 1
        try update(target)
        try insert(Post(account: target.id, worker: worker, number: number, text: text))
    }
}
