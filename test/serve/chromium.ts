import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Browser, launch, type Page } from 'puppeteer-core';

/** One that runs: some systems have a stand-in that only says where to get it. */
const runs = (path: string): boolean => spawnSync(path, ['--version']).status === 0;

const folders = (process.env.PATH ?? '').split(delimiter);

/** The browser of this machine; undefined where it has none. */
export const chromium =
  process.env.CHROME_PATH ??
  ['chromium', 'chromium-browser', 'google-chrome']
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find(runs);

/** What a group of tests is called: after the browser, or why they are skipped. */
export const browserName =
  chromium ?? 'skipped: no browser found (install chromium, or name one in CHROME_PATH)';

const PATIENCE_MS = 240_000; // as the tests': the machine may be busy

/** A browser that leaves nothing at home. */
export const launchBrowser = async (
  more: readonly string[] = [],
): Promise<{ browser: Browser; close: () => Promise<void> }> => {
  const profile = mkdtempSync(join(tmpdir(), 'trendlake-browser-'));
  const browser = await launch({
    executablePath: chromium ?? '',
    userDataDir: profile,
    env: { ...process.env, XDG_CONFIG_HOME: profile, XDG_CACHE_HOME: profile },
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--lang=en', ...more],
    timeout: PATIENCE_MS,
    protocolTimeout: PATIENCE_MS,
  });
  const close = async (): Promise<void> => {
    await browser.close();
    // its last processes write for a moment after it is closed
    rmSync(profile, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  };
  return { browser, close };
};

/** A new page, and what the browser complains about on it: errors, failures, requests off `origin`. */
export const watchedPage = async (
  browser: Browser,
  origin: string,
): Promise<{ page: Page; wrong: string[] }> => {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const wrong: string[] = [];
  page.on('console', (line) => wrong.push(`console: ${line.text()}`));
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('requestfailed', (one) => {
    const isLeft = one.url().endsWith('/live'); // a page that goes hears no more
    if (!isLeft) wrong.push(`${one.url()} ${one.failure()?.errorText}`);
  });
  page.on('request', (one) => {
    const { origin: asked, protocol } = new URL(one.url());
    if (asked !== origin && protocol !== 'data:') wrong.push(`asked ${one.url()}`);
  });
  page.on('response', (one) => {
    if (one.status() >= 400) wrong.push(`${one.url()} ${one.status()}`);
  });
  return { page, wrong };
};

/** What the page's own script would say; it may not compile any, so this is handed over as text. */
export const tell = async <T>(page: Page, expression: string): Promise<T> =>
  (await page.evaluate(expression)) as T;
