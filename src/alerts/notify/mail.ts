import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { messageOf } from '../../base/errors.ts';
import type { ShownMessage } from '../webhooks/chat.ts';
import { plainText } from './message.ts';

/** A file of a mail. `cid` names an image that the HTML shows. */
export interface MailFile {
  readonly filename: string;
  readonly content: Buffer | string;
  readonly contentType: string;
  readonly cid?: string;
}

/** A mail's own HTML body and files, instead of the list of items. */
export interface MailParts {
  readonly body: string;
  readonly files: readonly MailFile[];
}

type MailHtml = HtmlEscapedString | Promise<HtmlEscapedString>;

export const MAIL_FONT = 'font-family:Arial,Helvetica,sans-serif;color:#182230';

/** A mail of tables and inline styles, because Gmail and Outlook drop most of the rest. */
export const mailPage = async (headline: string, body: MailHtml): Promise<string> =>
  String(
    await html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${headline}</title></head>
<body style="margin:0;padding:0;background:#f4f6fa">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f4f6fa"><tr><td align="center" style="padding:16px">
<table role="presentation" width="640" cellpadding="0" cellspacing="0" border="0" style="width:100%;max-width:640px;background:#ffffff"><tr><td style="padding:24px;${MAIL_FONT};font-size:15px;line-height:22px">
<h1 style="margin:0 0 16px;font-size:20px;line-height:26px">${headline}</h1>
${body}
</td></tr></table></td></tr></table></body></html>`,
  );

/** A link in a mail. */
export const mailLink = (url: string | null, text: string): MailHtml =>
  url === null ? html`${text}` : html`<a href="${url}" style="color:#2f5fe3">${text}</a>`;

const itemsHtml = ({ items, more, link }: ShownMessage): MailHtml =>
  html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">${items.map(
    ({ title, text, url }) =>
      html`<tr><td style="padding:8px 0;border-top:1px solid #dfe3ea;${MAIL_FONT};font-size:15px">${title === '' && url === null ? '' : html`<b>${mailLink(url, title || 'open')}</b>${text === '' ? '' : html`<br>`}`}${text}</td></tr>`,
  )}</table>
${more === 0 ? '' : html`<p>and ${more} more</p>`}${link === undefined ? '' : html`<p>${mailLink(link, 'Open the dashboard')}</p>`}`;

/** The reason why no mail was sent. A password would have gone over the wire unprotected. */
const mailFailure = (error: unknown): unknown =>
  (error as { code?: unknown }).code === 'ETLS'
    ? new Error(
        `no TLS with the mail server (${messageOf(error)}), and a password is not sent without; use smtps:, or a server that offers STARTTLS`,
        { cause: error },
      )
    : error;

/**
 * Sends a mail of text and HTML.
 * @param address `smtp(s)://user:password@host:port/?from=a@b&to=c@d`
 */
export const sendMail = async (
  address: string,
  shown: ShownMessage,
  parts: MailParts | undefined,
  signal: AbortSignal,
): Promise<void> => {
  const url = new URL(address);
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host: url.hostname,
    port: url.port === '' ? (url.protocol === 'smtps:' ? 465 : 587) : Number(url.port),
    secure: url.protocol === 'smtps:',
    ...(url.username === ''
      ? {}
      : {
          requireTLS: true,
          auth: {
            user: decodeURIComponent(url.username),
            pass: decodeURIComponent(url.password),
          },
        }),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const to = url.searchParams.get('to') ?? '';
  const mail = {
    from: url.searchParams.get('from') ?? to,
    to,
    subject: `trendlake: ${shown.headline}`,
    text: plainText(shown),
    html: parts?.body ?? (await mailPage(shown.headline, itemsHtml(shown))),
    attachments: [...(parts?.files ?? [])],
    signal,
  };
  try {
    await transport.sendMail(mail);
  } catch (error) {
    throw mailFailure(error);
  } finally {
    transport.close();
  }
};
