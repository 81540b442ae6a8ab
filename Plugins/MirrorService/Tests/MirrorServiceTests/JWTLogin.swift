import Foundation
import JWTKit
import MirrorServiceCommands
import Switchyard
import SwitchyardCommands
import SwitchyardCore
import SwitchyardMirror
import SwitchyardMirrorService

/// A login by a JSON Web Token: the example of the article on running the service.
struct TokenLogin: MirrorAuthenticator {
    struct Claims: JWTPayload {
        let sub: SubjectClaim
        let aud: AudienceClaim
        let exp: ExpirationClaim
        let household: UUID
        let role: HouseholdRole

        func verify(using algorithm: some JWTAlgorithm) throws {
            try exp.verifyNotExpired()
            try aud.verifyIntendedAudience(includes: "https://mirror.example.org")
        }
    }

    let keys: JWTKeyCollection

    func person(for request: ServiceRequest) async throws -> MirrorPerson {
        let claims = try await keys.verify(request.bearerToken ?? "", as: Claims.self)
        return MirrorPerson(
            id: claims.sub.value, household: StoreScope(claims.household), role: claims.role)
    }
}

extension Dairy: MirrorServiceApp {
    static func authenticator() async throws -> any MirrorAuthenticator {
        TokenLogin(keys: try await JWTKeyCollection().add(jwksJSON: publicKeys()))
    }
}
