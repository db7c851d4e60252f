/** Lock name of a running daemon. */
export const DAEMON = 'schedule';
