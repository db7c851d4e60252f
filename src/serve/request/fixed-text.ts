import type { Context } from 'hono';
import { PageBytes } from '../cache/page-cache.ts';
import { codingFor } from '../http/coding.ts';
import { hasTag, tagOf } from '../http/written-response.ts';
import type { ServiceEnv } from './context.ts';

/** Serves a constant text, which is read, tagged and compressed once. */
export const fixedText = (
  type: string,
  read: () => string,
): ((c: Context<ServiceEnv>) => Response) => {
  let kept: { readonly tag: string; readonly bytes: PageBytes } | undefined;
  return (c) => {
    if (kept === undefined) {
      const text = read();
      kept = { tag: tagOf(text), bytes: new PageBytes(text) };
    }
    const { tag, bytes } = kept;
    // no-cache: a script must match its page
    const headers = { etag: tag, 'cache-control': 'no-cache', vary: 'Accept-Encoding' };
    if (hasTag(c.req.header('if-none-match'), tag)) return c.body(null, 304, headers);
    const coding = codingFor(c.req.header('accept-encoding'));
    const encoding = coding === null ? {} : { 'content-encoding': coding };
    return c.body(bytes.bytes(coding), 200, { ...headers, ...encoding, 'content-type': type });
  };
};
