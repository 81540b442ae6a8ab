// Each function of libpq that is used: its result, its name without PQ, its parameters and their names. Included once
// for each use that is made of the list, which defines FUNCTION.

FUNCTION(int, cancel, (PGcancel *cancel, char *reason, int size), (cancel, reason, size))
FUNCTION(void, clear, (PGresult *result), (result))
FUNCTION(char *, cmdStatus, (PGresult *result), (result))
FUNCTION(char *, cmdTuples, (PGresult *result), (result))
FUNCTION(PQconninfoOption *, conndefaults, (void), ())
FUNCTION(PostgresPollingStatusType, connectPoll, (PGconn *connection), (connection))
FUNCTION(PGconn *, connectStartParams,
    (const char *const *keywords, const char *const *values, int expands),
    (keywords, values, expands))
FUNCTION(PGconn *, connectdb, (const char *text), (text))
FUNCTION(int, connectionNeedsPassword, (const PGconn *connection), (connection))
FUNCTION(void, conninfoFree, (PQconninfoOption *options), (options))
FUNCTION(PQconninfoOption *, conninfoParse, (const char *text, char **reason), (text, reason))
FUNCTION(int, consumeInput, (PGconn *connection), (connection))
FUNCTION(char *, db, (const PGconn *connection), (connection))
FUNCTION(int, enterPipelineMode, (PGconn *connection), (connection))
FUNCTION(char *, errorMessage, (const PGconn *connection), (connection))
FUNCTION(char *, escapeLiteral,
    (PGconn *connection, const char *text, size_t count),
    (connection, text, count))
FUNCTION(PGresult *, exec, (PGconn *connection, const char *sql), (connection, sql))
FUNCTION(int, exitPipelineMode, (PGconn *connection), (connection))
FUNCTION(int, fformat, (const PGresult *result, int column), (result, column))
FUNCTION(void, finish, (PGconn *connection), (connection))
FUNCTION(int, flush, (PGconn *connection), (connection))
FUNCTION(char *, fname, (const PGresult *result, int column), (result, column))
FUNCTION(void, freeCancel, (PGcancel *cancel), (cancel))
FUNCTION(void, freemem, (void *memory), (memory))
FUNCTION(Oid, ftype, (const PGresult *result, int column), (result, column))
FUNCTION(PGcancel *, getCancel, (PGconn *connection), (connection))
FUNCTION(int, getCopyData, (PGconn *connection, char **row, int isAsync), (connection, row, isAsync))
FUNCTION(PGresult *, getResult, (PGconn *connection), (connection))
FUNCTION(int, getisnull, (const PGresult *result, int row, int column), (result, row, column))
FUNCTION(int, getlength, (const PGresult *result, int row, int column), (result, row, column))
FUNCTION(char *, getvalue, (const PGresult *result, int row, int column), (result, row, column))
FUNCTION(int, gssEncInUse, (PGconn *connection), (connection))
FUNCTION(char *, host, (const PGconn *connection), (connection))
FUNCTION(int, isBusy, (PGconn *connection), (connection))
FUNCTION(int, nfields, (const PGresult *result), (result))
FUNCTION(PGnotify *, notifies, (PGconn *connection), (connection))
FUNCTION(int, ntuples, (const PGresult *result), (result))
FUNCTION(const char *, parameterStatus, (const PGconn *connection, const char *name), (connection, name))
FUNCTION(char *, options, (const PGconn *connection), (connection))
FUNCTION(PGpipelineStatus, pipelineStatus, (const PGconn *connection), (connection))
FUNCTION(int, pipelineSync, (PGconn *connection), (connection))
FUNCTION(char *, port, (const PGconn *connection), (connection))
FUNCTION(int, putCopyData, (PGconn *connection, const char *bytes, int count), (connection, bytes, count))
FUNCTION(int, putCopyEnd, (PGconn *connection, const char *reason), (connection, reason))
FUNCTION(char *, resultErrorField, (const PGresult *result, int field), (result, field))
FUNCTION(char *, resultErrorMessage, (const PGresult *result), (result))
FUNCTION(ExecStatusType, resultStatus, (const PGresult *result), (result))
FUNCTION(int, sendFlushRequest, (PGconn *connection), (connection))
FUNCTION(int, sendPrepare,
    (PGconn *connection, const char *name, const char *sql, int count, const Oid *types),
    (connection, name, sql, count, types))
FUNCTION(int, sendQuery, (PGconn *connection, const char *sql), (connection, sql))
FUNCTION(int, sendQueryParams,
    (PGconn *connection, const char *sql, int count, const Oid *types, const char *const *values,
     const int *lengths, const int *formats, int resultFormat),
    (connection, sql, count, types, values, lengths, formats, resultFormat))
FUNCTION(int, sendQueryPrepared,
    (PGconn *connection, const char *name, int count, const char *const *values, const int *lengths,
     const int *formats, int resultFormat),
    (connection, name, count, values, lengths, formats, resultFormat))
FUNCTION(int, serverVersion, (const PGconn *connection), (connection))
FUNCTION(PGVerbosity, setErrorVerbosity,
    (PGconn *connection, PGVerbosity verbosity),
    (connection, verbosity))
FUNCTION(PQnoticeReceiver, setNoticeReceiver,
    (PGconn *connection, PQnoticeReceiver receiver, void *context),
    (connection, receiver, context))
FUNCTION(int, setSingleRowMode, (PGconn *connection), (connection))
FUNCTION(int, setnonblocking, (PGconn *connection, int isNonblocking), (connection, isNonblocking))
FUNCTION(int, socket, (const PGconn *connection), (connection))
FUNCTION(int, sslInUse, (PGconn *connection), (connection))
FUNCTION(ConnStatusType, status, (const PGconn *connection), (connection))
FUNCTION(PGTransactionStatusType, transactionStatus, (const PGconn *connection), (connection))
