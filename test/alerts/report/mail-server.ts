import { type AddressInfo, createServer } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { onTestFinished } from 'vitest';

/** A mail server of this machine that takes every mail, parsed by a MIME parser. */
export const mailServer = async (): Promise<{
  readonly target: string;
  mails(): Promise<Email[]>;
}> => {
  const raw: string[] = [];
  const server = createServer((socket) => {
    let rest = '';
    let data: string[] | undefined;
    const replyTo = (line: string): string | undefined => {
      if (data !== undefined) {
        if (line !== '.') {
          data.push(line.replace(/^\.\./, '.'));
          return undefined;
        }
        raw.push(data.join('\r\n'));
        data = undefined;
        return '250 taken';
      }
      if (line === 'DATA') {
        data = [];
        return '354 go on';
      }
      return line.startsWith('QUIT') ? '221 bye' : '250 ok';
    };
    socket.write('220 made up\r\n');
    socket.on('data', (chunk) => {
      const lines = (rest + chunk.toString('latin1')).split('\r\n');
      rest = lines.pop() ?? '';
      for (const reply of lines.map(replyTo)) if (reply !== undefined) socket.write(`${reply}\r\n`);
    });
    socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return {
    target: `smtp://127.0.0.1:${port}/?from=lake@example.com&to=team@example.com`,
    mails: () => Promise.all(raw.map((one) => PostalMime.parse(Buffer.from(one, 'latin1')))),
  };
};
