internal import SwitchyardCore

/// The functions that the rules of row-level security ask.
///
/// They read the records of who belongs to the household with the owner's rights, by the table's key. What cannot be read, or
/// is missing, gives no right.
extension SQLGenerator {
    func rowSecurityFunctions(admitsLogins: Bool) -> [RowSecurity.Function] {
        [isCurrent, actor, arrival(admitsLogins: admitsLogins), scopeFor, own, mayKeep, mayReplace, heads]
    }

    /// What the functions that rules call say of themselves.
    ///
    /// They act with the owner's rights, see the statement's snapshot, and no name of anybody else's. The others are called by
    /// these alone, which saves half of the time.
    private static let manner =
        "\(innerManner) SECURITY DEFINER SET search_path = pg_catalog, pg_temp"
    private static let innerManner = "LANGUAGE plpgsql STABLE"

    private var records: String { qualified(Entity.mirrorRecord.table) }

    /// The value of a setting of the transaction; null for none.
    private func setting(_ setting: ScopeIdentity.Setting) -> String {
        "nullif(current_setting('\(setting.name)', true), '')"
    }

    /// The server's time in microseconds since 1970.
    private static let now = "(extract(epoch FROM statement_timestamp()) * 1000000)::bigint"

    /// A query of the content of a record.
    private func content(of id: String, _ kind: Int, in scope: String, into variable: String) -> String {
        """
        SELECT convert_from(r."data", 'UTF8')::jsonb INTO \(variable) FROM \(records) AS r
            WHERE r.\(Self.scopeColumn) = \(scope) AND r."id" = \(id) AND r."kind" = \(kind)
        """
    }

    /// Whether a membership goes on.
    private var isCurrent: RowSecurity.Function {
        RowSecurity.Function(
            name: "switchyard_is_current", parameters: "jsonb", isGranted: false,
            definition: """
                CREATE OR REPLACE FUNCTION \(qualified("switchyard_is_current"))(person jsonb) RETURNS boolean
                \(Self.innerManner) AS $switchyard$
                BEGIN
                    RETURN coalesce(
                        NOT (person ->> 'isRevoked')::boolean
                            AND coalesce((person ->> 'ends')::bigint > \(Self.now), true), false);
                END
                $switchyard$
                """)
    }

    /// The scope and the device that a token proves, and the member and the role, as long as the membership goes on; the role
    /// is `former` for a token that the device has had before.
    private var actor: RowSecurity.Function {
        RowSecurity.Function(
            name: "switchyard_actor", parameters: "", isGranted: false,
            definition: """
                CREATE OR REPLACE FUNCTION \(qualified("switchyard_actor"))(
                    OUT scope uuid, OUT device uuid, OUT member uuid, OUT standing text)
                \(Self.innerManner) AS $switchyard$
                DECLARE
                    named_scope uuid := \(setting(.scope))::uuid;
                    named_device uuid := \(setting(.device))::uuid;
                    found jsonb;
                    person jsonb;
                BEGIN
                    IF named_scope IS NULL OR named_device IS NULL THEN RETURN; END IF;
                    \(content(of: "named_device", 16, in: "named_scope", into: "found"));
                    IF (found ->> 'digest' = \(setting(.token))) IS NOT TRUE THEN
                        -- It learns that it has ended, and nothing else.
                        IF (found -> 'earlier' ? \(setting(.token))) IS TRUE THEN
                            scope := named_scope;
                            device := named_device;
                            standing := 'former';
                        END IF;
                        RETURN;
                    END IF;
                    scope := named_scope;
                    device := named_device;
                    IF (found ->> 'isRevoked')::boolean IS NOT FALSE THEN RETURN; END IF;
                    \(content(of: "(found ->> 'member')::uuid", 15, in: "named_scope", into: "person"));
                    IF NOT \(qualified("switchyard_is_current"))(person) THEN RETURN; END IF;
                    member := (found ->> 'member')::uuid;
                    standing := person ->> 'role';
                END
                $switchyard$
                """)
    }

