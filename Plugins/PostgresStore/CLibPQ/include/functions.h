// Each function of libpq that is used: its result, name, parameters and their names. Included once for each use
// that is made of the list, which defines FUNCTION.

FUNCTION(int, PQcancel, (PGcancel *cancel, char *reason, int size), (cancel, reason, size))
FUNCTION(void, PQclear, (PGresult *result), (result))
FUNCTION(char *, PQcmdStatus, (PGresult *result), (result))
FUNCTION(char *, PQcmdTuples, (PGresult *result), (result))
FUNCTION(PQconninfoOption *, PQconndefaults, (void), ())
FUNCTION(PostgresPollingStatusType, PQconnectPoll, (PGconn *connection), (connection))
FUNCTION(PGconn *, PQconnectStartParams,
    (const char *const *keywords, const char *const *values, int expands),
    (keywords, values, expands))
FUNCTION(PGconn *, PQconnectdb, (const char *text), (text))
FUNCTION(int, PQconnectionNeedsPassword, (const PGconn *connection), (connection))
FUNCTION(void, PQconninfoFree, (PQconninfoOption *options), (options))
FUNCTION(PQconninfoOption *, PQconninfoParse, (const char *text, char **reason), (text, reason))
FUNCTION(int, PQconsumeInput, (PGconn *connection), (connection))
FUNCTION(char *, PQdb, (const PGconn *connection), (connection))
FUNCTION(int, PQenterPipelineMode, (PGconn *connection), (connection))
FUNCTION(char *, PQerrorMessage, (const PGconn *connection), (connection))
FUNCTION(char *, PQescapeLiteral,
    (PGconn *connection, const char *text, size_t count),
    (connection, text, count))
FUNCTION(PGresult *, PQexec, (PGconn *connection, const char *sql), (connection, sql))
FUNCTION(int, PQexitPipelineMode, (PGconn *connection), (connection))
FUNCTION(int, PQfformat, (const PGresult *result, int column), (result, column))
FUNCTION(void, PQfinish, (PGconn *connection), (connection))
FUNCTION(char *, PQfname, (const PGresult *result, int column), (result, column))
FUNCTION(void, PQfreeCancel, (PGcancel *cancel), (cancel))
FUNCTION(void, PQfreemem, (void *memory), (memory))
FUNCTION(Oid, PQftype, (const PGresult *result, int column), (result, column))
FUNCTION(PGcancel *, PQgetCancel, (PGconn *connection), (connection))
FUNCTION(int, PQgetCopyData, (PGconn *connection, char **row, int isAsync), (connection, row, isAsync))
FUNCTION(PGresult *, PQgetResult, (PGconn *connection), (connection))
FUNCTION(int, PQgetisnull, (const PGresult *result, int row, int column), (result, row, column))
FUNCTION(int, PQgetlength, (const PGresult *result, int row, int column), (result, row, column))
FUNCTION(char *, PQgetvalue, (const PGresult *result, int row, int column), (result, row, column))
FUNCTION(char *, PQhost, (const PGconn *connection), (connection))
FUNCTION(int, PQnfields, (const PGresult *result), (result))
FUNCTION(int, PQntuples, (const PGresult *result), (result))
FUNCTION(const char *, PQparameterStatus, (const PGconn *connection, const char *name), (connection, name))
FUNCTION(PGpipelineStatus, PQpipelineStatus, (const PGconn *connection), (connection))
FUNCTION(int, PQpipelineSync, (PGconn *connection), (connection))
FUNCTION(char *, PQport, (const PGconn *connection), (connection))
FUNCTION(int, PQputCopyData, (PGconn *connection, const char *bytes, int count), (connection, bytes, count))
FUNCTION(int, PQputCopyEnd, (PGconn *connection, const char *reason), (connection, reason))
FUNCTION(char *, PQresultErrorField, (const PGresult *result, int field), (result, field))
FUNCTION(char *, PQresultErrorMessage, (const PGresult *result), (result))
FUNCTION(ExecStatusType, PQresultStatus, (const PGresult *result), (result))
FUNCTION(int, PQsendPrepare,
    (PGconn *connection, const char *name, const char *sql, int count, const Oid *types),
    (connection, name, sql, count, types))
FUNCTION(int, PQsendQuery, (PGconn *connection, const char *sql), (connection, sql))
FUNCTION(int, PQsendQueryParams,
    (PGconn *connection, const char *sql, int count, const Oid *types, const char *const *values,
     const int *lengths, const int *formats, int resultFormat),
    (connection, sql, count, types, values, lengths, formats, resultFormat))
FUNCTION(int, PQsendQueryPrepared,
    (PGconn *connection, const char *name, int count, const char *const *values, const int *lengths,
     const int *formats, int resultFormat),
    (connection, name, count, values, lengths, formats, resultFormat))
FUNCTION(int, PQserverVersion, (const PGconn *connection), (connection))
FUNCTION(PGVerbosity, PQsetErrorVerbosity,
    (PGconn *connection, PGVerbosity verbosity),
    (connection, verbosity))
FUNCTION(PQnoticeReceiver, PQsetNoticeReceiver,
    (PGconn *connection, PQnoticeReceiver receiver, void *context),
    (connection, receiver, context))
FUNCTION(int, PQsetSingleRowMode, (PGconn *connection), (connection))
FUNCTION(int, PQsocket, (const PGconn *connection), (connection))
FUNCTION(ConnStatusType, PQstatus, (const PGconn *connection), (connection))
FUNCTION(PGTransactionStatusType, PQtransactionStatus, (const PGconn *connection), (connection))
