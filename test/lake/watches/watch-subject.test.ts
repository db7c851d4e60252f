import { describe, expect, test } from 'vitest';
import { parseSubject } from '../../../src/lake/watches/watch-subject.ts';

const TIKTOK = 'tt_7240348510065823002';
const YOUTUBE = 'yt_dQw4w9WgXcQ';
const INSTAGRAM = 'ig_CxYz12-_ab';

describe('reads a video from every usual address', () => {
  test.each([
    [TIKTOK, TIKTOK],
    ['https://www.tiktok.com/@maker/video/7240348510065823002?is_from_webapp=1', TIKTOK],
    ['https://m.tiktok.com/v/7240348510065823002.html', TIKTOK],
    ['https://www.tiktok.com/@maker/photo/7240348510065823002', TIKTOK],
    ['https://www.tiktok.com/embed/v2/7240348510065823002', TIKTOK],
    ['tiktok.com/@maker/video/7240348510065823002', TIKTOK],
    ['https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=10s', YOUTUBE],
    ['https://www.youtube.com/watch?list=PL1&v=dQw4w9WgXcQ', YOUTUBE],
    ['https://youtu.be/dQw4w9WgXcQ?si=x', YOUTUBE],
    ['https://www.youtube.com/shorts/dQw4w9WgXcQ', YOUTUBE],
    ['https://m.youtube.com/shorts/dQw4w9WgXcQ', YOUTUBE],
    ['https://www.youtube.com/embed/dQw4w9WgXcQ', YOUTUBE],
    ['https://www.youtube.com/live/dQw4w9WgXcQ', YOUTUBE],
    ['https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ', YOUTUBE],
    ['https://www.instagram.com/reel/CxYz12-_ab/?igsh=1', INSTAGRAM],
    ['https://www.instagram.com/reels/CxYz12-_ab/', INSTAGRAM],
    ['https://www.instagram.com/p/CxYz12-_ab/', INSTAGRAM],
    ['https://instagram.com/maker/reel/CxYz12-_ab', INSTAGRAM],
  ])('%s', (text, subject) => {
    expect(parseSubject(text)).toMatchObject({ kind: 'video', subject });
  });
});

test.each([
  ['https://www.tiktok.com/@Maker', { kind: 'creator', platform: 'tiktok', subject: 'maker' }],
  [
    'https://instagram.com/maker.x/',
    { kind: 'creator', platform: 'instagram', subject: 'maker.x' },
  ],
  [
    'https://www.youtube.com/@Maker/shorts',
    { kind: 'creator', platform: 'youtube', subject: 'maker' },
  ],
  [
    'https://www.tiktok.com/tag/streetfood',
    { kind: 'hashtag', platform: 'tiktok', subject: 'streetfood' },
  ],
  ['#StreetFood', { kind: 'hashtag', platform: null, subject: 'streetfood' }],
  ['street food  berlin', { kind: 'search', platform: null, subject: 'street food berlin' }],
  ['@Maker', { kind: 'handle', subject: 'maker' }],
])('%s', (text, subject) => {
  expect(parseSubject(text)).toEqual(subject);
});

test('a handle with its platform is a creator', () => {
  expect(parseSubject('@Maker', { platform: 'youtube' })).toEqual({
    kind: 'creator',
    platform: 'youtube',
    subject: 'maker',
  });
});

test('a single word is a search only if asked for', () => {
  expect(parseSubject('berlin', { isSearch: true })).toMatchObject({ kind: 'search' });
  expect(() => parseSubject('berlin')).toThrow(/Write @berlin for a creator, #berlin/);
});

test.each([
  ['https://vm.tiktok.com/ZMabc/', /short link/],
  ['https://www.tiktok.com/t/ZMabc/', /short link/],
  ['https://example.com/video/1', /is not the address of a video/],
  ['https://www.instagram.com/explore/', /is not the address of a video/],
  ['#', /is not a hashtag/],
  ['@not a handle', /is not a handle/],
  [' ', /could be a handle/],
])('refuses %s', (text, message) => {
  expect(() => parseSubject(text)).toThrow(message);
});