    /// The scope into which a device comes, by an invitation or the app's own login.
    private func arrival(admitsLogins: Bool) -> RowSecurity.Function {
        RowSecurity.Function(
            name: "switchyard_arrival", parameters: "", isGranted: false,
            definition: """
                CREATE OR REPLACE FUNCTION \(qualified("switchyard_arrival"))(
                    OUT scope uuid, OUT device uuid, OUT token text, OUT invitation uuid, OUT terms jsonb,
                    OUT subject text, OUT granted text)
                \(Self.innerManner) AS $switchyard$
                DECLARE
                    named_scope uuid := \(setting(.scope))::uuid;
                    named_invitation uuid := \(setting(.invitation))::uuid;
                    found jsonb;
                    inviter jsonb;
                BEGIN
                    device := \(setting(.device))::uuid;
                    token := \(setting(.token));
                    IF named_scope IS NULL OR device IS NULL OR token IS NULL THEN RETURN; END IF;
                    subject := \(admitsLogins ? setting(.subject) : "NULL");
                    granted := \(admitsLogins ? setting(.role) : "NULL");
                    IF subject IS NOT NULL THEN
                        scope := named_scope;
                        RETURN;
                    END IF;
                    IF named_invitation IS NULL THEN RETURN; END IF;
                    SELECT convert_from(r."data", 'UTF8')::jsonb INTO found FROM \(records) AS r
                        WHERE r.\(Self.scopeColumn) = named_scope AND r."id" = named_invitation AND r."kind" = 17
                            AND r."number" > \(Self.now);
                    IF (found ->> 'digest' = \(setting(.secret)) AND (found ->> 'uses')::bigint > 0) IS NOT TRUE THEN
                        RETURN;
                    END IF;
                    IF found ->> 'inviter' IS NOT NULL THEN
                        \(content(of: "(found ->> 'inviter')::uuid", 15, in: "named_scope", into: "inviter"));
                        IF NOT \(qualified("switchyard_is_current"))(inviter) THEN RETURN; END IF;
                        -- Only an owner lets others in, until they come.
                        IF found ->> 'role' IS NOT NULL AND (inviter ->> 'role' = 'owner') IS NOT TRUE THEN
                            RETURN;
                        END IF;
                    END IF;
                    scope := named_scope;
                    invitation := named_invitation;
                    terms := found;
                END
                $switchyard$
                """)
    }

    /// The scope in which the transaction has a right; null for none.
    ///
    /// A right to `read` or `write` is a member's; to `arrive` is that of who comes in; either lets a transaction `enter` the
    /// queue. A scope is `known` to who has a token of it, even one that was revoked.
    private var scopeFor: RowSecurity.Function {
        RowSecurity.Function(
            name: "switchyard_scope_for", parameters: "text", isGranted: true,
            definition: """
                CREATE OR REPLACE FUNCTION \(qualified("switchyard_scope_for"))(word text) RETURNS uuid
                \(Self.manner) AS $switchyard$
                DECLARE
                    actor record;
                BEGIN
                    SELECT * INTO actor FROM \(qualified("switchyard_actor"))();
                    IF word = 'known'
                        OR word IN ('read', 'enter') AND actor.standing IN ('owner', 'member', 'reader')
                        OR word = 'write' AND actor.standing IN ('owner', 'member')
                    THEN
                        RETURN actor.scope;
                    END IF;
                    IF word IN ('arrive', 'enter') THEN
                        RETURN (SELECT a.scope FROM \(qualified("switchyard_arrival"))() AS a);
                    END IF;
                    RETURN NULL;
                END
                $switchyard$
                """)
    }

    /// The record of the device, or of the invitation, whose secret the transaction has; null for none.
    private var own: RowSecurity.Function {
        RowSecurity.Function(
            name: "switchyard_own", parameters: "text", isGranted: true,
            definition: """
                CREATE OR REPLACE FUNCTION \(qualified("switchyard_own"))(word text) RETURNS uuid
                \(Self.manner) AS $switchyard$
                BEGIN
                    IF word = 'device' THEN RETURN (SELECT a.device FROM \(qualified("switchyard_actor"))() AS a); END IF;
                    RETURN (SELECT a.invitation FROM \(qualified("switchyard_arrival"))() AS a);
                END
                $switchyard$
                """)
    }

