import type { ResponseContent } from '../http/written-response.ts';

/** Header `Link` of a page of a list: first, prev, next and last. Undefined for what is not a list. */
export const listLinks = (
  address: string,
  { body }: Pick<ResponseContent, 'body'>,
): string | undefined => {
  const { total, page, items } = body;
  if (typeof total !== 'number' || typeof page !== 'number' || items === undefined)
    return undefined;
  const [path = '', query = ''] = address.split('?', 2);
  const parameters = new URLSearchParams(query);
  const limit = Number(parameters.get('limit') ?? 50);
  const last = Math.max(1, Math.ceil(total / limit));
  const link = (to: number, rel: string): string => {
    parameters.set('page', String(to));
    return `<${path}?${parameters}>; rel="${rel}"`;
  };
  return [
    link(1, 'first'),
    ...(page > 1 ? [link(Math.min(page - 1, last), 'prev')] : []),
    ...(page < last ? [link(page + 1, 'next')] : []),
    link(last, 'last'),
  ].join(', ');
};
