import type { Platform } from '../../../schema/vocabulary.ts';
import type { RandomStream } from './random-stream.ts';

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const base64 = (stream: RandomStream, length: number): string =>
  Array.from({ length }, () => BASE64URL[stream.below(64)]).join('');

/**
 * An id as the platform would give it: TikTok's hold the second of birth in their upper half,
 * YouTube's are 64 bits in eleven characters, Instagram's begin with the letter of their decade.
 */
export const drawId = (stream: RandomStream, platform: Platform, bornAt: number): string => {
  switch (platform) {
    case 'tiktok': {
      const second = BigInt(Math.floor(bornAt / 1000));
      return `tt_${(second << 32n) | BigInt(stream.below(2 ** 32))}`;
    }
    case 'instagram':
      return `ig_D${base64(stream, 10)}`;
    case 'youtube':
      return `yt_${base64(stream, 10)}${BASE64URL[4 * stream.below(16)]}`;
  }
};
