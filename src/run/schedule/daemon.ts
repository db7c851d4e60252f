/** What a daemon is called in the locks by which others tell that it lives. */
export const DAEMON = 'schedule';
