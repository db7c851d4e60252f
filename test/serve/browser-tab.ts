import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { launchBrowser, PATIENCE_MS } from '../../fixtures/chromium.ts';

/** Width and colour scheme of a page. */
export interface View {
  readonly width?: number;
  readonly scheme?: 'light' | 'dark';
  readonly script?: boolean;
  /** Runs in the page before its own scripts. */
  readonly first?: string;
}

/** Put first: what a page waits for passes twenty times as fast, and its clock goes along. */
export const HURRIED = `{
  const [later, now] = [setTimeout, Date.now];
  let ahead = 0;
  Date.now = () => now() + ahead;
  window.setTimeout = (work, ms = 0) => later(() => { ahead += ms * 0.95; work(); }, ms / 20);
}`;

/** Sets everything of a view that can change while a page is open. */
export const setView = async (page: Page, { width = 1280, scheme = 'light' }: View) => {
  await page.setViewport({ width, height: 900, isMobile: width < 600 });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
};

/**
 * The one tab of a browser; pages are visited in it one after another, as a tab for each costs as
 * much as the visit.
 */
export class BrowserTab {
  readonly #page: Page;
  /** The origin that is visited, and what the browser complained about there. */
  #watched: { origin: string; wrong: string[] } | undefined;

  constructor(page: Page) {
    this.#page = page;
    page.setDefaultTimeout(PATIENCE_MS);
    page.on('console', (line) => this.#complain(`console: ${line.text()}`));
    page.on('pageerror', (error) => this.#complain(String(error)));
    page.on('requestfailed', (one) => {
      const isLeft = one.url().endsWith('/live'); // a page that goes hears no more
      if (!isLeft) this.#complain(`${one.url()} ${one.failure()?.errorText}`);
    });
    page.on('request', (one) => {
      const { origin, protocol } = new URL(one.url());
      if (origin !== this.#watched?.origin && protocol !== 'data:')
        this.#complain(`asked ${one.url()}`);
    });
    page.on('response', (one) => {
      if (one.status() >= 400) this.#complain(`${one.url()} ${one.status()}`);
    });
  }

  #complain(what: string): void {
    this.#watched?.wrong.push(what);
  }

  /** Opens a page and has it seen; nothing passes that the browser complains about. */
  async visit(address: URL, view: View, see: (page: Page) => Promise<void>): Promise<void> {
    const wrong: string[] = [];
    await this.unwatched(async (page) => {
      await setView(page, view);
      await page.setJavaScriptEnabled(view.script ?? true);
      this.#watched = { origin: address.origin, wrong };
      const { identifier } = await page.evaluateOnNewDocument(view.first ?? '');
      try {
        await page.goto(address.href);
        await see(page);
      } finally {
        await page.removeScriptToEvaluateOnNewDocument(identifier);
      }
    });
    expect(wrong).toEqual([]);
  }

  /** Uses the tab where the browser may complain, and leaves no page in it. */
  async unwatched(use: (page: Page) => Promise<void>): Promise<void> {
    try {
      await use(this.#page);
    } finally {
      this.#watched = undefined;
      await this.#page.mouse.move(0, 0);
      await this.#page.goto('about:blank');
    }
  }
}

/** Starts a browser before the tests of a group and ends it after them; gives its tab. */
export const browserTab = (args: readonly string[] = []): (() => BrowserTab) => {
  let opened: Awaited<ReturnType<typeof launchBrowser>>;
  let tab: BrowserTab;
  beforeAll(async () => {
    opened = await launchBrowser(args);
    tab = new BrowserTab(await opened.browser.newPage());
  });
  afterAll(() => opened?.close());
  return () => tab;
};
