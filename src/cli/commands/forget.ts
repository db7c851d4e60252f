import type { Command } from 'commander';
import type { Platform } from '../../../schema/vocabulary.ts';
import { EXIT, messageOf, UsageError } from '../../base/errors.ts';
import { commandText, docsPage } from '../../base/installation.ts';
import { platformOfId } from '../../base/wire/fields.ts';
import type { PersonalSubject } from '../../lake/erased.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import { withPlatform } from '../../lake/watches/resolve-subject.ts';
import { parseSubject } from '../../lake/watches/watch-subject.ts';
import { publishIfConfigured } from '../../output/delta/publish-if-configured.ts';
import type { TableStore } from '../../output/delta/table-store.ts';
import { exportLake } from '../../output/parquet/export-lake.ts';
import {
  type Erasure,
  forgetSubject,
  planErasure,
  withVideos,
} from '../../run/maintenance/forget.ts';
import {
  copiesHolding,
  findCopies,
  namesOfCopies,
  rewriteCopies,
} from '../../run/maintenance/rewrite-copies.ts';
import { type CliIo, configOf } from '../context/io.ts';
import { backupStore, existingLake } from '../context/lakes.ts';
import { platformOption } from '../context/option-values.ts';
import { isConfirmed } from '../context/questions.ts';
import { counted } from '../text/figures.ts';

const EXAMPLES = `
Examples:
  trendlake forget @maker --platform tiktok --dry-run
  trendlake forget @maker --platform tiktok --yes
  trendlake forget tt_7301234567890123456

Erases rows, stored responses, Parquet files and published tables, and keeps the subject out of later
pulls and imports. A creator goes with all videos. Limits: ${docsPage('privacy.md')}.`;

interface Options {
  readonly platform?: Platform;
  readonly dryRun?: boolean;
  readonly rewriteBackups?: boolean;
  readonly yes?: boolean;
}

/** @throws UsageError if it names no creator and no video */
const subjectOf = (lake: Lake, text: string, platform: Platform | null): PersonalSubject => {
  if (/^(@|https?:)/i.test(text)) {
    const { kind, platform: of, subject } = withPlatform(lake, parseSubject(text, { platform }));
    if (kind === 'creator' && of !== null) return { kind, platform: of, handle: subject };
    if (kind === 'video') return { kind, id: subject };
  }
  const isKnown = prepare(lake.sqlite, 'select 1 from video where id = ?', 'number').get(text);
  if (platformOfId(text) !== undefined || isKnown !== undefined) return { kind: 'video', id: text };
  throw new UsageError(
    `"${text}" is neither a creator nor a video of this lake. Write @handle with --platform, or the id of a video such as tt_7301234567890123456.`,
  );
};

const nameOf = (subject: PersonalSubject): string =>
  subject.kind === 'video' ? subject.id : `@${subject.handle} on ${subject.platform}`;

interface Shown extends Erasure {
  readonly backups: readonly string[];
}

const show = (io: CliIo, { rows, files, backups }: Shown, verb: string): void => {
  for (const [table, n] of Object.entries(rows))
    io.out(`  ${table.padEnd(18)} ${counted(n, 'row')}`);
  io.out(
    `${verb} in ${counted(Object.keys(rows).length, 'table')} and ${counted(files, 'Parquet file')}.`,
  );
  if (backups.length === 0) return;
  io.out(
    `These backups hold it, or may: ${backups.join(', ')}. A restore of one erases it again. --rewrite-backups erases it from them.`,
  );
};

interface Work {
  readonly subject: PersonalSubject;
  readonly store: TableStore | undefined;
  readonly rewrites: boolean;
}

const erase = async (lake: Lake, { subject, store, rewrites }: Work, io: CliIo): Promise<Shown> => {
  const config = configOf(io);
  const { clock, signal } = io;
  const options = { clock, signal, upstream: config.upstream };
  const subjects = withVideos(lake, subject);
  const erasure = await forgetSubject(lake, subject, options);
  await exportLake(lake, { clock, codec: config.parquetCodec, here: true, signal });
  const { env, random } = io;
  await publishIfConfigured(lake, config, { clock, random, signal, env }, { purge: true });
  try {
    const copies = await findCopies(lake, { store, clock }, subjects);
    if (!rewrites) return { ...erasure, backups: namesOfCopies(copies, store) };
    const failed = await rewriteCopies(lake, { ...copies, store }, options);
    for (const { name, problem } of failed) io.err(`${name} was not rewritten: ${problem}`);
    if (failed.length > 0) io.exitCode = EXIT.partial;
    return { ...erasure, backups: failed.map(({ name }) => name) };
  } catch (error) {
    signal.throwIfAborted();
    io.exitCode = EXIT.partial;
    io.err(`It is erased from the lake, but backups were not searched: ${messageOf(error)}`);
    const local = copiesHolding(lake.dataDir, subjects);
    return { ...erasure, backups: [...local, ...(store === undefined ? [] : [store.url])] };
  }
};

const forget = async (text: string, options: Options, io: CliIo): Promise<void> => {
  const config = configOf(io);
  const { upstream } = config;
  using lake = existingLake(io);
  const isJson = io.isJson;
  const rewrites = options.rewriteBackups === true;
  using store = await backupStore(undefined, config, io);
  const subject = subjectOf(lake, text, options.platform ?? null);
  if (options.dryRun === true || options.yes !== true) {
    const copies = await findCopies(lake, { store, clock: io.clock }, withVideos(lake, subject));
    const backups = namesOfCopies(copies, store);
    const planned = { ...planErasure(lake, subject, { upstream }), backups };
    if (options.dryRun === true && isJson) return io.json(planned);
    if (!isJson) show(io, planned, 'Found');
    if (options.dryRun === true) return io.out('Nothing was erased (--dry-run).');
    const question = `Erase ${nameOf(subject)} for good?`;
    const asked = { question, done: 'erased', toDo: `erase ${nameOf(subject)}` };
    if (!(await isConfirmed(io, asked))) return io.out('Nothing was erased.');
  }
  const erased = await erase(lake, { subject, store, rewrites }, io);
  if (isJson) return io.json(erased);
  show(io, erased, `Erased ${nameOf(subject)}`);
  io.out(
    `It stays out: later pulls and imports drop it. Check with \`${commandText('query "select * from erased"')}\`.`,
  );
};

export const define = (command: Command, io: CliIo): void => {
  command
    .argument('<subject>', '@handle, or the id or address of a video')
    .addOption(platformOption())
    .option('--dry-run', 'count what would be erased; erase nothing')
    .option('--yes', 'erase without asking')
    .option('--rewrite-backups', 'erase it from backups too, also in TRENDLAKE_BACKUPS_TO')
    .option('--json', 'one object: rows, files, backups')
    .addHelpText('after', EXAMPLES)
    .action((subject: string, options: Options) => forget(subject, options, io));
};