    /// The parameters of a record.
    private static let record = "in_scope uuid, in_kind bigint, in_id uuid, in_number bigint, in_data bytea"
    private static let recordTypes = "uuid, bigint, uuid, bigint, bytea"

    /// Whether a member, a device or an invitation may be as a record says.
    private var mayKeep: RowSecurity.Function {
        let name = qualified("switchyard_may_keep")
        return RowSecurity.Function(
            name: "switchyard_may_keep", parameters: Self.recordTypes, isGranted: true,
            definition: """
                CREATE OR REPLACE FUNCTION \(name)(\(Self.record)) RETURNS boolean
                \(Self.manner) AS $switchyard$
                DECLARE
                    actor record;
                    arrival record;
                    content jsonb;
                    stored jsonb;
                    stored_number bigint;
                    person jsonb;
                BEGIN
                    IF in_kind NOT IN (15, 16, 17) THEN RETURN false; END IF;
                    content := convert_from(in_data, 'UTF8')::jsonb;
                    SELECT convert_from(r."data", 'UTF8')::jsonb, r."number" INTO stored, stored_number FROM \(records) AS r
                        WHERE r.\(Self.scopeColumn) = in_scope AND r."id" = in_id AND r."kind" = in_kind;
                    SELECT * INTO actor FROM \(qualified("switchyard_actor"))();
                    IF actor.scope = in_scope THEN
                        -- An owner decides on everybody.
                        IF actor.standing = 'owner' THEN RETURN true; END IF;
                        -- A member leaves, gives up devices, and notes when they were seen; a device that was given up ends.
                        IF in_kind IN (15, 16) AND stored_number = in_number
                            AND stored - ARRAY['name', 'lastSeen', 'isRevoked'] = content - ARRAY['name', 'lastSeen', 'isRevoked']
                            AND (NOT (stored ->> 'isRevoked')::boolean OR (content ->> 'isRevoked')::boolean)
                            AND (
                                in_kind = 15 AND in_id = actor.member
                                OR in_kind = 16 AND (stored ->> 'member')::uuid = actor.member
                                OR in_id = actor.device AND actor.standing IS DISTINCT FROM 'former'
                                    AND (content ->> 'isRevoked')::boolean)
                        THEN
                            RETURN true;
                        END IF;
                        -- Everybody may invite another device of their own.
                        IF in_kind = 17 AND actor.member IS NOT NULL AND stored IS NULL
                            AND (content ->> 'inviter')::uuid = actor.member AND (content ->> 'uses')::bigint = 1
                            AND content ->> 'role' IS NULL AND content ->> 'membershipEnds' IS NULL
                        THEN
                            RETURN true;
                        END IF;
                    END IF;
                    SELECT * INTO arrival FROM \(qualified("switchyard_arrival"))();
                    IF arrival.scope IS DISTINCT FROM in_scope THEN RETURN false; END IF;
                    IF in_kind = 17 THEN
                        RETURN coalesce(
                            in_id = arrival.invitation AND in_number = stored_number
                                AND content - 'uses' = stored - 'uses'
                                AND (content ->> 'uses')::bigint = (stored ->> 'uses')::bigint - 1, false);
                    END IF;
                    IF (content ->> 'isRevoked')::boolean IS NOT FALSE THEN RETURN false; END IF;
                    IF in_kind = 15 THEN
                        RETURN stored IS NULL AND coalesce(
                            CASE WHEN arrival.subject IS NOT NULL
                                THEN content ->> 'subject' = arrival.subject AND content ->> 'role' = arrival.granted
                                    AND content ->> 'ends' IS NULL
                                ELSE content ->> 'subject' IS NULL AND content ->> 'role' = arrival.terms ->> 'role'
                                    AND content ->> 'ends' IS NOT DISTINCT FROM arrival.terms ->> 'membershipEnds' END, false);
                    END IF;
                    \(content(of: "(content ->> 'member')::uuid", 15, in: "in_scope", into: "person"));
                    RETURN coalesce(
                        in_id = arrival.device AND content ->> 'digest' = arrival.token
                            AND \(qualified("switchyard_is_current"))(person)
                            AND CASE
                                WHEN arrival.subject IS NOT NULL THEN person ->> 'subject' = arrival.subject
                                WHEN arrival.terms ->> 'role' IS NULL
                                    THEN (content ->> 'member')::uuid = (arrival.terms ->> 'inviter')::uuid
                                -- Only who has just come in has no device.
                                ELSE person ->> 'role' = arrival.terms ->> 'role' AND NOT EXISTS (
                                    SELECT FROM \(records) AS r
                                    WHERE r.\(Self.scopeColumn) = in_scope AND r."kind" = 16
                                        AND CASE WHEN r."kind" = 16 THEN
                                            (convert_from(r."data", 'UTF8')::jsonb ->> 'member')::uuid END
                                            = (content ->> 'member')::uuid) END, false);
                END
                $switchyard$
                """)
    }

