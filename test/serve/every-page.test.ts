import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserName, chromium, tell } from '../../fixtures/chromium.ts';
import { JOBS } from '../../jobs/all-jobs.ts';
import { systemClock, virtualClock } from '../../src/base/clock.ts';
import { DAY_MS } from '../../src/base/durations.ts';
import { type Lake, openLake } from '../../src/lake/open.ts';
import { addWatch } from '../../src/lake/watches/watches.ts';
import { PipelineReader } from '../../src/run/pipeline/pipeline-reader.ts';
import { startService } from '../../src/serve/service.ts';
import type { RunningService } from '../../src/serve/service-options.ts';
import { freshFolder } from '../support/fresh.ts';
import { smallConfig } from '../support/sync-once.ts';
import { browserTab, HURRIED, setView, type View } from './browser-tab.ts';
import { type Filler, fillLake, hoursAgo, NOW } from './filled-lake.ts';
import { fillPages } from './page-lake.ts';
import { type Running, runService } from './running.ts';

// Every page of the dashboard in a real browser. Each is seen once, one in light at a desk's width,
// the next in dark on a phone and so on; with PROVE set each in all of them (npm run prove pages).

/** The checker as text for a page: the short form, as every page is handed all of it. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

const SQL = "select observed_at, views from video_history where id = 'tt_1' order by 1";
const PAST = 'asOf=2026-03-09T12:00Z';

/** Every page, and what it looks like where there is little or nothing to show. */
const PAGES = [
  '/',
  `/?${PAST}`,
  '/trends',
  '/trends/tiktok',
  '/trends/youtube?list=week',
  '/videos/tt_1',
  '/videos/yt_1',
  '/creators',
  '/creators/tiktok/mira',
  '/hashtags',
  '/hashtags/dance',
  '/forecasts',
  '/events',
  `/events?${PAST}`,
  '/search',
  '/search?q=clip',
  '/search?q=nothing',
  '/pipeline',
  '/pipeline?run=1',
  `/pipeline?${PAST}`,
  '/query',
  `/query?${new URLSearchParams({ sql: SQL })}`,
  '/query?sql=selec',
  '/docs',
  '/diff',
  '/alerts',
  `/diff?${PAST}`,
  '/diff?list=feed&from=7d&change=climbed',
  '/compare',
  '/compare?creators=@mira,@theo&platform=tiktok',
  '/compare?creators=@nobody',
  '/compare?videos=tt_1,tt_2',
  '/trends?tag=acme',
  '/trends/tiktok?tag=acme',
  '/forecasts?tag=acme',
  '/watching?tag=acme',
  `/query?${new URLSearchParams({ sql: 'select user, count(*) as n from videos group by 1' })}`,
];
const VIEWS: readonly View[] = (['light', 'dark'] as const).flatMap((scheme) =>
  [1280, 768, 390].map((width) => ({ scheme, width })),
);
/** The views one page is checked in: one, another for each page, or all of them. */
const viewsOf = (page: number): readonly View[] =>
  process.env.PROVE === undefined ? VIEWS.slice((page * 5) % VIEWS.length).slice(0, 1) : VIEWS;

const fillMore = ({ sqlite }: Lake): void => {
  const run = sqlite.prepare(
    'insert into runs (started_at, finished_at, outcome, heartbeat_at, jobs, summary) values (?, ?, ?, ?, ?, ?)',
  );
  run.run(
    hoursAgo(26),
    hoursAgo(25),
    'failed',
    hoursAgo(25),
    '["feed","growth"]',
    '{"reason":"away"}',
  );
  run.run(hoursAgo(2), hoursAgo(1), 'complete', hoursAgo(1), '["feed"]', '{}');
  const reason = '{"rule":"due","worthHours":3,"priceHours":2,"ageHours":9,"sinceRefreshHours":4}';
  sqlite
    .prepare(
      "insert into run_items (run_id, job, request, request_json, position, state, attempts, error, reason) values (1, 'growth', 'GET /videos/tt_1/growth', '{}', 1, 'failed', 2, 'HTTP 500', ?)",
    )
    .run(reason);
  sqlite
    .prepare(
      "insert into calls (run_id, job, request, sent_at, finished_at, status, error, sender) values (1, 'growth', 'GET /videos/tt_1/growth', ?, ?, 500, 'HTTP 500', 'x')",
    )
    .run(hoursAgo(26), hoursAgo(26) + 90);
  sqlite
    .prepare(
      "insert into drift (resource, field, first_seen_at, sample) values ('growth', 'mood', ?, '1')",
    )
    .run(hoursAgo(26));
};

