import type { Lake } from '../../src/lake/open.ts';
import type { ApiClient } from '../../src/upstream/client.ts';

/**
 * Places of a run at which a test makes the process die, reached from outside: by temporary
 * triggers on the run's own connection, and by wrapping the client. The product knows nothing of it.
 */
const TRIGGERS: Record<string, string> = {
  'before the ledger row': 'before insert on main.calls',
  'in the transaction of the ledger row': 'after insert on main.calls',
  'in the transaction of a page, at its first video': 'after insert on main.video',
  'in the transaction of a page, at a place of its list': 'after insert on main.ranking',
  'in the transaction of a page, with its body': 'after insert on main.responses',
  'in the transaction of a page, at the done of its item':
    'after update of state on main.run_items',
  'in the transaction of a page, at the touched partitions':
    'after insert on main.touched_partitions',
  'while a job is planned': 'after insert on main.run_items',
  'at the start of a run': 'after insert on main.runs',
  'at the end of a run': 'after update of summary on main.runs',
};
const CLIENT = ['before sending', 'after sending', 'after the response'];
const PROGRESS = 'after the transaction of a page';

/** Every place by name. */
export const KILL_POINTS: readonly string[] = [...Object.keys(TRIGGERS), ...CLIENT, PROGRESS];

/**
 * Calls `reached` whenever the run of this lake and client comes to one of `points`; a process that
 * kills itself there has died at that point.
 */
export const watchPoints = (
  lake: Lake,
  real: ApiClient,
  points: readonly string[],
  reached: (point: string) => void,
): { client: ApiClient; onProgress: () => void } => {
  const reach = (point: string): void => {
    if (points.includes(point)) reached(point);
  };
  lake.sqlite.function('reached', (point: unknown) => {
    reach(String(point));
    return null;
  });
  for (const [n, [point, when]] of Object.entries(TRIGGERS).entries())
    if (points.includes(point))
      lake.sqlite.exec(
        `create temp trigger watch_${n} ${when} begin select reached('${point}'); end`,
      );
  const client: ApiClient = {
    send: async (request, signal) => {
      reach('before sending');
      const response = real.send(request, signal);
      if (points.includes('after sending')) setTimeout(() => reach('after sending'), 1);
      const came = await response;
      reach('after the response');
      return came;
    },
    close: () => real.close(),
  };
  return { client, onProgress: () => reach(PROGRESS) };
};
