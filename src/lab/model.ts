import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { messageOf } from '../errors.ts';
import { hiding } from '../hidden-forms.ts';
import { Secret } from '../secret.ts';
import { type Analysis, recipe } from '../wire/analysis-shapes.ts';
import type { Findings } from './findings.ts';
import { modelMessages } from './model-messages.ts';

/** Where an OpenAI-compatible endpoint is, and which of its models to ask. */
export interface ModelSettings {
  readonly url: string;
  readonly key: Secret;
  readonly name: string;
  /** Longest wait for its response. */
  readonly timeoutMs: number;
}

const DEFAULT_TIMEOUT_MS = 60_000;

/**
 * The configured model, or undefined when none is. An endpoint without a key (a local one) is asked
 * with an empty key.
 */
export const modelSettings = ({
  modelUrl: url,
  modelName: name,
  modelKey: key = new Secret(''),
}: Pick<Config, 'modelUrl' | 'modelName' | 'modelKey'>): ModelSettings | undefined =>
  url === undefined || name === undefined
    ? undefined
    : { url, key, name, timeoutMs: DEFAULT_TIMEOUT_MS };

/** What the model may say. Numbers and strengths are ours; it only chooses and words. */
const modelWords = z.object({
  summary: z.string().min(1).max(2000),
  why: z.array(z.object({ factor: z.string(), finding: z.string().min(1).max(600) })).min(1),
  recipe,
});

type ModelWords = Pick<Analysis, 'summary' | 'why' | 'recipe'>;
const LONGEST_RESPONSE = 64_000;

const FENCE = '```';

/** The response's JSON, also out of a fenced block. */
const jsonOf = (content: string): unknown => {
  const text = content.trim();
  const isFenced = text.startsWith(FENCE) && text.endsWith(FENCE) && text.length > 2 * FENCE.length;
  const inside = isFenced ? text.slice(FENCE.length, -FENCE.length) : text;
  return JSON.parse(isFenced && inside.startsWith('json') ? inside.slice('json'.length) : inside);
};

/** More than any words of a model need; the rest of an endless response is not read. */
const LARGEST_RESPONSE_BYTES = 1024 * 1024;

/** The part of a response that is read: past the limit it breaks off with an error. */
const bounded = (): TransformStream<Uint8Array, Uint8Array> => {
  let bytes = 0;
  return new TransformStream({
    transform: (chunk, controller) => {
      bytes += chunk.length;
      if (bytes > LARGEST_RESPONSE_BYTES)
        controller.error(new Error(`more than ${LARGEST_RESPONSE_BYTES} bytes`));
      else controller.enqueue(chunk);
    },
  });
};

/** `fetch` whose responses are bounded, unpacked ones too. */
const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const body = response.body?.pipeThrough(bounded()) ?? null;
  return new Response(body, response);
};

/**
 * The model's words on the given findings, or why they cannot be used: not JSON, not of the shape,
 * a factor that was not given or named twice. Each factor keeps the strength and evidence given.
 */
const readWords = (
  content: string,
  { why }: Findings,
): { words: ModelWords } | { failed: string } => {
  if (content.length > LONGEST_RESPONSE) return { failed: 'its response was too long.' };
  let json: unknown;
  try {
    json = jsonOf(content);
  } catch {
    return { failed: 'its response was not JSON.' };
  }
  const parsed = modelWords.safeParse(json);
  if (!parsed.success)
    return {
      failed: `its response did not have the agreed shape (${parsed.error.issues[0]?.path.join('.')}).`,
    };
  const worded = parsed.data.why.map(({ factor, finding }) => {
    const given = why.find((candidate) => candidate.factor === factor);
    return given === undefined ? undefined : { ...given, finding };
  });
  const known = worded.filter((factor) => factor !== undefined);
  if (known.length < worded.length)
    return { failed: 'it named a factor that was not in the evidence.' };
  if (new Set(known.map(({ factor }) => factor)).size < known.length)
    return { failed: 'it named a factor twice.' };
  known.sort((a, b) => b.strength - a.strength);
  return { words: { summary: parsed.data.summary, why: known, recipe: parsed.data.recipe } };
};

/** Asks the configured model to word the findings. Never throws: a failure is told in `failed`. */
export const askModel = async (
  settings: ModelSettings,
  findings: Findings,
): Promise<{ words: ModelWords } | { failed: string }> => {
  const { url, key, name, timeoutMs } = settings;
  if (findings.why.length === 0) return { failed: 'there is no evidence to put into words.' };
  const stop = AbortSignal.timeout(timeoutMs);
  try {
    const { OpenAI } = await import('openai');
    const client = new OpenAI({
      baseURL: url,
      apiKey: key.reveal() || 'none',
      organization: null, // not what other programs' settings say
      project: null,
      maxRetries: 0,
      logLevel: 'off',
      fetchOptions: { redirect: 'error' }, // the key goes to the configured address only
      fetch: boundedFetch,
    });
    const response = await client.chat.completions.create(
      { model: name, messages: modelMessages(findings), response_format: { type: 'json_object' } },
      { signal: stop },
    );
    const message = response.choices?.[0]?.message;
    if (typeof message?.refusal === 'string' && message.refusal !== '')
      return { failed: 'it refused.' };
    if (typeof message?.content !== 'string') return { failed: 'it answered without text.' };
    return readWords(message.content, findings);
  } catch (error) {
    if (stop.aborted) return { failed: `it did not answer within ${timeoutMs / 1000} s.` };
    const told = hiding(key.reveal())(messageOf(error)).replaceAll(
      key.reveal() || '\0', // a short one, which stands for itself alone
      '[hidden]',
    );
    return { failed: `the endpoint failed (${told.slice(0, 200)}).` };
  }
};
