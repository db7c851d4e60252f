import type { IncomingMessage } from 'node:http';
import type { Context, MiddlewareHandler } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { html } from 'hono/html';
import { commandText } from '../../base/installation.ts';
import { hashOf } from '../../lake/keys/keys.ts';
import type { KeyCheck } from '../auth/key-check.ts';
import { SESSION_MS, type Sessions } from '../auth/sessions.ts';
import { formBody } from '../http/body.ts';
import type { Exposure } from '../http/exposure.ts';
import { problemResponse, type RefusedError } from '../http/problems.ts';
import { refuseCrossOrigin } from '../http/sent-from.ts';
import { ICON, MARK, PAGE_HEADERS } from '../pages/html.ts';
import type { ServiceApp, ServiceContext, ServiceEnv } from '../request/context.ts';
import { noteAdmitted } from '../request/let-in.ts';

/** Sign-in page. `to`: the address to open afterwards. `problem`: the error of the last attempt. */
const signInPage = ({
  to,
  problem,
}: {
  to: string;
  problem: string | undefined;
}) => html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>trendlake: sign in</title>${ICON}<link rel="stylesheet" href="/assets/style.css"></head><body>
<header><h1>${MARK}trendlake</h1></header>
<main class="grid"><section class="wide"><h2>Sign in</h2>
  <p class="soft">You need a key to read this page. The operator creates keys with <code>${commandText('keys create')}</code>.</p>
  ${problem === undefined ? '' : html`<p class="down" role="alert">${problem}</p>`}
  <form method="post" action="/sign-in"><input type="hidden" name="to" value="${to}">
    <input type="password" name="key" aria-label="key" placeholder="tl_live_..." autocomplete="current-password" required><button>sign in</button></form>
</section></main></body></html>`;

export interface PageAccess {
  readonly admission: KeyCheck;
  readonly sessions: Sessions;
  readonly exposure: Exposure;
}

/** Browsers accept `__Host-` cookies over HTTPS and from this host only. */
const cookieName = ({ isSecure }: Exposure): string =>
  isSecure ? '__Host-trendlake' : 'trendlake';

const cookieOptions = ({ isSecure }: Exposure) =>
  ({ path: '/', httpOnly: true, sameSite: 'Strict', secure: isSecure }) as const;

/** The page after signing in: a path of this service, or the dashboard. */
const pageIn = (address: string | null): string =>
  address !== null &&
  /^\/(?!(?:sign-in|sign-out|v1)\b)(?:\w[!-[\]-~]*)?(?:\?[!-~]*)?$/.test(address)
    ? address
    : '/';

const askForKey = (
  c: Context<ServiceEnv>,
  to: string,
  problem: string | undefined,
): Response | Promise<Response> => c.html(signInPage({ to, problem }), 401, PAGE_HEADERS);

/**
 * Guards pages and `/metrics`: requests from this machine need no key, others need a session or a key.
 * Browsers without one get the sign-in page.
 * @param isOpen true if the request needs no key
 */
export const letInPages =
  (
    { clock }: ServiceContext,
    { admission, sessions, exposure }: PageAccess,
    isOpen = (incoming: IncomingMessage): boolean => exposure.isOpenTo(incoming),
  ): MiddlewareHandler<ServiceEnv> =>
  async (c, next) => {
    if (isOpen(c.env.incoming)) {
      await c.env.exchange.keylessTurn?.(); // its key is not checked
      return next();
    }
    const { method, path } = c.req;
    const authorization = c.req.header('authorization');
    const token = authorization === undefined ? getCookie(c, cookieName(exposure)) : undefined;
    const keyHash = token === undefined ? undefined : sessions.keyHashOf(token, clock.now());
    const admitted = await admission.admit({ authorization, keyHash, method, path });
    noteAdmitted(c, admitted);
    const { refusal } = admitted;
    if (refusal === undefined) return next();
    if (token !== undefined && refusal.slug === 'unknown-key') sessions.end(token); // revoked
    const isPerson = path !== '/metrics' && authorization === undefined;
    return isPerson && (refusal.slug === 'missing-key' || refusal.slug === 'unknown-key')
      ? askForKey(c, pageIn(c.env.incoming.url ?? null), undefined)
      : problemResponse(refusal);
  };

/** `POST /sign-in` and `POST /sign-out`. */
export const signInRoutes = (
  app: ServiceApp,
  { clock }: ServiceContext,
  { admission, sessions, exposure }: PageAccess,
): void => {
  const name = cookieName(exposure);
  const options = cookieOptions(exposure);
  const refused = (c: Context<ServiceEnv>, to: string, refusal: RefusedError) =>
    refusal.slug === 'missing-key' || refusal.slug === 'unknown-key'
      ? askForKey(c, to, 'This key is unknown or was revoked.')
      : problemResponse(refusal);

  // or another site could sign its visitor out, or in with a foreign key
  const refuseOthers = (c: Context<ServiceEnv>): void =>
    refuseCrossOrigin(
      c,
      'You can only sign in and out on a page of this service.',
      exposure.publicOrigin,
    );

  app.post('/sign-in', async (c) => {
    refuseOthers(c);
    const form = await formBody(c);
    const key = form.get('key')?.trim() ?? '';
    const to = pageIn(form.get('to'));
    const admitted = await admission.admit({
      authorization: `Bearer ${key}`,
      method: 'POST',
      path: '/sign-in',
    });
    noteAdmitted(c, admitted);
    if (admitted.refusal !== undefined) return refused(c, to, admitted.refusal);
    const token = sessions.open(hashOf(key), clock.now());
    setCookie(c, name, token, { ...options, maxAge: SESSION_MS / 1000 });
    c.header('cache-control', 'no-store');
    return c.redirect(to, 303);
  });

  app.post('/sign-out', (c) => {
    refuseOthers(c);
    const token = getCookie(c, name);
    if (token !== undefined) sessions.end(token);
    deleteCookie(c, name, options);
    return c.redirect('/', 303);
  });
};
