/** Lock name of a running daemon. */
export const DAEMON = 'schedule';

/** Name under which a running service is found in the locks of a data directory. */
export const SERVING = 'serve';

/** Commands that keep a lake open, by their names in the locks. */
export const LAKE_HOLDERS = [DAEMON, SERVING, 'mcp', 'import'] as const;
