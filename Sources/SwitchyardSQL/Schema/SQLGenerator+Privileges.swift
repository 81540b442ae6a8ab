internal import SwitchyardCore

extension SQLGenerator {
    /// The statement that gives a table what another one has outside of its columns' definitions: the privileges of roles, the
    /// rules of row-level security, and the comments, on the table and on columns of the same names; none where a database has
    /// neither.
    ///
    /// A table that is made anew would lose them with the old one, and nobody would notice until a report cannot read it, or
    /// reads too much.
    func copyPrivileges(of old: String, to new: String) -> [String] {
        guard dialect.altersTables else { return [] }
        let (source, target) = (
            dialect.literal(.text(qualified(old)), .text), dialect.literal(.text(qualified(new)), .text)
        )
        return [
            """
            DO $copy$
            DECLARE
                source regclass := \(source);
                target regclass := \(target);
                statement text;
            BEGIN
                FOR statement IN
                    WITH part AS (
                        SELECT c.relacl AS privileges, '' AS columns, 'TABLE ' || target::text AS name,
                            pg_catalog.obj_description(source, 'pg_class') AS comment
                        FROM pg_catalog.pg_class AS c WHERE c.oid = source
                        UNION ALL
                        SELECT a.attacl, pg_catalog.format(' (%I)', a.attname),
                            pg_catalog.format('COLUMN %s.%I', target, a.attname),
                            pg_catalog.col_description(source, a.attnum)
                        FROM pg_catalog.pg_attribute AS a
                        JOIN pg_catalog.pg_attribute AS b ON b.attrelid = target AND b.attname = a.attname
                        WHERE a.attrelid = source AND a.attnum > 0 AND NOT a.attisdropped)
                    SELECT pg_catalog.format(
                        'GRANT %s%s ON %s TO %s%s', p.privilege_type, part.columns, target,
                        CASE p.grantee WHEN 0 THEN 'PUBLIC'
                            ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(p.grantee)) END,
                        CASE WHEN p.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
                    FROM part CROSS JOIN LATERAL pg_catalog.aclexplode(part.privileges) AS p
                    UNION ALL
                    SELECT pg_catalog.format('COMMENT ON %s IS %L', part.name, part.comment)
                    FROM part WHERE part.comment IS NOT NULL
                    UNION ALL
                    SELECT pg_catalog.format('ALTER TABLE %s %s ROW LEVEL SECURITY', target, word)
                    FROM pg_catalog.pg_class AS c
                    CROSS JOIN LATERAL (VALUES ('ENABLE', c.relrowsecurity), ('FORCE', c.relforcerowsecurity))
                        AS security (word, is_on)
                    WHERE c.oid = source AND security.is_on
                    UNION ALL
                    SELECT pg_catalog.format('CREATE POLICY %I ON %s AS %s FOR %s TO %s%s%s', y.polname, target,
                        CASE WHEN y.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
                        CASE y.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE'
                            WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
                        (SELECT pg_catalog.string_agg(
                            CASE r WHEN 0 THEN 'PUBLIC' ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(r)) END, ', ')
                            FROM pg_catalog.unnest(y.polroles) AS r),
                        ' USING (' || pg_catalog.pg_get_expr(y.polqual, y.polrelid) || ')',
                        ' WITH CHECK (' || pg_catalog.pg_get_expr(y.polwithcheck, y.polrelid) || ')')
                    FROM pg_catalog.pg_policy AS y WHERE y.polrelid = source
                LOOP
                    EXECUTE statement;
                END LOOP;
            END
            $copy$
            """
        ]
    }
}
