/** Tests that fail if a promise of docs/internals/promises.md is broken: files, and a part of each name. */
export const PROMISED_TESTS: readonly (readonly (readonly [path: string, name: string])[])[] = [
  [
    [
      'test/upstream/throttle/ledger.test.ts',
      'no more calls arrive in any minute than allowed, and all are in the ledger',
    ],
    [
      'test/upstream/throttle/ledger.test.ts',
      'the month is never overspent by a clock that is behind after its first call',
    ],
    ['test/upstream/throttle/ledger.test.ts', 'a call whose outcome is unknown counts as spent'],
    ['test/upstream/throttle/throttle.test.ts', 'keeps the pace, retries included'],
    ['test/kills/kills.test.ts', 'a process that dies at a named point loses and repeats nothing'],
    [
      'test/faults/anywhere.test.ts',
      'whatever faults meet a run, and wherever, the lake ends as without them',
    ],
    [
      'test/run/maintenance/doctor.test.ts',
      'keeps counting calls made since the backup after a restore',
    ],
  ],
  [
    ['test/kills/every-instant.test.ts', 'instants of a run, spread over all of its steps'],
    ['test/kills/kills.test.ts', 'a process that dies at a named point loses and repeats nothing'],
    ['test/kills/random.test.ts', 'kills at random instants, exports included'],
    [
      'test/kills/opening.test.ts',
      'killed while a lake is made, the next open makes it whole and leaves nothing over',
    ],
    [
      'test/kills/opening.test.ts',
      'killed in a migration of a lake that holds data: the old one or the new one',
    ],
    [
      'test/kills/opening.test.ts',
      'no empty lake is made, the next restore completes it, every call counted',
    ],
    [
      'test/kills/opening.test.ts',
      'while another holds the lake open: the calls in its journal are counted',
    ],
    ['test/run/run/machine.test.ts', 'no call after those in flight, nothing half, and it goes on'],
    ['test/run/run/machine.test.ts', 'an earlier commit, whole, and the next sync makes up for it'],
    ['test/run/run/disk-errors.test.ts', 'words, and the next time all is done'],
    ['test/ingest/writers/import.test.ts', 'a kill in the middle loses and repeats nothing'],
  ],
  [
    ['test/ingest/writers/merge-video.test.ts', 'merging the same again changes nothing'],
    [
      'test/ingest/responses/replay.test.ts',
      'a replay over what is there changes nothing and touches no partition',
    ],
    [
      'test/ingest/writers/import.test.ts',
      'the same file again changes nothing; two rows at one instant are one, whichever way',
    ],
    [
      'test/output/parquet/export-lake.test.ts',
      'the first export writes everything, the second nothing',
    ],
    ['test/run/run/machine.test.ts', 'stores the same rows however often it syncs'],
  ],
  [
    ['test/faults/catalogue.test.ts', 'fault catalogue'],
    ['test/cli/text/drift.test.ts', 'sync and status report drift once, with its first sample'],
    [
      'test/ingest/responses/replay.test.ts',
      'drop the loaded tables, replay, equal: into the same lake and into a fresh one',
    ],
    [
      'test/ingest/responses/replay.test.ts',
      'a response that could not be read when it came is loaded once the decoder can',
    ],
  ],
  [
    ['test/run/run/pause.test.ts', 'spent is not failed'],
    [
      'test/run/run/pause.test.ts',
      'pauses a run at the end of the quota and resumes it next month, without repeating calls',
    ],
    ['test/run/schedule/schedule.test.ts', 'resumes a paused batch when calls are available'],
    ['test/faults/catalogue.test.ts', '429 with a wait of hours: paused, not failed, until then'],
    ['test/run/run/stopping.test.ts', 'everything committed, exit code 75, the next sync goes on'],
    ['test/run/run/stopping.test.ts', 'processes asked to stop did, within'],
  ],
  [
    [
      'test/ingest/writers/absence.test.ts',
      'a list that lacks what it had deletes nothing, and says nothing of its counts',
    ],
    [
      'test/ingest/writers/absence.test.ts',
      'a gap between two snapshots is seen as one: no row in between, its length beside the gain',
    ],
    ['test/ingest/writers/merge-video.test.ts', 'an unknown field never erases a known one'],
  ],
  [
    [
      'test/run/run/machine.test.ts',
      'a long read sees one instant and neither blocks nor is blocked',
    ],
    ['test/serve/heavy-reads.test.ts', 'does not delay reads on the main thread'],
    ['test/serve/heavy-reads.test.ts', 'is, byte for byte, what is read here'],
    [
      'test/serve/reader-threads.test.ts',
      'stops a read after the deadline and starts a new thread for the next one',
    ],
    [
      'test/serve/list-cache.test.ts',
      'a list computed while the lake was written to is given, and never taken for the newer lake',
    ],
    [
      'test/output/parquet/kill.test.ts',
      'an export killed at any point: readers meet whole files only, the next one completes it',
    ],
    [
      'test/output/parquet/kill.test.ts',
      'whole files, old or new; what the manifest names stands; the next one completes it',
    ],
    ['test/output/parquet/kill.test.ts', 'its order on the disk survives a power cut'],
    [
      'test/output/parquet/torn.test.ts',
      'reads of Parquet files while they are exported again and again: none torn',
    ],
    [
      'test/output/parquet/full-disk.test.ts',
      'a full disk is one clear error, wherever it strikes; existing files are untouched',
    ],
  ],
  [
    [
      'test/serve/fixpoint.test.ts',
      'a lake served, synced, served and synced again: equal lakes, equal responses',
    ],
    [
      'test/serve/pulled-lists.test.ts',
      'the latest pulled list comes as pulled: order, total, counts, further fields, its instant',
    ],
  ],
  [
    [
      'test/architecture.test.ts',
      'the time is handed in: only the rims read it, wait by themselves or roll dice',
    ],
    ['test/serve/computed-lists.test.ts', 'as of an instant'],
    ['test/run/run/machine.test.ts', 'in the middle of a run changes nothing of what is kept'],
    ['test/run/schedule/schedule.test.ts', 'is due once in the night the clocks change'],
  ],
  [
    ['test/faults/catalogue.test.ts', 'to another host: not followed, the key stays'],
    [
      'test/faults/catalogue.test.ts',
      'answers and errors that say the key back leave no trace of it',
    ],
    ['test/base/config/config.test.ts', 'prints a key as [hidden]'],
    ['test/base/config/config.test.ts', 'does not quote a refused'],
    [
      'test/cli/context/log.test.ts',
      'with a file, lines are appended there and stderr stays for people; the key is in neither',
    ],
  ],
];
