import { expect, test } from 'vitest';
import { hoursAgo } from './filled-lake.ts';
import { runService } from './running.ts';

test('a count that lists only repeat is as old as it is, and shows no gain', async () => {
  const { service } = await runService((into) => {
    const video = into.video({
      id: 'tt_1',
      snapshots: [
        [hoursAgo(90), 10],
        [hoursAgo(72), 500],
      ],
    });
    into.snapshot(video, [hoursAgo(20), 500], 'feed');
    into.snapshot(video, [hoursAgo(1), 500], 'feed');
    into.video({
      id: 'tt_2',
      snapshots: [
        [hoursAgo(30), 10],
        [hoursAgo(2), 70],
      ],
    });
  });
  const tiles = async (id: string): Promise<string> => {
    const page = await (await fetch(new URL(`/videos/${id}`, service.dashboard))).text();
    return page.slice(page.indexOf('class="tiles"'), page.indexOf('id="growth"'));
  };
  const stale = await tiles('tt_1');
  expect(stale).toContain('counted 3 d ago');
  expect(stale).toContain('needs two counts, one of the last 24 h');
  const fresh = await tiles('tt_2');
  expect(fresh).toContain('counted 2 h ago');
  expect(fresh).toContain('<b>+51</b>');
});
