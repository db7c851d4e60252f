import { resolveSubject } from '../../lake/watches/resolve-subject.ts';
import { parseSubject } from '../../lake/watches/watch-subject.ts';
import type { AssistantWatch } from '../../serve/mcp/watch-tools.ts';
import { priceText } from '../text/watch-text.ts';
import type { CliIo } from './io.ts';
import { readValue } from './option-values.ts';
import { everySpan, saveWatches } from './save-watches.ts';

/** Adds a watch as `watch add` does, without a question: the assistant asks its user. */
export const assistantWatch =
  (io: CliIo): AssistantWatch =>
  async ({ subject, platform, every, tags, save }) => {
    const parsed = parseSubject(subject, { platform: platform ?? null });
    const everyMs = every === undefined ? null : readValue('--every', everySpan, every);
    const watch = { everyMs, tags, note: null, until: null };
    let price = '';
    const [saved] = await saveWatches(
      io,
      (lake) => [{ ...resolveSubject(lake, parsed), ...watch }],
      {
        isAsked: false,
        isDry: !save,
        show: (each) => {
          price = priceText(each).join(' ');
        },
      },
    );
    return { saved: saved !== undefined, id: saved?.id ?? null, price };
  };
