import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { reportPage } from '../../alerts/report/report-page.ts';
import { sendReports } from '../../alerts/report/send-report.ts';
import { lastWholeWeek, parseWeek, type Week } from '../../alerts/report/week.ts';
import { weeklyReport } from '../../alerts/report/weekly-report.ts';
import { EXIT, fullDiskOf, LakeError, messageOf, UsageError } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import { plainHandle } from '../../base/wire/folding.ts';
import { type Lake, openLake } from '../../lake/open.ts';
import { creatorProfile } from '../../lake/read/creator-profile.ts';
import { watchTagNames } from '../../lake/watches/tag-lens.ts';
import { foldTag } from '../../lake/watches/watches.ts';
import { type CliIo, configOf } from '../context/io.ts';
import { lakeToRead } from '../context/lakes.ts';
import { platformOption, repeatable, targetOption } from '../context/option-values.ts';
import { counted } from '../text/figures.ts';

const HELP = `
One page that needs nothing else: what rose, what fell, who, which tags, with charts, and what was
measured how. It prints well, also to PDF from a browser.

Examples:
  trendlake report                                   the last whole week, into report-<week>.html
  trendlake report --week 2026-W46 --platform tiktok
  trendlake report --week 2026-11-12 --creator somebody --out somebody.html
  trendlake report --tag acme                        what the watches of a tag cover
  trendlake report --send --to smtps://...           by mail; also Slack, Discord, Teams, webhooks
  trendlake report --out -                           to stdout`;

interface Options {
  week?: string;
  platform?: Platform;
  creator?: string;
  tag?: string;
  send?: boolean;
  to: string[];
  out?: string;
}

const weekNamed = (text: string | undefined, now: number): Week => {
  if (text === undefined) return lastWholeWeek(now);
  const week = parseWeek(text);
  if (week === undefined)
    throw new UsageError(
      `--week must be an ISO week such as 2026-W46, or a date in it such as 2026-11-12; it is "${text}".`,
    );
  if (week.from > now)
    throw new UsageError(`The week ${week.name} has not begun, so there is nothing to report.`);
  return week;
};

/**
 * @throws UsageError if no creator has this handle: a page of zeros would look like a real report
 */
const requireSeen = (lake: Lake, { platform, creator }: Options, now: number): void => {
  if (creator === undefined) return;
  const seen = { handle: plainHandle(creator), asOf: now, limit: 1 };
  const platforms = platform === undefined ? PLATFORMS : [platform];
  if (platforms.some((platform) => creatorProfile(lake, { ...seen, platform }) !== undefined))
    return;
  throw new UsageError(
    `No creator "${seen.handle}" is in the lake${platform === undefined ? '' : ` on ${platform}`}. Find handles with \`${commandText('query "select platform, handle from creators"')}\`.`,
  );
};

/** Sends the report to `--to`, or to the targets of TRENDLAKE_REPORT. */
const send = async (options: Options, io: CliIo): Promise<void> => {
  const { report, publicUrl, dataDir } = configOf(io);
  if (options.platform !== undefined || options.creator !== undefined || options.out !== undefined)
    throw new UsageError('--send sends a whole report. Leave out --platform, --creator and --out.');
  const targets =
    options.to.length > 0
      ? options.to.map((text) => targetOption('--to', text))
      : (report?.to.map((target) => target.reveal()) ?? []);
  if (targets.length === 0)
    throw new UsageError('No target is known. Add --to TARGET, or set TRENDLAKE_REPORT.');
  const week = weekNamed(options.week, io.clock.now());
  const tags = options.tag === undefined ? (report?.tags ?? []) : [options.tag];
  const { clock, env, signal } = io;
  using lake = openLake(dataDir, { report: io.err });
  const order = { week, tags, targets, again: true };
  const { sent, failures } = await sendReports(lake, order, { clock, env, signal, publicUrl });
  if (failures.length > 0) io.exitCode = EXIT.failed;
  if (io.isJson) io.json({ week: week.name, sent, failures });
  else {
    for (const failure of failures) io.err(`Could not send a report: ${failure}.`);
    io.out(`${counted(sent, 'report')} of ${week.name} sent.`);
  }
};

/** @throws UsageError if no watch has this tag */
const requireTag = (lake: Lake, tag: string | undefined): void => {
  const known = watchTagNames(lake);
  if (tag === undefined || known.includes(foldTag(tag))) return;
  throw new UsageError(
    `No watch has the tag "${tag}". ${known.length === 0 ? `Add one with \`${commandText('watch add')} --tag\`.` : `Use one of: ${known.join(', ')}.`}`,
  );
};

const fileNameOf = (week: Week, tag: string | undefined): string => {
  const of = tag === undefined ? '' : `-${foldTag(tag).replace(/[^\p{L}\p{N}]+/gu, '-')}`;
  return `report-${week.name}${of}.html`;
};

const run = async (options: Options, io: CliIo): Promise<void> => {
  const { platform, creator, tag } = options;
  if (options.send === true) return await send(options, io);
  if (options.to.length > 0) throw new UsageError('--to needs --send.');
  const week = weekNamed(options.week, io.clock.now());
  using lake = lakeToRead(io);
  requireSeen(lake, options, io.clock.now());
  requireTag(lake, tag);
  const report = await weeklyReport(lake, { week, platform, creator, tag }, io.clock);
  const page = await reportPage(report);
  if (options.out === '-') {
    io.data(page);
    return;
  }
  const file = resolve(io.cwd, options.out ?? fileNameOf(week, tag));
  try {
    writeFileSync(file, page);
  } catch (error) {
    const full = fullDiskOf(error);
    if (full !== undefined)
      throw new LakeError(`The report cannot be written to ${file}: ${full}. Make room.`, {
        cause: error,
      });
    throw new UsageError(
      `The report cannot be written to ${file}: ${messageOf(error)}. Choose another --out.`,
    );
  }
  const { risers, fallers, creators, measured } = report;
  io.show(
    {
      file,
      week: week.name,
      risers: risers.length,
      fallers: fallers.length,
      creators: creators.length,
      measured,
    },
    () => `The week ${week.name} is in ${file}. Open it in a browser, or print it to PDF.`,
  );
};

export const define = (command: Command, io: CliIo): void => {
  command
    .option('--week <week>', 'ISO week or a date in it; default: the last whole week')
    .addOption(platformOption('one platform only'))
    .option('--creator <handle>', 'videos of one creator only')
    .option('--tag <tag>', 'what the watches of a tag cover')
    .option('--send', 'send it to the targets of TRENDLAKE_REPORT, one for each of its tags')
    .addOption(repeatable('--to <target>', 'with --send: send it there; repeat for several'))
    .option('--out <file>', 'output file; - is stdout')
    .option('--json', 'print what was written as one JSON document')
    .addHelpText('after', HELP)
    .action((options: Options) => run(options, io));
};
