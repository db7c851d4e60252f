/** What every page is sent with: it loads from here alone, and no copy of it is kept. */
export const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  // with no-referrer a browser sends `Origin: null` with the forms of our own pages
  'referrer-policy': 'same-origin',
} as const;
