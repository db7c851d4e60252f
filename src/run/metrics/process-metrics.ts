import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Clock } from '../../base/clock.ts';

const RESOLUTION_MS = 20;
const NANOSECONDS = 1e9;

const openFiles = (): number | undefined => {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return undefined; // not Linux
  }
};

/**
 * Metrics of this process, under the names of Prometheus client libraries. prom-client's own
 * collection cannot be stopped, and a process may start several services.
 * @returns a function that stops collecting
 */
export const addProcessMetrics = (registry: Registry, clock: Clock): (() => void) => {
  const registers = [registry];
  const startedAt = clock.now() / 1000 - process.uptime();
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const gauge = (name: string, help: string, read: () => number | undefined): void => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        const value = read();
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  };
  gauge('process_start_time_seconds', 'Start of the process, Unix time.', () => startedAt);
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'CPU time of the process.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  gauge(
    'process_resident_memory_bytes',
    'Resident memory of the process.',
    process.memoryUsage.rss,
  );
  gauge(
    'nodejs_heap_size_used_bytes',
    'JavaScript heap in use.',
    () => process.memoryUsage().heapUsed,
  );
  gauge('process_open_fds', 'Open file descriptors, if the system reports them.', openFiles);
  const lag = (name: string, help: string, readNs: () => number): void =>
    gauge(
      `nodejs_eventloop_lag_${name}_seconds`,
      `${help} delay of the event loop since the last scrape.`,
      () => {
        const ns = readNs();
        return Number.isFinite(ns) ? Math.max(0, ns / NANOSECONDS - RESOLUTION_MS / 1000) : 0;
      },
    );
  lag('p50', 'Median', () => delay.percentile(50));
  lag('p99', '99th percentile of the', () => delay.percentile(99));
  lag('max', 'Longest', () => {
    const longest = delay.max;
    delay.reset();
    return longest;
  });
  return () => void delay.disable();
};
