import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Clock } from '../../base/clock.ts';

const RESOLUTION_MS = 20;
const NANOSECONDS = 1e9;

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
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'Start of the process, Unix time.',
    registers,
  }).set(startedAt);
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
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory of the process.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Gauge({
    name: 'nodejs_heap_size_used_bytes',
    help: 'JavaScript heap in use.',
    registers,
    collect() {
      this.set(process.memoryUsage().heapUsed);
    },
  });
  new Gauge({
    name: 'process_open_fds',
    help: 'Open file descriptors, if the system reports them.',
    registers,
    collect() {
      try {
        this.set(readdirSync('/proc/self/fd').length);
      } catch {
        this.remove(); // no Linux
      }
    },
  });
  const lag = (name: string, help: string, readNs: () => number): void => {
    new Gauge({
      name: `nodejs_eventloop_lag_${name}_seconds`,
      help: `${help} delay of the event loop since the last scrape.`,
      registers,
      collect() {
        const ns = readNs();
        this.set(Number.isFinite(ns) ? Math.max(0, ns / NANOSECONDS - RESOLUTION_MS / 1000) : 0);
      },
    });
  };
  lag('p50', 'Median', () => delay.percentile(50));
  lag('p99', '99th percentile of the', () => delay.percentile(99));
  lag('max', 'Longest', () => {
    const longest = delay.max;
    delay.reset();
    return longest;
  });
  return () => void delay.disable();
};
