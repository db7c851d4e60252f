/** A long test of a promise in docs/internals/promises.md. */
export interface Proof {
  readonly about: string;
  /** Tests that it runs with PROVE set. Without them it is the script prove/NAME.ts. */
  readonly tests?: readonly string[];
  /** True if the files of its tests must not run side by side. */
  readonly serial?: boolean;
  /** Environment variables of the full length, where they are not set. */
  readonly defaults?: Readonly<Record<string, string>>;
  /** Environment variables of the short form. Undefined: it has none. */
  readonly short?: Readonly<Record<string, string>>;
}

/** Every proof, by name. */
export const PROOFS: Readonly<Record<string, Proof>> = {
  kills: {
    about: 'processes killed at random instants lose and repeat nothing',
    tests: [
      'test/kills',
      'test/output/parquet/kill.test.ts',
      'test/output/delta/kills.test.ts',
      'test/alerts/webhooks/killed-sender.test.ts',
      'test/run/run/stopping.test.ts',
    ],
    serial: true,
    defaults: {
      PROVE_KILLS: '2000',
      PROVE_INSTANTS: '1000',
      PROVE_STOPS: '50',
      PROVE_DAEMON_KILLS: '200',
      PROVE_REMOVING_KILLS: '200',
      PROVE_BACKUP_KILLS: '200',
    },
    short: {
      PROVE_KILLS: '200',
      PROVE_INSTANTS: '200',
      PROVE_STOPS: '10',
      PROVE_DAEMON_KILLS: '12',
      PROVE_REMOVING_KILLS: '20',
      PROVE_BACKUP_KILLS: '6',
    },
  },
  fleet: {
    about: 'machines that share a ledger in PostgreSQL keep one pace, also through a failover',
    short: { PROVE_FLEET_MINUTES: '3', PROVE_FLEET_SECONDS: '10' },
  },
  dialects: {
    about: 'services of random dialects: probe finds their words, and sync loads what they serve',
    tests: ['test/sandbox/dialects.test.ts'],
    defaults: { PROVE_DIALECTS: '200' },
    short: { PROVE_DIALECTS: '40' },
  },
  readers: {
    about: 'readers of the Parquet never see half an export',
    tests: ['test/output/parquet/torn.test.ts'],
    defaults: { PROVE_READS: '20000' },
    short: { PROVE_READS: '1000' },
  },
  faults: {
    about: 'faults of the upstream and the disk, anywhere and in any order',
    tests: [
      'test/faults/anywhere.test.ts',
      'test/faults/catalogue.test.ts',
      'test/run/run/disk-errors.test.ts',
    ],
    defaults: { PROVE_FAULTS: '1000' },
    short: { PROVE_FAULTS: '30' },
  },
  tours: {
    about: 'the tours of the docs, typed as they are printed',
    tests: [
      'test/docs/start.test.ts',
      'test/docs/outgrow.test.ts',
      'test/sandbox/demo/cookbook.test.ts',
      'test/sandbox/demo/demo.test.ts',
      'test/sandbox/demo/nights.test.ts',
      'test/sandbox/demo/same-events.test.ts',
      'test/sandbox/demo/outlook.test.ts',
    ],
    short: { PROVE_NIGHTS: '20' },
  },
  draws: {
    about: 'tests by random cases, with all of their cases',
    tests: [
      'test/learn/budget/choice.test.ts',
      'test/alerts/events/notice.test.ts',
      'test/output/parquet/encodings.test.ts',
      'test/output/parquet/write-parquet.test.ts',
      'test/lake/read/as-of.test.ts',
      'test/lake/lists/computed-list.test.ts',
      'test/lake/read/content-items.test.ts',
      'test/lake/search/search.test.ts',
      'test/serve/heavy-reads.test.ts',
      'test/serve/openapi.test.ts',
      'test/upstream/throttle/ledger.test.ts',
      'test/alerts/webhooks/receive.test.ts',
    ],
    short: {},
  },
  client: {
    about: 'a client generated from the OpenAPI document reads every endpoint',
    tests: ['test/serve/generated-client.test.ts'],
    short: {},
  },
  pages: {
    about: 'the pages in a browser: every one in every theme and width, and what they do',
    tests: [
      'test/serve/every-page.test.ts',
      'test/serve/browser.test.ts',
      'test/serve/query-page.test.ts',
    ],
    short: {},
  },
  package: { about: 'the packed package works in an empty project', short: {} },
  image: { about: 'the steps of the Dockerfile, taken without a container engine' },
  security: { about: 'attacks on the service: paths, scopes, targets, bombs, floods' },
  pace: { about: 'two processes on one key stay below its rate, also when killed' },
  soak: {
    about: 'everything at once, with faults, 500 runs and a million requests: memory stays bounded',
    short: { PROVE_SOAK_MINUTES: '1', PROVE_SOAK_RUNS: '20', PROVE_SOAK_REQUESTS: '60000' },
  },
  tables: { about: 'published tables on an S3 server, read by ClickHouse' },
  restore: { about: 'a bucket of an S3 server alone brings a lake back, with all numbers' },
};
