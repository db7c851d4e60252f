import { z } from 'zod';

// The documented rules of incoming webhooks.
//
// Slack: header 150 characters, section 3,000, 50 blocks (docs.slack.dev/reference/block-kit/blocks), about
// 13,000 characters in all blocks (github.com/slackapi/bolt-js/issues/2509), escaped &, < and >
// (docs.slack.dev/messaging/formatting-message-text), a message a second (docs.slack.dev/apis/web-api/rate-limits).
// Discord: title 256 characters, description 4,096, 10 embeds with 6,000, nobody mentioned by empty
// allowed_mentions (discord.com/developers/docs/resources/message), 5 messages in 2 seconds
// (birdie0.github.io/discord-webhooks-guide/other/rate_limits.html).
// Teams: 28 KB, 4 messages a second
// (learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using).

const slackText = z.strictObject({
  type: z.literal('mrkdwn'),
  text: z
    .string()
    .min(1)
    .max(3000)
    // control characters are escaped; "<" only begins a link
    .refine((text) => !/&(?!amp;|lt;|gt;)/.test(text), 'unescaped &')
    .refine((text) => !/<(?!https?:\/\/[^|<>]+\|[^<>]*>)/.test(text), 'unescaped <'),
  verbatim: z.boolean(),
});

const slack = z.strictObject({
  text: z.string().min(1).max(40_000),
  blocks: z
    .array(
      z.discriminatedUnion('type', [
        z.strictObject({
          type: z.literal('header'),
          text: z.strictObject({
            type: z.literal('plain_text'),
            text: z.string().min(1).max(150),
            emoji: z.boolean(),
          }),
        }),
        z.strictObject({ type: z.literal('section'), text: slackText }),
      ]),
    )
    .max(50),
});

const discord = z
  .strictObject({
    embeds: z
      .array(
        z.strictObject({ title: z.string().max(256), description: z.string().min(1).max(4096) }),
      )
      .min(1)
      .max(10),
    allowed_mentions: z.strictObject({ parse: z.array(z.string()).max(0) }),
  })
  .refine(
    ({ embeds }) =>
      embeds.reduce((sum, { title, description }) => sum + title.length + description.length, 0) <=
      6000,
  );

const teams = z.strictObject({
  type: z.literal('message'),
  attachments: z
    .array(
      z.strictObject({
        contentType: z.literal('application/vnd.microsoft.card.adaptive'),
        contentUrl: z.null(),
        content: z.strictObject({
          $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
          type: z.literal('AdaptiveCard'),
          version: z.enum(['1.2', '1.3', '1.4', '1.5']),
          body: z.array(
            z.strictObject({
              type: z.literal('TextBlock'),
              size: z.literal('Medium').optional(),
              weight: z.literal('Bolder').optional(),
              wrap: z.boolean(),
              text: z.string().min(1),
            }),
          ),
        }),
      }),
    )
    .length(1),
});

/** Problems of a payload; empty: the service takes it. */
export const chatProblems = (service: 'slack' | 'discord' | 'teams', body: string): string[] => {
  const { error } = { slack, discord, teams }[service].safeParse(JSON.parse(body));
  const isLarge = service === 'teams' && Buffer.byteLength(body, 'utf16le') > 28 * 1024;
  return [...(error?.issues.map(({ message }) => message) ?? []), ...(isLarge ? ['28 KB'] : [])];
};
