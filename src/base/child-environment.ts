/** Variables that a child process gets: where things are, how texts and times are written, how to reach the network. */
const ALLOWED = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'HOSTNAME', 'PWD'],
  ...['LANG', 'LANGUAGE', 'TZ', 'TZDIR', 'TMPDIR', 'TMP', 'TEMP', 'SQLITE_TMPDIR'],
  ...['XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_RUNTIME_DIR'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'CURL_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS'],
  ...['LD_LIBRARY_PATH', 'NODE_OPTIONS', 'TRENDLAKE_DATA_DIR'],
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'USERPROFILE', 'APPDATA'],
]);

/**
 * The environment of a child process. A list of what it may have, since no list of secrets is ever whole:
 * each new setting, key and cloud account would have to be added.
 */
export const childEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => ALLOWED.has(name.toUpperCase()) || name.startsWith('LC_'),
    ),
  );
