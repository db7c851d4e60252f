import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { dateOf, isoOf } from '../../base/iso.ts';
import { linePath } from '../../base/line-path.ts';
import { terminalLine } from '../../base/terminal-text.ts';
import { plainHandle } from '../../base/wire/folding.ts';
import type { ContentItem } from '../../base/wire/shapes.ts';
import { MAIL_FONT, type MailFile, type MailParts, mailLink, mailPage } from '../notify/mail.ts';
import { type ReportMessage, shownMessage } from '../notify/message.ts';
import { linePng } from './png.ts';
import { reportPage, reportSubject } from './report-page.ts';
import type { Riser, WeeklyReport } from './weekly-report.ts';

type MailHtml = HtmlEscapedString | Promise<HtmlEscapedString>;

const NUMBER = new Intl.NumberFormat('en-US');
const COMPACT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

const LONGEST_TITLE = 80;
const titleOf = ({ title, id }: ContentItem): string => {
  const text = terminalLine(title ?? '') || id;
  return text.length > LONGEST_TITLE ? `${text.slice(0, LONGEST_TITLE - 1)}…` : text;
};

const headlineOf = (report: WeeklyReport): string => {
  const { risers, measured } = report;
  const [best] = risers;
  const fact =
    best === undefined
      ? `${NUMBER.format(measured.videos)} videos counted, none gained views`
      : `“${titleOf(best.video)}” gained ${COMPACT.format(best.gained)} views`;
  return `${reportSubject(report)}: ${fact}`;
};

/** A report as JSON for programs, with a headline for people. */
export const reportMessage = (report: WeeklyReport): ReportMessage => {
  const { query, madeAt, measured, eventsTotal, risers, creators } = report;
  return {
    type: 'trendlake.report',
    timestamp: isoOf(madeAt),
    data: {
      period: query.week.name,
      tag: query.tag ?? null,
      headline: headlineOf(report),
      videos: measured.videos,
      snapshots: measured.snapshots,
      events: eventsTotal,
      risers: risers.map(({ video, gained }) => ({
        id: video.id,
        title: titleOf(video),
        user: video.user,
        platform: video.platform,
        views: video.views,
        gained,
      })),
      creators: creators.map(({ platform, handle, followers, gained }) => ({
        platform,
        handle,
        followers,
        gained,
      })),
    },
  };
};

/** Shown at half its size, for sharp lines on small screens. */
const IMAGE = { width: 240, height: 60 };

const imageOf = ({ timeline }: Riser, index: number): MailFile | undefined => {
  const line = linePath(timeline, { ...IMAGE, margin: 4 });
  if (line === undefined) return undefined;
  const points = line.path.split('L').map((pair) => {
    const [x = 0, y = 0] = pair.split(' ').map(Number);
    return [x, y] as const;
  });
  return {
    filename: `views-${index + 1}.png`,
    content: linePng({ ...IMAGE, points }),
    contentType: 'image/png',
    cid: `views-${index + 1}@trendlake`,
  };
};

const CELL = `padding:8px 8px 8px 0;border-top:1px solid #dfe3ea;${MAIL_FONT};font-size:14px;line-height:19px`;
const NUMBERS = `${CELL};text-align:right;white-space:nowrap`;
const SOFT = 'color:#5b667a;font-size:12px';
const HEADING = 'margin:24px 0 8px;font-size:16px';

const table = (heading: string, rows: readonly MailHtml[]): MailHtml =>
  rows.length === 0
    ? html``
    : html`<h2 style="${HEADING}">${heading}</h2><table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">${rows}</table>`;

const bodyOf = (
  report: WeeklyReport,
  images: readonly (MailFile | undefined)[],
  publicUrl: string | undefined,
): MailHtml => {
  const { risers, fallers, creators, tags, measured, eventsTotal, query } = report;
  const linked = (item: ContentItem): MailHtml =>
    html`${mailLink(publicUrl === undefined ? null : `${publicUrl}/videos/${encodeURIComponent(item.id)}`, titleOf(item))}<br><span style="${SOFT}">${item.user === null ? '' : `@${plainHandle(item.user)}, `}${item.platform}</span>`;
  const image = (index: number): MailHtml => {
    const file = images[index];
    return file === undefined
      ? html``
      : html`<img src="cid:${file.cid}" width="120" height="30" alt="views over time" style="display:block;border:0">`;
  };
  return html`<p style="margin:0;${SOFT}">${dateOf(query.week.from)} to ${dateOf(query.week.to - 1)} (UTC). ${NUMBER.format(measured.videos)} videos counted, ${NUMBER.format(measured.snapshots)} snapshots, ${NUMBER.format(eventsTotal)} events.</p>
${table(
  'Rising videos',
  risers.map(
    (riser, index) =>
      html`<tr><td style="${CELL}">${linked(riser.video)}</td><td style="${CELL}" width="128">${image(index)}</td><td style="${NUMBERS}">${riser.video.views === null ? '' : NUMBER.format(riser.video.views)}</td><td style="${NUMBERS};color:#0b7a57">+${NUMBER.format(riser.gained)}</td></tr>`,
  ),
)}
${table(
  'Falling videos',
  fallers.map(
    ({ video, rankBefore, rankNow }) =>
      html`<tr><td style="${CELL}">${linked(video)}</td><td style="${NUMBERS}">rank ${rankBefore} to ${rankNow ?? 'below 100'}</td></tr>`,
  ),
)}
${table(
  'Rising creators',
  creators.map(
    ({ platform, handle, followers, gained }) =>
      html`<tr><td style="${CELL}">@${handle} <span style="${SOFT}">${platform}</span></td><td style="${NUMBERS}">${NUMBER.format(followers)}</td><td style="${NUMBERS};color:#0b7a57">+${NUMBER.format(gained)}</td></tr>`,
  ),
)}
${table(
  'Hashtags',
  tags.flatMap(({ platform, tags: some }) =>
    some
      .slice(0, 5)
      .map(
        ({ tag, volume }) =>
          html`<tr><td style="${CELL}">#${tag} <span style="${SOFT}">${platform}</span></td><td style="${NUMBERS}">${volume === null ? '' : NUMBER.format(volume)} videos</td></tr>`,
      ),
  ),
)}
<p style="${SOFT}">The full report is attached.${publicUrl === undefined ? '' : html` ${mailLink(publicUrl, 'Open the dashboard')}`}</p>`;
};

/** A report as a mail: tables, charts as images, and the full page as a file. */
export const reportMail = async (
  report: WeeklyReport,
  publicUrl: string | undefined,
): Promise<MailParts> => {
  const images = report.risers.map(imageOf);
  const { headline } = shownMessage(reportMessage(report));
  const { week, tag } = report.query;
  return {
    body: await mailPage(headline, bodyOf(report, images, publicUrl)),
    files: [
      ...images.filter((image) => image !== undefined),
      {
        filename: `report-${week.name}${tag === undefined ? '' : `-${tag.replace(/[^\p{L}\p{N}_-]/gu, '_')}`}.html`,
        content: await reportPage(report),
        contentType: 'text/html; charset=utf-8',
      },
    ],
  };
};
