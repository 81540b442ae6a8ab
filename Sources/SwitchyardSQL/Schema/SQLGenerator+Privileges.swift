internal import SwitchyardCore

extension SQLGenerator {
    /// The statement that gives a table what another one has outside of its columns' definitions: the privileges of roles and
    /// the comments, on the table and on columns of the same names; none where a database has neither.
    ///
    /// A table that is made anew would lose them with the old one, and nobody would notice until a report cannot read it.
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
                LOOP
                    EXECUTE statement;
                END LOOP;
            END
            $copy$
            """
        ]
    }
}
