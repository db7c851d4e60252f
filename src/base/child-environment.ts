/** Allowed variables: paths, locale and time zone, network. */
const ALLOWED = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TERM',
  'HOSTNAME',
  'PWD',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TZDIR',
  'TMPDIR',
  'TMP',
  'TEMP',
  'SQLITE_TMPDIR',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_RUNTIME_DIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'CURL_CA_BUNDLE',
  'NODE_EXTRA_CA_CERTS',
  'LD_LIBRARY_PATH',
  'NODE_OPTIONS',
  'TRENDLAKE_DATA_DIR',
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'COMSPEC',
  'PATHEXT',
  'USERPROFILE',
  'APPDATA',
]);

/** Environment of a child process. An allowlist, because a list of secrets would never be complete. */
export const childEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => ALLOWED.has(name.toUpperCase()) || name.startsWith('LC_'),
    ),
  );
