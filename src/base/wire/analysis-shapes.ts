import { z } from 'zod';
import { instant, platformName, videoId } from './shapes.ts';

/** A reason why a video went viral or not, with its numbers. */
const whyFactor = z
  .object({
    factor: z.string().meta({ example: 'age-cohort' }),
    finding: z.string().meta({ description: 'The conclusion, in a sentence.' }),
    strength: z.number().min(0).max(1).meta({
      description:
        '0: may be chance, 1: strongest. Computed from the cautious end of the interval.',
    }),
    evidence: z
      .record(z.string(), z.unknown())
      .meta({ description: 'The numbers, the size of the comparison group, the interval.' }),
  })
  .meta({ id: 'WhyFactor' });
export type WhyFactor = z.infer<typeof whyFactor>;

const shortText = z.string().min(1).max(600);

const postingWindow = z
  .object({
    weekday: z
      .enum(['any', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'])
      .meta({ description: 'In UTC.' }),
    fromHour: z.int().min(0).max(23).meta({ description: 'In UTC.' }),
    toHour: z
      .int()
      .min(0)
      .max(24)
      .meta({ description: 'In UTC. Less than fromHour if the window passes midnight.' }),
    finding: shortText,
  })
  .meta({ id: 'PostingWindow' });
export type PostingWindow = z.infer<typeof postingWindow>;

export const recipe = z
  .object({
    hook: shortText,
    format: shortText,
    caption: shortText,
    hashtags: z.array(z.string().min(1).max(100)).max(10).meta({ description: 'Without #.' }),
    postingWindows: z.array(postingWindow).max(5),
    steps: z.array(shortText).min(1).max(10),
  })
  .meta({ id: 'Recipe' });
export type Recipe = z.infer<typeof recipe>;

export const analysisResponse = z
  .looseObject({
    id: videoId,
    platform: platformName,
    method: z.enum(['statistical', 'model']),
    generatedAt: instant,
    summary: z.string(),
    why: z.array(whyFactor).meta({ description: 'Strongest first.' }),
    recipe,
    note: z
      .string()
      .optional()
      .meta({ description: 'Why a configured model did not write this response.' }),
  })
  .meta({ id: 'Analysis' });
export type Analysis = z.infer<typeof analysisResponse>;
