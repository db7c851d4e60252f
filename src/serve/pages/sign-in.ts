import { html } from 'hono/html';
import { commandText } from '../../base/installation.ts';
import { ICON, MARK } from './icon.ts';

/** Sign-in page. `to`: the address to open afterwards. `problem`: the error of the last attempt. */
export const signInPage = ({
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
