import { SECOND_MS } from '../../base/durations.ts';
import { messageOf } from '../../base/errors.ts';
import type { ProxySettings } from '../../base/proxy.ts';
import type { Secret } from '../../base/secret.ts';

/** Longest wait for the monitor. */
const TIMEOUT_MS = 5 * SECOND_MS;

type Beat = 'start' | 'success' | 'fail';

/**
 * The address of a beat: `base/start`, `base` and `base/fail` as of healthchecks.io, or `status=up`
 * and `status=down` for a push monitor of Uptime Kuma, which knows no start.
 */
export const beatAddress = (base: string, beat: Beat): string | undefined => {
  const url = new URL(base);
  if (url.pathname.includes('/api/push/')) {
    if (beat === 'start') return undefined;
    url.searchParams.set('status', beat === 'success' ? 'up' : 'down');
    return url.href;
  }
  if (beat !== 'success') url.pathname = `${url.pathname.replace(/\/+$/, '')}/${beat}`;
  return url.href;
};

interface HeartbeatDeps {
  readonly heartbeat: Secret;
  readonly proxy: ProxySettings | undefined;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  warn(sentence: string): void;
}

const get = async (address: string, deps: HeartbeatDeps, signal: AbortSignal): Promise<void> => {
  const { request } = await import('undici');
  const { openAgent } = await import('../../base/open-agent.ts');
  const dispatcher = openAgent(deps.proxy);
  try {
    const { statusCode, body } = await request(address, { dispatcher, signal });
    await body.dump({ limit: 65_536, signal });
    if (statusCode > 299) throw new Error(`it answered ${statusCode}`);
  } finally {
    await dispatcher.destroy();
  }
};

/** Reports the start, success or failure of a run to a monitor. Never throws; it has a timeout. */
export const sendBeat = async (beat: Beat, deps: HeartbeatDeps): Promise<void> => {
  const { heartbeat, signal, timeoutMs = TIMEOUT_MS, warn } = deps;
  const address = beatAddress(heartbeat.reveal(), beat);
  if (address === undefined) return;
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    await get(address, deps, AbortSignal.any([signal, deadline]));
  } catch (error) {
    if (signal.aborted) return;
    const why = deadline.aborted
      ? `no response within ${timeoutMs / SECOND_MS} s`
      : messageOf(error).replaceAll(heartbeat.reveal(), '[hidden]');
    warn(`Could not reach TRENDLAKE_HEARTBEAT for ${beat}: ${why}. The run is not affected.`);
  }
};
