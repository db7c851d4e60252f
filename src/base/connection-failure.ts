const UNKNOWN_NAME = 'the host name is not known';
const UNREACHABLE = 'the host cannot be reached';
const CLOSED = 'the connection was closed';
const NO_TLS =
  'the port does not speak TLS; the address must begin with http://, or name the port for https';

/** Explanations of error codes of Node, OpenSSL and undici. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: UNKNOWN_NAME,
  EAI_AGAIN: 'the host name cannot be looked up now',
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ECONNRESET: 'the connection was reset',
  EPIPE: CLOSED,
  UND_ERR_SOCKET: CLOSED,
  UND_ERR_CONNECT_TIMEOUT: 'connecting took too long',
  UND_ERR_HEADERS_TIMEOUT: 'no response in time',
  UND_ERR_BODY_TIMEOUT: 'the response stopped arriving',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of its response are too large',
  CERT_HAS_EXPIRED:
    'its certificate has expired; its operator must renew it, unless the clock of this machine is wrong',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet; check the clock of this machine',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is for another name; use the host name that it was issued for',
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  EPROTO: NO_TLS,
};
const UNTRUSTED = /CERT|SELF_SIGNED|SIGNATURE/;

const bytesRead = (error: unknown): unknown =>
  (error as { socket?: { bytesRead?: unknown } }).socket?.bytesRead;

/** True if a proxy asked for a user and password. */
export const isProxyRefusal = (error: unknown): boolean =>
  error instanceof Error && /^Proxy (response|Authentication Required) \(407\)/.test(error.message);

/** Explains why a connection failed, without naming the address; undefined for unknown errors. */
export const connectionFailure = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'HTTPParserError')
    return 'the response is not HTTP; if the port speaks TLS, the address must begin with https://';
  const code = String((error as { code?: unknown }).code ?? '');
  if (isProxyRefusal(error))
    return 'the proxy asks for a user and password (407); set http://user:password@host:port in HTTPS_PROXY or HTTP_PROXY';
  const refusal = /^Proxy response \((\d{3})\)/.exec(error.message)?.[1];
  if (refusal !== undefined) return `the proxy refused the connection (${refusal})`;
  // a TLS port closes a plain HTTP connection without a response
  if (code === 'UND_ERR_SOCKET' && bytesRead(error) === 0)
    return `${CLOSED} before a byte of the response; if the port speaks TLS, the address must begin with https://`;
  const known = REASONS[code];
  if (known !== undefined) return known;
  if (code.startsWith('ERR_SSL_')) return `the TLS handshake failed (${code})`;
  if (UNTRUSTED.test(code))
    return `its certificate is not trusted (${code}); NODE_EXTRA_CA_CERTS adds an authority`;
  return undefined;
};