const event = (into: Filler, id: string, hours: number): void =>
  into.event({ id, kind: 'trend.spike', platform: 'tiktok', at: hoursAgo(hours) });

const fill = (into: Filler): void => {
  fillPages(into);
  event(into, 'evt_old', 30);
};

describe.skipIf(chromium === undefined)(browserName, () => {
  let service: RunningService;
  let pipeline: PipelineReader;
  let empty: Running;
  const tab = browserTab();
  const dataDir = freshFolder();

  beforeAll(async () => {
    fillLake(dataDir, fill);
    const lake = openLake(dataDir);
    fillMore(lake);
    const watch = { kind: 'video', platform: 'tiktok', subject: 'tt_1', tags: ['acme'] } as const;
    addWatch(lake, { ...watch, everyMs: DAY_MS, note: null, until: null }, NOW);
    lake.close();
    const config = smallConfig(dataDir, 'http://127.0.0.1:9/v1', { pricePer1000: '2 EUR' });
    pipeline = new PipelineReader({ dataDir, config, jobs: JOBS, chores: [] });
    const clocks = { clock: virtualClock(NOW), machine: systemClock };
    service = await startService({ dataDir, ...clocks, pipeline });
    empty = await runService(() => undefined);
  });
  afterAll(async () => {
    await service?.close();
    await pipeline?.close();
  });

  const visit = (path: string, see: (page: Page) => Promise<void>, view: View = {}, of = service) =>
    tab().visit(new URL(path, of.dashboard), view, see);

  const violations = async (page: Page): Promise<string[]> => {
    await page.evaluate(AXE);
    return tell<string[]>(
      page,
      `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
        violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map((node) => id + ': ' + node.html.slice(0, 120) + ' ' + node.failureSummary.slice(0, 160))))`,
    );
  };
  const TOO_WIDE = `[document.documentElement, ...document.querySelectorAll('section')]
    .filter((one) => one.scrollWidth > one.clientWidth + 1)
    .map((one) => one.innerText.slice(0, 40) + ' ' + one.scrollWidth + ' > ' + one.clientWidth)`;
  const check = async (page: Page, views: readonly View[]): Promise<void> => {
    for (const view of views) {
      await setView(page, view);
      expect([view, await violations(page)]).toEqual([view, []]);
      expect([view, await tell(page, TOO_WIDE)]).toEqual([view, []]);
    }
  };

  test.each(PAGES.map((path, at) => ({ path, at })))(
    '$path: nothing for an accessibility checker to find, and it fits',
    ({ path, at }) => {
      const views = viewsOf(at);
      return visit(path, (page) => check(page, views), views[0]);
    },
  );

  test.each(['/', '/trends', '/creators', '/hashtags', '/events'])(
    'an empty lake says how to fill it, with commands to copy: %s',
    async (path) => {
      const views = viewsOf(3);
      await visit(
        path,
        async (page) => {
          await check(page, views);
          const texts = `[...document.querySelectorAll('.commands li')].map((one) => one.innerText)`;
          const commands = await tell<string[]>(page, texts);
          expect(commands.length).toBeGreaterThanOrEqual(3);
          for (const command of commands) expect(command).toMatch(/trendlake .*copy$/s);
        },
        views[0],
        empty.service,
      );
    },
  );

  test('rows of the platforms side by side start at the same height', () =>
    visit(
      '/trends',
      async (page) => {
        const tops = await tell<number[]>(
          page,
          `[...document.querySelectorAll('.sided h2')].map((one) => one.getBoundingClientRect().height)`,
        );
        expect(tops).toHaveLength(3);
        expect(new Set(tops).size).toBe(1);
        const rows = await tell<number[]>(
          page,
          `[...document.querySelectorAll('.sided tbody tr')].map((one) => one.getBoundingClientRect().height)`,
        );
        expect(rows.length).toBeGreaterThan(20);
        expect(Math.max(...rows) - Math.min(...rows)).toBeLessThan(2); // the last one has no rule
      },
      { width: 1280 },
    ));

  test('keys: Tab meets the way past the navigation first, / the search, arrows travel in time', () =>
    visit('/events', async (page) => {
      const at = (what: string) => tell<string>(page, `document.activeElement.${what}`);
      await page.keyboard.press('Tab');
      expect(await at('className')).toBe('skip');
      expect(await tell(page, `getComputedStyle(document.activeElement).outlineStyle`)).toBe(
        'solid',
      );
      const gone = (key: 'ArrowLeft' | 'ArrowRight') =>
        Promise.all([page.waitForNavigation(), page.keyboard.press(key)]);
      await gone('ArrowLeft');
      expect(page.url()).toContain('asOf=2026-03-09T12%3A00Z');
      await gone('ArrowLeft');
      expect(page.url()).toContain('asOf=2026-03-08T12%3A00Z');
      await gone('ArrowRight');
      await gone('ArrowRight');
      expect(page.url()).not.toContain('asOf');
      await Promise.all([page.waitForNavigation(), page.keyboard.press('/')]);
      expect(new URL(page.url()).pathname).toBe('/search');
      await page.keyboard.press('/');
      expect(await at('name')).toBe('q');
      await page.keyboard.type('a/b');
      expect(await at('value')).toBe('a/b');
    }));

  test('a page that is open and in sight follows the lake, keeps what was opened, and says so', () =>
    visit(
      '/events',
      async (page) => {
        await page.waitForSelector('#live.on ::-p-text(live)');
        const rows = `document.querySelectorAll('.event').length`;
        const before = Number(await tell(page, rows));
        expect(before).toBeGreaterThan(0);
        await tell(page, `window.isSame = true`);
        fillLake(dataDir, (into) => event(into, 'evt_new', 3));
        await page.waitForFunction(`${rows} === ${before + 1}`);
        expect(await tell(page, `window.isSame`)).toBe(true); // it was not reloaded
        const hide = (isHidden: boolean) =>
          tell(
            page,
            `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
          );
        await hide(true);
        fillLake(dataDir, (into) => event(into, 'evt_newer', 2));
        expect(await tell(page, rows)).toBe(before + 1);
        await hide(false);
        await page.waitForFunction(`${rows} === ${before + 2}`);
      },
      { first: HURRIED },
    ));

  test('a page of the past stands still, one of SQL says that there is newer data', async () => {
    await visit(`/events?${PAST}`, async (page) => {
      expect(await tell(page, `document.getElementById('live').textContent`)).toBe('');
    });
    await visit(
      `/query?${new URLSearchParams({ sql: 'select count(*) from events' })}`,
      async (page) => {
        await page.waitForSelector('#live.on');
        fillLake(dataDir, (into) => event(into, 'evt_newest', 1));
        await page.waitForSelector('#live ::-p-text(newer data: run it again)');
      },
    );
  });

  test('a page whose service went says that it is stale', async () => {
    const other = await runService(fill);
    await tab().unwatched(async (page) => {
      await page.goto(other.service.dashboard);
      await page.waitForSelector('#live.on');
      await other.service.close();
      await page.waitForSelector('#live.off ::-p-text(stale)');
    });
  });

  test('SQL is written with the dictionary beside it, run by Ctrl+Enter, and drawn', () =>
    visit('/query', async (page) => {
      await tell(page, `document.getElementById('sql').value = 'select observed_at, views from'`);
      await page.focus('#sql');
      await page.keyboard.press('End');
      await page.locator('details:has([data-name="video_history"]) summary').click();
      await page.locator('button[data-name="video_history"]').click();
      expect(await tell(page, `document.getElementById('sql').value`)).toBe(
        'select observed_at, views from video_history',
      );
      await page.keyboard.type(" where id = 'tt_1'");
      await page.keyboard.down('Control');
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
      await page.keyboard.up('Control');
      expect(new URL(page.url()).searchParams.get('sql')).toContain("where id = 'tt_1'");
      expect(await tell(page, `document.querySelectorAll('.result tbody tr').length`)).toBe(3);
      expect(
        await tell(page, `document.querySelector('.lines path.line').getTotalLength() > 100`),
      ).toBe(true);
    }));

  test('somebody elsewhere signs in to a page, and it is live for them', async () => {
    const open = await runService(fill, { host: '0.0.0.0' });
    const origin = open.service.dashboard.replace('0.0.0.0', '127.0.0.1');
    await tab().unwatched(async (page) => {
      await page.goto(`${origin}events`);
      expect(await violations(page)).toEqual([]);
      await page.type('input[name=key]', open.key);
      await Promise.all([page.waitForNavigation(), page.locator('main button').click()]);
      expect(new URL(page.url()).pathname).toBe('/events');
      await page.waitForSelector('#live.on');
      fillLake(open.dataDir, (into) => event(into, 'evt_new', 3));
      await page.waitForFunction(`document.querySelectorAll('.event').length === 2`);
    });
  });
});
