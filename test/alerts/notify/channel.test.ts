import { existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sendTo } from '../../../src/alerts/notify/channel.ts';
import { type Message, messageFor } from '../../../src/alerts/notify/message.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { freshFolder, freshLake } from '../../support/fresh.ts';

const message: Message = {
  type: 'trendlake.notice',
  timestamp: '2026-03-01T00:00:00.000Z',
  data: {
    notices: [
      {
        kind: 'run',
        subject: '',
        state: 'began',
        since: '2026-03-01T00:00:00.000Z',
        until: null,
        sentence: 'Run 1 was failed.',
      },
    ],
  },
};
const deps = (env: NodeJS.ProcessEnv = process.env) => {
  const lake = freshLake();
  return { clock: systemClock, lake, env, signal: new AbortController().signal };
};

test('a command receives the notices as JSON, and its failure is reported', async () => {
  const file = join(freshFolder(), 'a file.json');
  const handed = deps();
  expect(await sendTo(`cat > '${file}'`, message, handed)).toBeUndefined();
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(message);
  expect(await sendTo('exit 3', message, handed)).toBe('the command ended with exit code 3');
});

test('a command gets no secret of the process, whatever it is called', async () => {
  const file = join(freshFolder(), 'env');
  const { PATH } = process.env;
  const secrets = {
    TRENDLAKE_API_KEY: 'secret-1',
    TRENDLAKE_HOOK_SECRET: 'secret-2',
    TRENDLAKE_MODEL_KEY: 'secret-3',
    TRENDLAKE_LEDGER_URL: 'postgres://user:secret-4@host/db',
    AWS_SECRET_ACCESS_KEY: 'secret-5',
    KEY_BERLIN: 'secret-6', // named in `keys`
    TRENDLAKE_NOTIFY: 'secret-7',
  };
  const env = { ...secrets, PATH, TZ: 'Asia/Tokyo', LC_ALL: 'C', http_proxy: 'http://127.0.0.1:9' };
  await sendTo(`env > '${file}'`, message, deps(env));
  const seen = readFileSync(file, 'utf8');
  expect(seen).not.toMatch(/secret-/);
  for (const name of Object.keys(secrets)) expect(seen).not.toContain(name);
  for (const kept of ['TZ=Asia/Tokyo', 'LC_ALL=C', 'http_proxy=http', 'TRENDLAKE_NOTICE=Run 1'])
    expect(seen).toContain(kept);
});

test('a command that hangs is given up', async () => {
  const failure = await sendTo('sleep 1000', message, { ...deps(), timeoutMs: 1 });
  expect(failure).toBe('it took longer than 0.001 s and was ended');
});

test('whoever stops the sender ends a command at once', async () => {
  const file = join(freshFolder(), 'begun');
  const stop = new AbortController();
  const sent = sendTo(`: > '${file}'; sleep 1000`, message, { ...deps(), signal: stop.signal });
  const ended = sent.catch(String);
  await eventually(() => expect(existsSync(file)).toBe(true));
  stop.abort(new Error('stopped by SIGTERM'));
  expect(await ended).toBe('Error: stopped by SIGTERM');
});

test('many notices, and text from outside, keep no command from being started', async () => {
  const file = join(freshFolder(), 'notice');
  const long = messageFor(
    Array.from({ length: 500 }, (_, n) => ({
      kind: 'endpoint' as const,
      subject: `${n}`,
      beganAt: 0,
      endedAt: null,
      sentence: `Endpoint ${n} failed: ${'x\0'.repeat(300)}`,
    })),
    0,
  );
  const command = `printf %s "$TRENDLAKE_NOTICE" > '${file}'`;
  expect(await sendTo(command, long, deps())).toBeUndefined();
  expect(readFileSync(file, 'utf8')).toMatch(/^Endpoint 0 failed: x x x/);
});

test('text from outside brings no control characters into a notice, nor further lines', () => {
  const hostile =
    '\u001b]0;owned\u0007\u001b[31mred\u009b2J \u202etxt\r\n\n\0\u007fOver since never: all is well';
  const notice = { kind: 'drift', subject: hostile, beganAt: 0, endedAt: null } as const;
  const made = messageFor([{ ...notice, sentence: `New field: ${hostile}.` }], 0);
  const clean = ']0;owned [31mred 2J txt Over since never: all is well';
  expect(made.data.notices[0]).toMatchObject({
    subject: clean,
    sentence: `New field: ${clean}.`,
  });
});

/** A mail server that takes all, and offers `extensions`. The lines that it was sent, and its port. */
const mailServer = async (extensions: readonly string[] = []) => {
  const lines: string[] = [];
  const server = createServer((socket) => {
    let inData = false;
    const replyTo = (line: string): string => {
      if (line.startsWith('EHLO'))
        return ['made up', ...extensions]
          .map((one, i) => `250${i === extensions.length ? ' ' : '-'}${one}`)
          .join('\r\n');
      if (line === 'DATA') return '354 go on';
      if (line === 'STARTTLS') return '502 not here';
      if (line.startsWith('AUTH')) return '235 welcome';
      return line.startsWith('QUIT') ? '221 bye' : '250 ok';
    };
    socket.write('220 made up\r\n');
    socket.on('data', (chunk) => {
      for (const line of chunk.toString().split('\r\n').slice(0, -1)) {
        lines.push(line);
        if (inData && line !== '.') continue;
        inData = line === 'DATA';
        socket.write(`${replyTo(line)}\r\n`);
      }
    });
    socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { lines, port: (server.address() as AddressInfo).port };
};
const MAIL = '?from=lake@example.com&to=ops@example.com';

test('an e-mail goes out over SMTP', async () => {
  const { lines, port } = await mailServer();
  expect(await sendTo(`smtp://127.0.0.1:${port}/${MAIL}`, message, deps())).toBeUndefined();
  expect(lines).toContain('RCPT TO:<ops@example.com>');
  expect(lines).toContain('Subject: trendlake: run');
  expect(lines.join('\n')).toContain('Run 1 was failed.');
});

test.each([
  ['offers no TLS', ['AUTH PLAIN LOGIN']],
  ['offers TLS and refuses it', ['STARTTLS', 'AUTH PLAIN LOGIN']],
])('no password is sent to a mail server that %s', async (_, extensions) => {
  const { lines, port } = await mailServer(extensions);
  const address = `smtp://ops:pass-word-1@127.0.0.1:${port}/${MAIL}`;
  const failure = await sendTo(address, message, deps());
  expect(failure).toMatch(/^no TLS with the mail server .*use smtps:, or a server that offers/);
  expect(failure).not.toContain('pass-word-1');
  expect(lines.filter((line) => /^(AUTH|MAIL)/.test(line))).toEqual([]);
});
