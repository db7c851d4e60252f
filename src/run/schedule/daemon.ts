/** Lock name of a running daemon. */
export const DAEMON = 'schedule';

/** Name under which a running service is found in the locks of a data directory. */
export const SERVING = 'serve';
