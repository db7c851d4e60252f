import type { Page } from 'puppeteer-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { browserName, chromium, tell } from '../../fixtures/chromium.ts';
import { browserTab, type View as PageView, setView } from './browser-tab.ts';
import { type Filler, hoursAgo } from './filled-lake.ts';
import { putForecasts } from './made-forecasts.ts';
import { type Running, runService } from './running.ts';

const LONG = 'no blank in it '.repeat(9) + 'W'.repeat(300);

const fill = (into: Filler): void => {
  const grown = (most: number): [number, number][] =>
    [70, 50, 26, 1].map((hours, index) => [hoursAgo(hours), Math.round(most * 4 ** (index - 3))]);
  into.video({ id: 'tt_1', title: 'the loudest', snapshots: grown(9_000_000), tags: ['fyp'] });
  into.video({ id: 'tt_2', title: LONG, user: 'u'.repeat(90), snapshots: grown(800_000) });
  into.video({
    id: 'tt_3',
    title: '東京の夜景'.repeat(40),
    user: '名前'.repeat(30),
    snapshots: grown(7000),
  });
  into.video({ id: 'tt_4', title: '🔥👩‍👩‍👧‍👦 عنوان'.repeat(30), snapshots: grown(600) });
  into.video({ id: 'tt_5', title: null, user: null, snapshots: [[hoursAgo(1), 5]] });
  into.video({ id: 'yt_1', title: 'a tube', snapshots: grown(50_000), tags: ['t'.repeat(90)] });
};

const textOf = (page: Page, selector: string) =>
  tell<string>(page, `document.querySelector(${JSON.stringify(selector)}).innerText`);
const textsOf = (page: Page, selector: string) =>
  tell<string[]>(
    page,
    `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.innerText)`,
  );

/** The value of the endpoint of that name in the box of the reference. */
const optionOf = (page: Page, name: string) =>
  tell<string>(
    page,
    `[...document.querySelectorAll('#try-request option')].find((one) => one.text === ${JSON.stringify(name)}).value`,
  );

/** Views ahead of a video that stands at 7,000: median, low and high. */
const FAN = {
  6: [7500, 7100, 8200],
  24: [9000, 7600, 12_000],
  72: [12_000, 8000, 20_000],
} as const;

/** Of the chart's pixels in the colour of its fills, the share that lies right of the newest snapshot. */
const FAN_SHARE = `(() => {
  const canvas = document.querySelector('#chart canvas');
  const points = JSON.parse(document.getElementById('timeline').textContent);
  const fan = JSON.parse(document.getElementById('forecast').textContent);
  const wash = getComputedStyle(document.documentElement).getPropertyValue('--wash').trim();
  const wanted = [1, 3, 5].map((from) => parseInt(wash.slice(from, from + 2), 16));
  const { data, width } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const [first, last, end] = [points[0][0], points.at(-1)[0], fan.at(-1)[0]];
  const over = document.querySelector('#chart .u-over').getBoundingClientRect();
  const scale = width / canvas.getBoundingClientRect().width;
  const left = (over.left - canvas.getBoundingClientRect().left) * scale;
  const edge = left + over.width * scale * ((last - first) / (end - first)) + 4;
  let [all, right] = [0, 0];
  for (let at = 0; at < data.length; at += 4)
    if (data[at + 3] > 200 && wanted.every((value, i) => Math.abs(value - data[at + i]) < 12)) {
      all++;
      if ((at / 4) % width > edge) right++;
    }
  return right / all;
})()`;

/** Pixels of the chart in the colour of its line. */
const LINE_PIXELS = `(() => {
  const canvas = document.querySelector('#chart canvas');
  const mark = getComputedStyle(document.documentElement).getPropertyValue('--mark').trim();
  const wanted = [1, 3, 5].map((from) => parseInt(mark.slice(from, from + 2), 16));
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let found = 0;
  for (let at = 0; at < data.length; at += 4)
    if (data[at + 3] > 200 && wanted.every((value, i) => Math.abs(value - data[at + i]) < 24)) found++;
  return found;
})()`;

