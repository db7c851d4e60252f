import { beforeAll, describe, expect, test } from 'vitest';
import { HOUR_MS } from '../../src/base/durations.ts';
import { hoursAgo } from './filled-lake.ts';
import { type Running, runService } from './running.ts';

let running: Running;
beforeAll(async () => {
  running = await runService((into) => {
    into.video({ id: 'tt_1', user: 'maker', snapshots: [[hoursAgo(2), 1000]] });
    into.video({ id: 'yt_1', user: 'cook', snapshots: [[hoursAgo(2), 1000]] });
  });
});

const json = { 'content-type': 'application/json' };
const post = (body: object, key = running.key) =>
  running.get('/watches', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...json },
    body: JSON.stringify(body),
  });
const remove = (id: string, key = running.key) =>
  running.get(`/watches/${id}`, { method: 'DELETE', headers: { authorization: `Bearer ${key}` } });

describe('/v1/watches', () => {
  test('adds a watch with its price, lists it and removes it', async () => {
    const added = await post({ subject: '@maker', every: '6h', tags: ['Acme'], note: 'main' });
    expect(added.status).toBe(201);
    expect(added.body).toMatchObject({
      kind: 'creator',
      platform: 'tiktok', // the lake knows the handle on one platform
      subject: 'maker',
      everyMs: 6 * HOUR_MS,
      tags: ['acme'],
      callsPerMonth: 120,
      note: 'main',
      lastAt: null,
      pausedAt: null,
    });
    const { id } = added.body as unknown as { id: string };
    expect(added.headers.get('location')).toBe(`/v1/watches/${id}`);
    const listed = await running.get('/watches?tag=acme');
    expect(listed.body).toMatchObject({ total: 1, page: 1, items: [{ id }] });
    expect((await running.get('/watches?tag=other')).body).toMatchObject({ total: 0 });
    expect((await remove(id)).status).toBe(204);
    expect((await remove(id)).status).toBe(404);
  });

  test('names the field of a wrong body', async () => {
    const fields = async (body: object) =>
      ((await post(body)).body as unknown as { errors: { parameter: string }[] }).errors.map(
        ({ parameter }) => parameter,
      );
    expect(await fields({})).toEqual(['subject']);
    expect(await fields({ subject: '@maker', every: 'often' })).toEqual(['every']);
    expect(await fields({ subject: '@maker', until: '2001-01-01' })).toEqual(['until']);
    expect(await fields({ subject: '@nobody' })).toEqual(['subject']);
    expect(await fields({ subject: '@maker', platform: 'vine' })).toEqual(['platform']);
    expect((await post([])).body).toMatchObject({
      errors: [{ parameter: 'body', detail: 'Expected a JSON object with a subject.' }],
    });
    const long = {
      subject: '@maker',
      kind: 'person',
      tags: [''],
      note: 'n'.repeat(201),
      everyMs: 1,
    };
    expect(((await post(long)).body as unknown as { errors: unknown[] }).errors).toEqual([
      { parameter: 'kind', detail: 'Expected one of creator, video, hashtag, search.' },
      { parameter: 'everyMs', detail: 'Expected a whole number of milliseconds from 3600000.' },
      { parameter: 'tags.0', detail: 'Expected at most 20 texts of 1 to 200 characters.' },
      { parameter: 'note', detail: 'Expected a text of at most 200 characters.' },
    ]);
  });

  test('keeps the cadence and end of a subject that is followed already', async () => {
    const until = '2999-01-01T00:00:00.000Z';
    await post({ subject: '@maker', every: '6h', until });
    const again = await post({ subject: '@maker', tags: ['more'] });
    expect(again.body).toMatchObject({ everyMs: 6 * HOUR_MS, until, tags: ['more'] });
    await remove((again.body as unknown as { id: string }).id);
  });

  test('takes the scope `watch`', async () => {
    const reader = running.newKey({ scopes: ['read'] });
    expect((await post({ subject: '@maker' }, reader)).status).toBe(403);
    const asReader = { headers: { authorization: `Bearer ${reader}` } };
    expect((await running.get('/watches', asReader)).status).toBe(403);
    const watcher = running.newKey({ scopes: ['watch'] });
    expect((await post({ subject: 'street food' }, watcher)).status).toBe(201);
  });
});

describe('/watching', () => {
  const page = (init: RequestInit = {}) =>
    fetch(new URL('/watching', running.service.dashboard), init);
  const send = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    page({
      method: 'POST',
      headers: { origin: new URL(running.service.dashboard).origin, ...headers },
      body: new URLSearchParams(fields),
    });

  test('follows, pauses, resumes and removes from the page', async () => {
    const added = await (
      await send({ action: 'add', subject: 'yt_1', every: '12h', tags: 'a, b' })
    ).text();
    expect(added).toContain('Following yt_1 for 60 calls a month.');
    expect(added).toMatch(/href="\/watching\?tag=a">a</);
    const id = /value="(w_[0-9a-f]{12})"/.exec(added.slice(added.indexOf('yt_1</a>')))?.[1] ?? '';
    expect(await (await send({ action: 'pause', id })).text()).toContain('Paused yt_1.');
    expect(await (await send({ action: 'resume', id })).text()).toContain('Resumed yt_1.');
    expect(await (await send({ action: 'remove', id })).text()).toContain('Removed yt_1.');
  });

  test('says what is wrong and keeps what was typed', async () => {
    const text = await (await send({ action: 'add', subject: '<i>odd' })).text();
    expect(text).toMatch(/role="alert">&quot;&lt;i&gt;odd&quot; could be a handle/);
    expect(text).toContain('value="&lt;i&gt;odd"');
  });

  test('refuses a form of another site', async () => {
    const answer = await send(
      { action: 'add', subject: 'yt_1' },
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    );
    expect(answer.status).toBe(403);
  });
});

describe('a video and a creator', () => {
  const get = async (path: string) =>
    (await fetch(new URL(path, running.service.dashboard))).text();

  test('are followed and tagged from their pages', async () => {
    for (const path of ['/videos/tt_1', '/creators/youtube/cook']) {
      const before = await get(path);
      expect(before).toContain('<h2>Follow ');
      const form = new URLSearchParams();
      for (const [, name = '', value = ''] of before.matchAll(
        /<input type="hidden" name="(action|subject|platform)" value="([^"]*)"/g,
      ))
        form.set(name, value);
      form.set('tags', 'Zeta');
      form.set('every', '12h');
      await fetch(new URL('/watching', running.service.dashboard), {
        method: 'POST',
        headers: { origin: new URL(running.service.dashboard).origin },
        body: form,
      });
      const after = await get(path);
      expect(after).toMatch(/<h2>Followed <a class="chip" href="[^"]*tag=zeta">zeta</);
      expect(after).toContain('<option selected>12h</option>');
    }
  });

  test('cannot be followed without the scope', async () => {
    const open = await runService(
      (into) => into.video({ id: 'tt_1', snapshots: [[hoursAgo(2), 1000]] }),
      { host: '0.0.0.0' },
    );
    const as = async (...scopes: ('read' | 'watch')[]): Promise<string> => {
      const address = open.service.dashboard.replace('0.0.0.0', '127.0.0.1');
      const authorization = `Bearer ${open.newKey({ scopes })}`;
      const got = await fetch(new URL('/videos/tt_1', address), { headers: { authorization } });
      return got.text();
    };
    const form = 'action="/watching"';
    expect(await as('read', 'watch')).toContain(form);
    const reader = await as('read');
    expect(reader).not.toContain(form);
    expect(reader).toContain('the scope <code>watch</code>');
  });
});
