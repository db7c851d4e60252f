import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { launch, type Page } from 'puppeteer-core';
import { reportMail } from '../src/alerts/report/report-mail.ts';
import { lastWholeWeek } from '../src/alerts/report/week.ts';
import { weeklyReport } from '../src/alerts/report/weekly-report.ts';
import { virtualClock } from '../src/base/clock.ts';
import { openLakeForReading } from '../src/lake/open.ts';

// Takes the pictures in docs/pictures from the sandbox at a fixed day, so that they are the same each time.
// Needs Chromium (CHROME_PATH or PATH) and fonts for all scripts, such as Noto. Takes some minutes.
//
//   npm run docs pictures
//   npm run docs pictures -- FOLDER     use the lake of an earlier demo

const LAST_NIGHT = '2026-11-21';
const NIGHTS = 30; // so that forecasts and changes are known
const AT = `${LAST_NIGHT}T00:20:00Z`;

interface PictureSubjects {
  readonly video: string;
  readonly creator: string;
  readonly hashtag: string;
}

interface Picture {
  readonly file: string;
  readonly path: (subjects: PictureSubjects) => string;
  readonly height: number;
}

const WIDTH = 1280;
const PICTURES: readonly Picture[] = [
  { file: 'trends', path: () => '/trends', height: 860 },
  { file: 'video', path: ({ video }) => video, height: 1000 },
  { file: 'pipeline', path: () => '/pipeline', height: 1000 },
];

const PHONE_WIDTH = 390;
/** Pages in docs/pictures/pages: light on a desk, dark on a phone. */
const PAGES: readonly Omit<Picture, 'height'>[] = [
  { file: 'overview', path: () => '/' },
  { file: 'trends', path: () => '/trends' },
  { file: 'list', path: () => '/trends/tiktok?list=week' },
  { file: 'video', path: ({ video }) => video },
  { file: 'creators', path: () => '/creators' },
  { file: 'creator', path: ({ creator }) => creator },
  { file: 'hashtags', path: () => '/hashtags' },
  { file: 'hashtag', path: ({ hashtag }) => hashtag },
  { file: 'forecasts', path: () => '/forecasts' },
  { file: 'events', path: () => '/events' },
  { file: 'changes', path: () => '/diff' },
  { file: 'search', path: () => '/search?q=cat' },
  { file: 'pipeline', path: () => '/pipeline' },
  { file: 'query', path: () => '/query' },
  { file: 'watching', path: () => '/watching' },
  { file: 'alerts', path: () => '/alerts' },
  { file: 'reference', path: () => '/docs' },
];

const root = join(import.meta.dirname, '..');
const pictures = join(root, 'docs', 'pictures');
const bin = join(root, 'src/cli/bin.js');

const chromium =
  process.env.CHROME_PATH ??
  (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) =>
      ['chromium', 'chromium-browser', 'google-chrome'].map((name) => join(folder, name)),
    )
    .find((path) => spawnSync(path, ['--version']).status === 0);
if (chromium === undefined)
  throw new Error('No browser was found: install Chromium, or name one in CHROME_PATH.');

const makeDemo = (dataDir: string): void => {
  const demo = ['demo', '--nights', String(NIGHTS), '--at', LAST_NIGHT, '--data-dir', dataDir];
  const { status } = spawnSync(process.execPath, [bin, ...demo], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`The demo ended with ${status}.`);
};

/** `trendlake serve` over a lake, at the instant of the pictures. */
const serve = async (
  dataDir: string,
): Promise<{ dashboard: string; stop: () => Promise<unknown> }> => {
  const child = spawn(
    process.execPath,
    [bin, 'serve', '--json', '--port', '0', '--at', AT, '--data-dir', dataDir],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { dashboard } = JSON.parse(line) as { dashboard: string };
  const stop = () => {
    child.kill('SIGTERM');
    return once(child, 'exit');
  };
  return { dashboard, stop };
};

/** Takes the picture of a report by mail, as a mail client shows it. */
const takeMail = async (dataDir: string, page: Page): Promise<void> => {
  const clock = virtualClock(Date.parse(AT));
  const lake = openLakeForReading(dataDir);
  const report = await weeklyReport(lake, { week: lastWholeWeek(clock.now()) }, clock);
  lake.close();
  const { body, files } = await reportMail(report, 'https://trends.example');
  const shown = files.reduce(
    (text, { cid, contentType, content }) =>
      cid === undefined
        ? text
        : text.replace(
            `cid:${cid}"`,
            `data:${contentType};base64,${Buffer.from(content).toString('base64')}"`,
          ),
    body,
  );
  await page.setViewport({ width: 720, height: 860, deviceScaleFactor: 1.5 });
  await page.setContent(shown);
  await page.screenshot({ path: join(pictures, 'mail.webp'), type: 'webp', quality: 80 });
};

const folder = mkdtempSync(join(tmpdir(), 'trendlake-pictures-'));
try {
  const [given] = process.argv.slice(2);
  const dataDir = given ?? join(folder, 'data');
  if (given === undefined) makeDemo(dataDir);
  const { dashboard, stop } = await serve(dataDir);
  const browser = await launch({
    executablePath: chromium,
    userDataDir: join(folder, 'profile'),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--lang=en'],
  });
  try {
    const page = await browser.newPage();
    const inLight = [{ name: 'prefers-color-scheme', value: 'light' }];
    await page.setViewport({ width: WIDTH, height: 900 });
    await page.emulateMediaFeatures(inLight);
    const first = async (path: string, links: string): Promise<string> => {
      await page.goto(new URL(path, dashboard).href);
      return page.evaluate(`document.querySelector('${links}').pathname`) as Promise<string>;
    };
    const subjects: PictureSubjects = {
      video: await first('/trends/tiktok?list=week', 'tbody tr:nth-child(2) a.title'),
      creator: await first('/creators', 'tbody tr a'),
      hashtag: await first('/hashtags', 'tbody tr:nth-child(5) a'),
    };
    const take = async ({ path, file, height }: Picture, width: number): Promise<void> => {
      await page.setViewport({ width, height });
      await page.goto(new URL(path(subjects), dashboard).href, { waitUntil: 'load' });
      const at = join(pictures, `${file}.webp`);
      await page.screenshot({ path: at, type: 'webp', quality: 70 });
    };
    mkdirSync(join(pictures, 'pages'), { recursive: true });
    for (const picture of PICTURES) await take(picture, WIDTH);
    for (const picture of PAGES)
      await take({ ...picture, file: `pages/${picture.file}`, height: 1000 }, WIDTH);
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    for (const picture of PAGES)
      await take({ ...picture, file: `pages/${picture.file}-phone`, height: 844 }, PHONE_WIDTH);
    await page.emulateMediaFeatures(inLight);
    await takeMail(dataDir, page);
  } finally {
    await browser.close();
    await stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
}
