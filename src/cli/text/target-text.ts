/** A target without its secrets. */
export const targetText = (target: string): string => {
  const url = /^[a-z]+(?:\+https)?:/i.test(target) ? URL.parse(target) : null;
  if (url === null) return 'command';
  const to = url.searchParams.get('to');
  return /^smtps?:$/.test(url.protocol) ? `mail to ${to}` : `${url.protocol}//${url.host}`;
};
