import { expect, test } from 'vitest';
import { unsentNotices } from '../../../src/alerts/notify/conditions.ts';
import { judgeConditions, type Known, watchConditions } from '../../../src/alerts/notify/judge.ts';
import { addWatch, endWatches } from '../../../src/lake/watches/watches.ts';
import { filler, hoursAgo, NOW } from '../../serve/filled-lake.ts';
import { freshLake } from '../../support/fresh.ts';

const QUIET: Known = { sources: [], quota: null, chores: [] };
const WISH = { everyMs: 3_600_000, note: null, until: null, tags: [] };
const creator = (subject: string) => ({ kind: 'creator', platform: 'tiktok', subject }) as const;

test('a watch that the service ended is a notice once, until it is resumed', () => {
  const lake = freshLake();
  const { id } = addWatch(lake, { ...WISH, ...creator('maker') }, NOW);
  judgeConditions(lake, QUIET, NOW);
  expect(unsentNotices(lake)).toEqual([]);
  endWatches(lake, creator('maker'), { at: NOW, reason: 'not found (404)' });
  for (const later of [1, 2]) judgeConditions(lake, QUIET, NOW + later);
  expect(unsentNotices(lake)).toMatchObject([{ kind: 'watch', subject: id, beganAt: NOW + 1 }]);
  expect(unsentNotices(lake)[0]?.sentence).toMatch(
    /^@maker on tiktok is not watched any more: not found \(404\)\. Try again with `.*watch resume w_/,
  );
});

test('a creator whose videos have another handle is a notice', () => {
  const lake = freshLake();
  for (const handle of ['old', 'busy', 'Same'])
    addWatch(lake, { ...WISH, ...creator(handle.toLowerCase()) }, NOW);
  const into = filler(lake);
  const video = (id: string, user: string, former?: string) =>
    into.video({
      id,
      user,
      snapshots: [
        [hoursAgo(9), 1],
        [hoursAgo(1), 2],
      ],
      ...(former === undefined
        ? {}
        : { revisions: [{ untilAt: hoursAgo(5), title: `title of ${id}`, user: former }] }),
    });
  into.transaction(() => {
    video('tt_1', 'new', 'old');
    video('tt_2', 'someone', 'busy'); // one video went to somebody else
    into.video({ id: 'tt_3', user: 'busy', snapshots: [[hoursAgo(2), 5]] });
    video('tt_4', 'same', 'Same'); // only its case changed
  });
  expect(watchConditions(lake).map(({ sentence }) => sentence)).toEqual([
    expect.stringMatching(
      /^@old on tiktok has a new handle: @new\. Run `.*watch add @new --platform tiktok` and /,
    ),
  ]);
});
