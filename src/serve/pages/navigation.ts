export const NAVIGATION = [
  { path: '/', name: 'Overview' },
  { path: '/trends', name: 'Trends' },
  { path: '/creators', name: 'Creators' },
  { path: '/hashtags', name: 'Hashtags' },
  { path: '/forecasts', name: 'Forecasts' },
  { path: '/events', name: 'Events' },
  { path: '/watching', name: 'Watching' },
  { path: '/alerts', name: 'Alerts' },
  { path: '/search', name: 'Search' },
  { path: '/pipeline', name: 'Pipeline' },
  { path: '/query', name: 'Query' },
] as const;

/** True if a page belongs to a navigation entry. `/videos/...` belongs to no entry. */
export const isWithin = (path: string, entry: string): boolean =>
  entry === '/' ? path === '/' : path === entry || path.startsWith(`${entry}/`);