/** The shown span of time, as the ends of the slider say it. */
const RANGE = `[...document.querySelectorAll('.chart-range input')].map((one) => one.getAttribute('aria-valuetext'))`;
const VALUES = `[...document.querySelectorAll('.chart-range input')].map((one) => one.value)`;

/** Notes the name and type of a download in place of saving it. */
const CATCH_DOWNLOAD = `{
  let type;
  URL.createObjectURL = (blob) => { type = blob.type; return 'about:blank'; };
  HTMLAnchorElement.prototype.click = function () { document.body.dataset.saved = this.download + ' ' + type; };
}`;

/** Texts that stand out less from what is behind them than WCAG AA asks of small ones. */
const FAINT = `(() => {
  const parts = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const light = (colour) => {
    const [r, g, b] = parts(colour).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (one) => {
    const colour = getComputedStyle(one).backgroundColor;
    return parts(colour)[3] === 0 ? behind(one.parentElement) : colour;
  };
  const hasText = (one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
  return [...document.body.querySelectorAll('*:not(script)')].filter(hasText).flatMap((one) => {
    const [a, b] = [light(getComputedStyle(one).color), light(behind(one))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    return contrast < 4.5 ? [one.innerText.slice(0, 40) + ' ' + contrast.toFixed(2)] : [];
  });
})()`;

/** The parts that are wider than their place, as the page is where it scrolls sideways. */
const TOO_WIDE = `[document.documentElement, ...document.querySelectorAll('section')]
  .filter((one) => one.scrollWidth > one.clientWidth)
  .map((one) => one.innerText.slice(0, 40) + ' ' + one.scrollWidth + ' > ' + one.clientWidth)`;

interface View extends PageView {
  readonly of?: Running;
}

/** A name of somebody else's that leads to this machine. */
const ELSEWHERE = 'evil.example';

