import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { newSecret, secretKey, signedLetter } from '../../../src/alerts/webhooks/signature.ts';

describe('signatures', () => {
  test('are those of the public library, for any body and id', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.stringMatching(/^[\w.]{1,60}$/),
        fc.integer({ min: 0, max: 4e12 }),
        (body, id, at) => {
          const secret = newSecret();
          const theirs = new Webhook(secret).sign(id, new Date(at), body);
          expect(signedLetter(id, at, body, [secret]).headers['webhook-signature']).toBe(theirs);
        },
      ),
    );
  });

  test('match the example of the specification', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const { headers } = signedLetter(
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      1_614_265_330_000,
      '{"test": 2432232314}',
      [secret],
    );
    expect(headers).toEqual({
      'content-type': 'application/json',
      'user-agent': 'trendlake-webhooks',
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  test.each([
    '',
    'whsec_',
    'whsec_c2hvcnQ=',
    `whsec_${Buffer.alloc(23).toString('base64')}`,
    `whsec_${Buffer.alloc(65).toString('base64')}`,
    'whsec_not base64 at all, however long it may be!!',
    Buffer.alloc(32).toString('base64'),
  ])('the secret %j is refused without being repeated', (secret) => {
    expect(() => secretKey(secret)).toThrow(/whsec_ and 24 to 64 bytes/);
    if (secret.length > 8) expect(() => secretKey(secret)).not.toThrow(secret);
  });

  test('a secret of a million paddings is refused at once', () => {
    // in time that grows with the square of its length it would outlast this test
    for (const secret of [`whsec_${'='.repeat(1e6)}`, `whsec_${'='.repeat(1e6)}x`])
      expect(() => secretKey(secret)).toThrow(/whsec_ and 24 to 64 bytes/);
  });
});
