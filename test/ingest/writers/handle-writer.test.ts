import { expect, test } from 'vitest';
import { HandleWriter } from '../../../src/ingest/writers/handle-writer.ts';
import { openLake } from '../../../src/lake/open.ts';
import { SPELLINGS_OF_ONE, spellingsOf } from '../../../src/lake/read/spellings.ts';
import { freshFolder } from '../../support/fresh.ts';

test('a handle in its folded form has no row, and is a spelling of it all the same', () => {
  const lake = openLake(freshFolder());
  const { sqlite } = lake;
  const writer = lake.own(HandleWriter);
  for (const handle of ['ada', '@Ada', 'ADA', '@Ada', null, 'zoë']) writer.note(handle);
  const rows = sqlite.prepare('select folded, handle from handle_spelling order by 2').raw().all();
  expect(rows).toEqual([
    ['ada', '@Ada'],
    ['ada', 'ADA'],
  ]);
  const of = (folded: string): unknown[][] => [
    sqlite
      .prepare(`${spellingsOf('@folded')} order by 1`)
      .pluck()
      .all({ folded }),
    sqlite.prepare(`select * from (${SPELLINGS_OF_ONE}) order by 1`).pluck().all(folded),
  ];
  const ada = ['@Ada', 'ADA', 'ada'];
  expect(of('ada')).toEqual([ada, ada]);
  expect(of('zoë')).toEqual([['zoë'], ['zoë']]);
  lake.close();
});