describe.skipIf(chromium === undefined)(browserName, () => {
  let filled: Running;
  let empty: Running;
  const tab = browserTab([`--host-resolver-rules=MAP ${ELSEWHERE} 127.0.0.1`]);

  beforeAll(async () => {
    filled = await runService(fill);
    putForecasts(filled.dataDir, 'tiktok', [
      { id: 'tt_3', at: hoursAgo(1), top: 0.87, views: FAN },
    ]);
    empty = await runService(() => undefined);
  });

  /** Opens a page and has it seen; lets nothing pass that the browser complains about. */
  const visit = (
    path: string,
    { of = filled, ...view }: View,
    see: (page: Page) => Promise<void>,
  ) => tab().visit(new URL(path, of.service.dashboard), view, see);

  // a locator clicks once the page was drawn and the element stands still: before, a click may be lost
  const click = (page: Page, selector: string) => page.locator(selector).click();
  const followed = (page: Page, selector: string) =>
    Promise.all([page.waitForNavigation(), click(page, selector)]);

  test('the chart is drawn, with the count beside the point under the pointer', () =>
    visit('/videos/tt_1', {}, async (page) => {
      expect(await textOf(page, 'h1')).toBe('the loudest');
      expect(await tell<number>(page, LINE_PIXELS)).toBeGreaterThan(200);
      await page.hover('#chart .u-over');
      await page.waitForSelector('.chart-tip ::-p-text( UTC)');
      expect(await textOf(page, '.chart-tip')).toMatch(/^2026-03-\d\d \d\d:\d\d UTC\n[\d,]+ views/);
    }));

  test('behind the curve its forecast opens as a fan, with its numbers under the pointer', () =>
    visit('/videos/tt_3', {}, async (page) => {
      expect(await tell<number>(page, FAN_SHARE)).toBeGreaterThan(0.2);
      expect(await textOf(page, '.tiles')).toMatch(/87 %/);
      const { x, y, width, height } = await tell<Record<'x' | 'y' | 'width' | 'height', number>>(
        page,
        `document.querySelector('#chart .u-over').getBoundingClientRect().toJSON()`,
      );
      await page.mouse.move(x + width - 2, y + height / 2);
      await page.waitForSelector('.chart-tip ::-p-text(forecast)');
      expect(await textOf(page, '.chart-tip')).toMatch(
        /UTC\nforecast 12,000 views\n8 in 10 land between 8,000 and 20,000$/,
      );
    }));

  test('the chart is read and zoomed with the keyboard', () =>
    visit('/videos/tt_1', {}, async (page) => {
      const range = () => tell<string[]>(page, RANGE);
      const whole = await range();
      await page.focus('#chart');
      await page.keyboard.press('Home');
      expect(await textOf(page, '.chart-tip')).toContain('140,625 views');
      await page.keyboard.press('ArrowRight');
      expect(await textOf(page, '.chart-tip')).toContain('562,500 views\n+421,875 in 20 h');
      expect(await textOf(page, '.chart-said')).toContain('562,500 views');
      await page.keyboard.press('+');
      expect(await range()).not.toEqual(whole);
      await page.keyboard.press('End'); // outside the zoom: the span moves along
      expect(await textOf(page, '.chart-tip')).toContain('9,000,000 views');
      expect((await range())[1]).toBe(whole[1]);
      await page.keyboard.press('Escape');
      expect(await range()).toEqual(whole);
      await page.keyboard.press('Escape');
      expect(await textOf(page, '.chart-said')).toBe('');
      expect(new URL(page.url()).search).toBe(''); // arrows do not travel in time here
    }));

  test('a zoom between two points keeps the line in view, and a button resets it', () =>
    visit('/videos/tt_1', {}, async (page) => {
      const { x, y, width } = await tell<Record<'x' | 'y' | 'width', number>>(
        page,
        `document.querySelector('#chart .u-over').getBoundingClientRect().toJSON()`,
      );
      await page.mouse.move(x + width * 0.75, y + 50);
      await page.mouse.down();
      await page.mouse.move(x + width * 0.9, y + 60, { steps: 3 });
      await page.mouse.up();
      await page.waitForSelector('.chart-tools button:first-child:not(:disabled)');
      expect(await tell<number>(page, LINE_PIXELS)).toBeGreaterThan(200);
      await click(page, '.chart-tools button:first-child');
      expect(await tell<string[]>(page, VALUES)).toEqual(['0', '1000']);
    }));

  test('the logarithmic axis is switched on, and the picture is a PNG', () =>
    visit('/videos/tt_1', {}, async (page) => {
      await click(page, '.chart-tools button:nth-child(2)');
      expect(await tell<number>(page, LINE_PIXELS)).toBeGreaterThan(200);
      expect(await tell(page, `document.querySelector('[aria-pressed=true]').innerText`)).toBe(
        'Log axis',
      );
      await tell(page, CATCH_DOWNLOAD);
      await click(page, '.chart-tools button:nth-child(3)');
      await page.waitForSelector('body[data-saved]');
      expect(await tell(page, `document.body.dataset.saved`)).toBe('videos-tt_1.png image/png');
    }));

  test('a video without a forecast has no fan', () =>
    visit('/videos/tt_1', {}, async (page) => {
      expect(await tell<string>(page, `document.getElementById('forecast').textContent`)).toBe(
        '[]',
      );
    }));

  test('a click on a video shows how that one grew', () =>
    visit('/', {}, async (page) => {
      await followed(page, 'a.title[href="/videos/tt_3"]');
      expect(await textOf(page, 'h1')).toContain('東京の夜景');
      expect(await tell<number>(page, LINE_PIXELS)).toBeGreaterThan(200);
      expect(await textOf(page, '.about')).toContain('名前'.repeat(30));
    }));

  test('a video seen once has no chart, and the page says why', () =>
    visit('/videos/tt_5', {}, async (page) => {
      expect(await textOf(page, '#growth')).toContain('No chart yet: it needs two snapshots');
      expect(await tell<boolean>(page, `document.querySelector('#chart') === null`)).toBe(true);
    }));

  test('platforms and instants are gone to and come back from', () =>
    visit('/', {}, async (page) => {
      await followed(page, '.tabs a[href*="youtube"]');
      expect(await textsOf(page, 'td:nth-child(2) a.title')).toEqual(['a tube', 'a tube']);
      const ask = async (instant: string) => {
        await tell(page, `document.querySelector('input[name=asOf]').value = '${instant}'`);
        await followed(page, 'form.time button');
      };
      await ask('2026-03-09T12:00');
      expect(await textOf(page, 'header')).toContain('Showing data as of 2026-03-09 12:00 UTC');
      expect(await textOf(page, '.tabs [aria-current]')).toBe('YouTube');
      await followed(page, 'nav.pages a[href^="/trends"]');
      expect(await textOf(page, 'header')).toContain('Showing data as of 2026-03-09 12:00 UTC');
      await followed(page, '.time a[aria-label="a day earlier"]');
      expect(await textOf(page, 'header')).toContain('Showing data as of 2026-03-08 12:00 UTC');
      await followed(page, '.time a.now');
      expect(await tell(page, `document.querySelector('input[name=asOf]').value`)).toBe(
        '2026-03-10 12:00',
      );
    }));

  test('the calendar leads to days with data, the slider to any hour', () =>
    visit('/trends', {}, async (page) => {
      await click(page, '.calendar summary');
      const days = await textsOf(page, '.days a');
      expect(days).toContain('10');
      expect(days).not.toContain('31');
      await followed(page, '.days a:first-of-type');
      expect(new URL(page.url()).searchParams.get('asOf')).toMatch(/^2026-03-\d\dT/);
      await click(page, '.calendar summary');
      const slide = (back: number) => `{
        const slider = document.querySelector('[data-life]');
        slider.value = String(Number(slider.max) - ${back} * 3600000);
        slider.dispatchEvent(new Event('input', { bubbles: true }));
      }`;
      await tell(page, slide(5));
      const shown = await tell<string>(page, `document.querySelector('input[name=asOf]').value`);
      expect(shown).toMatch(/^2026-03-10 0\d:\d\d$/);
      const gone = page.waitForNavigation();
      await tell(
        page,
        `void document.querySelector('[data-life]').dispatchEvent(new Event('change', { bubbles: true }))`,
      );
      await gone;
      expect(await textOf(page, '.then')).toBe(`Showing data as of ${shown} UTC.`);
    }));

  test('on a phone the pages are behind a menu, which Escape closes', () =>
    visit('/', { width: 390 }, async (page) => {
      const isShown = (selector: string) =>
        tell<boolean>(page, `document.querySelector('${selector}').checkVisibility()`);
      expect(await isShown('.bar > .pages')).toBe(false);
      await click(page, '.menu summary');
      expect(await isShown('.menu nav')).toBe(true);
      await page.keyboard.press('Escape');
      expect(await isShown('.menu nav')).toBe(false);
      await click(page, '.menu summary');
      await followed(page, '.menu a[href^="/trends"]');
      expect(new URL(page.url()).pathname).toBe('/trends');
    }));

  test('on a phone the header is one row, the instant is whole and the calendar fits', () =>
    visit('/', { width: 390 }, async (page) => {
      const rowHeight = await tell<number>(page, `document.querySelector('.bar').clientHeight`);
      const brand = await tell<number>(page, `document.querySelector('.brand').offsetHeight`);
      expect(rowHeight).toBeLessThan(brand * 2.5);
      const status = await tell<number>(
        page,
        `[...document.querySelectorAll('.fresh-line .dot, #live.on')].filter((one) => one.checkVisibility()).length`,
      );
      expect(status).toBe(1);
      const cut = await tell<number>(
        page,
        `(() => { const field = document.querySelector('input[name=asOf]'); return field.scrollWidth - field.clientWidth; })()`,
      );
      expect(cut).toBeLessThanOrEqual(0);
      await click(page, '.calendar summary');
      const edges = await tell<{ left: number; right: number }>(
        page,
        `document.querySelector('.calendar .card').getBoundingClientRect().toJSON()`,
      );
      expect(edges.left).toBeGreaterThanOrEqual(0);
      expect(edges.right).toBeLessThanOrEqual(390);
    }));

  test('a query is found in the dictionary, saved under a name and opened again', () =>
    visit('/query', {}, async (page) => {
      await page.type('#find', 'milestone reached');
      expect(await textsOf(page, '.dictionary details:not([hidden]) summary code')).toEqual([
        'video_milestones',
      ]);
      await tell(
        page,
        `document.getElementById('sql').value = 'select user, views from videos'; 0`,
      );
      await page.type('input[name=name]', 'Views by creator');
      await followed(page, 'button[formaction="/query/save"]');
      expect(new URL(page.url()).pathname).toBe('/query/views-by-creator');
      expect(await textOf(page, 'h1')).toBe('Views by creator');
      await page.select('select[name=chart]', 'none');
      await followed(page, '.run button[form=query]');
      expect(await tell<number>(page, `document.querySelectorAll('.bars').length`)).toBe(0);
      await followed(page, '.saved a');
      expect(await tell<number>(page, `document.querySelectorAll('.bars').length`)).toBe(1);
    }));

  test('the reference lists every endpoint, each a click away', async () => {
    const document = (await filled.get('/openapi.json')).body as unknown as {
      paths: Record<string, object>;
    };
    const every = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    await visit('/docs', {}, async (page) => {
      expect(await textsOf(page, '.contents code')).toEqual(every);
      expect(
        await tell<string[]>(
          page,
          `[...document.querySelectorAll('a[href^="#"]')].map((a) => document.getElementById(a.hash.slice(1)) === null ? a.hash : '').filter(Boolean)`,
        ),
      ).toEqual([]);
    });
  });

  test('the reference asks this service with the key that was typed, and keeps it nowhere', () =>
    visit('/docs', {}, async (page) => {
      await page.type('#try-key', filled.key);
      await click(page, '#getFeed button[data-try]');
      expect(await tell<string>(page, `document.getElementById('try-path').value`)).toBe(
        '/feed/tiktok',
      );
      await click(page, '#try-form button');
      await page.waitForSelector('#try-status ::-p-text(RateLimit)');
      expect(await textOf(page, '#try-status')).toMatch(/^200 ok, [\d,]+ characters · /);
      expect(await textOf(page, '#try-response')).toContain('"title": "the loudest"');
      const left = `JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, location.href])`;
      expect(await tell<string>(page, left)).not.toContain(filled.key.slice(8));
      await page.select('#try-request', await optionOf(page, 'POST /lab/analyze'));
      await tell(page, `document.getElementById('try-body').value = '{"id":"tt_1"}'`);
      await click(page, '#try-form button');
      await page.waitForSelector('#try-response ::-p-text(statistical)');
    }));

  test.each(['/../docs', 'https://elsewhere.example/v1/feed', 'feed'])(
    'the reference asks for nothing but the interface: %s',
    (path) =>
      visit('/docs', {}, async (page) => {
        await page.type('#try-key', 'tl_live_of_nobody');
        await tell(page, `document.getElementById('try-path').value = ${JSON.stringify(path)}`);
        await click(page, '#try-form button');
        await page.waitForSelector('#try-status ::-p-text(below /v1)');
      }),
  );

  test('without scripts the reference has commands in place of the box', () =>
    visit('/docs', { script: false }, async (page) => {
      expect(await textOf(page, 'main')).not.toContain('Try it\n');
      expect(await textOf(page, '#getFeed')).toContain('curl');
    }));

  test.each(
    [
      '/',
      '/trends',
      '/trends/tiktok',
      '/videos/tt_3',
      '/hashtags',
      '/hashtags/fyp',
      '/creators',
      '/creators/tiktok/somebody',
      '/forecasts',
      '/search?q=title',
      '/docs',
    ].flatMap((path) => ([390, 1280] as const).map((width) => ({ path, width }))),
  )('$path fits $width px and can be read, light and dark', ({ path, width }) =>
    visit(path, { width }, async (page) => {
      for (const scheme of ['light', 'dark'] as const) {
        await setView(page, { width, scheme });
        const found = {
          scheme,
          tooWide: await tell<string[]>(page, TOO_WIDE),
          faint: await tell<string[]>(page, FAINT),
          ground: await tell<string>(page, 'getComputedStyle(document.body).backgroundColor'),
        };
        const ground = scheme === 'dark' ? 'rgb(14, 18, 25)' : 'rgb(244, 246, 249)';
        expect(found).toEqual({ scheme, tooWide: [], faint: [], ground });
      }
    }),
  );

  test('without scripts the lists and a curve are there', () =>
    visit('/', { script: false }, async (page) => {
      expect(await textsOf(page, 'a.title')).toContain('the loudest');
      expect(await textOf(page, 'main')).toContain('#fyp');
    }).then(() =>
      visit('/videos/tt_1', { script: false }, async (page) => {
        const height = `document.querySelector('#chart svg').clientHeight`;
        expect(await tell<number>(page, height)).toBe(280);
      }),
    ));

  test.each([390, 1280])('an empty lake says so at %d px', (width) =>
    visit('/', { of: empty, width }, async (page) => {
      expect(await textOf(page, 'main')).toContain('The lake is empty');
      expect(await tell<string[]>(page, TOO_WIDE)).toEqual([]);
    }),
  );

  test('somebody elsewhere signs in, reads the page they asked for, and signs out', async () => {
    const open = await runService(fill, { host: '0.0.0.0' });
    const origin = open.service.dashboard.replace('0.0.0.0', '127.0.0.1');
    await tab().unwatched(async (page) => {
      await page.goto(`${origin}?platform=youtube`);
      expect(await textOf(page, 'main')).not.toContain('a tube');
      await page.type('input[name=key]', 'tl_live_wrong');
      await followed(page, 'main button');
      expect(await textOf(page, '[role=alert]')).toContain('unknown or was revoked');
      await page.type('input[name=key]', open.key);
      await followed(page, 'main button');
      expect(new URL(page.url()).search).toBe('?platform=youtube');
      expect(await textOf(page, 'main')).toContain('a tube');
      expect(await tell<string>(page, 'document.cookie')).toBe('');
      await page.goto(`${origin}docs`);
      expect(await textOf(page, 'main')).toContain('/feed/{platform}');
      await page.goto(origin);
      await followed(page, 'form[action="/sign-out"] button');
      expect(await textOf(page, 'main')).toContain('Sign in');
    });
  });

  test('signs in and out over plain HTTP by a name, where a browser sends its Origin alone', async () => {
    const open = await runService(fill, { publicUrl: `http://${ELSEWHERE}` });
    const { port } = new URL(open.service.dashboard);
    await tab().unwatched(async (page) => {
      await page.goto(`http://${ELSEWHERE}:${port}/?platform=youtube`);
      await page.type('input[name=key]', open.key);
      await followed(page, 'main button');
      expect(await textOf(page, 'main')).toContain('a tube');
      await followed(page, 'form[action="/sign-out"] button');
      expect(await textOf(page, 'main')).toContain('Sign in');
    });
  });

  test('a page of another name that leads here reads nothing (DNS rebinding)', () =>
    tab().unwatched(async (page) => {
      const { port } = new URL(filled.service.dashboard);
      const got = await page.goto(`http://${ELSEWHERE}:${port}/`);
      expect(got?.status()).toBe(400);
      const read = await tell<string>(
        page,
        `Promise.all(['/', '/metrics', '/health', '/docs'].map((path) => fetch(path).then((got) => got.text()))).then((texts) => texts.join(''))`,
      );
      expect(read).toContain('/problems/invalid-parameter');
      expect(read).not.toContain('the loudest');
    }));
});
