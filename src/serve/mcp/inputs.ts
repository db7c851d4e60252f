import { z } from 'zod';
import { EVENT_KINDS, PERIODS, PLATFORMS } from '../../../schema/vocabulary.ts';
import { HOUR_MS, rangeMs } from '../../base/durations.ts';
import { parseIso } from '../../base/iso.ts';
import { RISING_LISTS } from '../../learn/forecast/shapes.ts';
import { HORIZONS } from '../../learn/model/horizons.ts';

// Inputs of tools, with the limits of the service's parameters.

export const platform = z.enum(PLATFORMS).describe('A social video platform.');
export const onePlatform = platform.optional().describe('Only this platform. Default: all.');
export const period = z.enum(PERIODS).describe('Rolling window: 24 hours, 7 days or 30 days.');

export const paging = {
  limit: z.int().min(1).max(100).default(20).describe('Items on a page.'),
  page: z.int().min(1).default(1).describe('Page number, from 1. A page past the end is empty.'),
};

const range = z
  .string()
  .refine((text) => rangeMs(text) !== undefined, {
    error: ({ input }) =>
      `Expected a span such as 24h, 7d or 4w, at most 366 days; got "${String(input)}".`,
  })
  .meta({ pattern: '^[1-9][0-9]{0,4}[hdw]$' });
const RANGE = 'Rolling window: a number of hours (h), days (d) or weeks (w), at most 366 days.';
export const dateRange = (fallback: string) => range.default(fallback).describe(RANGE);
export const openDateRange = range.optional().describe(`${RANGE} Default: all time.`);

const instant = z
  .string()
  .refine((text) => parseIso(text) !== undefined, {
    error: ({ input }) =>
      `Expected an ISO 8601 instant such as 2026-03-01T12:00:00Z; got "${String(input)}".`,
  })
  .meta({ format: 'date-time' })
  .optional();
export const asOf = instant.describe(
  'Time travel: answers as the lake would have at this instant. ISO 8601, UTC unless it has an offset. Default, and for future instants: now.',
);
export const since = instant.describe('Only events at or after this instant, ISO 8601.');

const LONGEST_QUERY = 200;
export const searchText = z
  .string()
  .refine((text) => text.trim() !== '' && [...text].length <= LONGEST_QUERY, {
    error: `Expected 1 to ${LONGEST_QUERY} characters of search text.`,
  })
  .meta({ minLength: 1, maxLength: LONGEST_QUERY })
  .describe('Search words, all required. Supports "phrases", prefix* and -excluded.');

export const videoId = z
  .string()
  .min(1)
  .max(128)
  .describe('Video id from search, feed or trends, such as tt_7240348510065823002.');

export const handle = z
  .string()
  .min(1)
  .describe('Handle of the creator, with or without a leading @.');

export const tag = z.string().max(200).optional().describe('Tag of a watch.');
export const eventKind = z.enum(EVENT_KINDS).optional().describe('Only events of this kind.');

export const risingList = z
  .enum(RISING_LISTS)
  .default('next')
  .describe('next: videos not yet in the top 10 % by growth; risen: videos already there.');

const HORIZON_NAMES = HORIZONS.map((hours) => `${hours}h`);
/** Parsed to hours. */
export const horizon = z
  .enum(HORIZON_NAMES)
  .default('24h')
  .transform((name) => HORIZONS.find((hours) => hours * HOUR_MS === rangeMs(name)) ?? HORIZONS[1])
  .describe('Forecast horizon.');
