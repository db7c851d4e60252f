/** Headers of every page: same-origin content only, no caching. */
export const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  // with no-referrer a browser sends `Origin: null` with the forms of these pages
  'referrer-policy': 'same-origin',
} as const;