    /// Whether a record of a member, a device or an invitation may be replaced, or removed.
    private var mayReplace: RowSecurity.Function {
        let name = qualified("switchyard_may_replace")
        return RowSecurity.Function(
            name: "switchyard_may_replace", parameters: Self.recordTypes, isGranted: true,
            definition: """
                CREATE OR REPLACE FUNCTION \(name)(\(Self.record)) RETURNS boolean
                \(Self.manner) AS $switchyard$
                DECLARE
                    actor record;
                    arrival record;
                    stored jsonb;
                    person jsonb;
                BEGIN
                    IF in_kind NOT IN (15, 16, 17) THEN RETURN false; END IF;
                    SELECT * INTO actor FROM \(qualified("switchyard_actor"))();
                    SELECT * INTO arrival FROM \(qualified("switchyard_arrival"))();
                    IF in_scope IS DISTINCT FROM actor.scope AND in_scope IS DISTINCT FROM arrival.scope THEN
                        RETURN false;
                    END IF;
                    stored := convert_from(in_data, 'UTF8')::jsonb;
                    IF in_scope = actor.scope AND coalesce(
                        actor.standing = 'owner' OR in_id = actor.member
                            OR in_id = actor.device AND actor.standing IS DISTINCT FROM 'former'
                            OR in_kind = 16 AND (stored ->> 'member')::uuid = actor.member
                            OR in_kind = 17 AND actor.member IS NOT NULL
                                AND ((stored ->> 'inviter')::uuid = actor.member OR in_number <= \(Self.now)), false)
                    THEN
                        RETURN true;
                    END IF;
                    IF in_scope IS DISTINCT FROM arrival.scope THEN RETURN false; END IF;
                    IF in_kind = 17 THEN RETURN coalesce(in_id = arrival.invitation, false); END IF;
                    IF in_kind = 15 OR in_id IS DISTINCT FROM arrival.device THEN RETURN false; END IF;
                    \(content(of: "(stored ->> 'member')::uuid", 15, in: "in_scope", into: "person"));
                    -- Nobody takes the device of another member.
                    RETURN coalesce((stored ->> 'isRevoked')::boolean, false)
                        OR NOT \(qualified("switchyard_is_current"))(person)
                        OR coalesce(person ->> 'subject' = arrival.subject, false)
                        OR coalesce((stored ->> 'member')::uuid = (arrival.terms ->> 'inviter')::uuid, false);
                END
                $switchyard$
                """)
    }

    /// The ends of the histories of the households that the service names, which it knows from their devices: by them it learns
    /// that something was committed, and nothing else.
    private var heads: RowSecurity.Function {
        RowSecurity.Function(
            name: Self.headsFunction, parameters: "uuid[]", isGranted: true,
            definition: """
                CREATE OR REPLACE FUNCTION \(qualified(Self.headsFunction))(
                    scopes uuid[], OUT scope uuid, OUT number bigint) RETURNS SETOF record
                \(Self.manner) AS $switchyard$
                BEGIN
                    RETURN QUERY SELECT "listed"."scope", \(lastNumber(in: qualified(HistoryAddition.entity.table)))
                        FROM unnest(scopes) AS "listed" ("scope");
                END
                $switchyard$
                """)
    }
}
