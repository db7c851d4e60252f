import { closeSync, openSync } from 'node:fs';
import { createServer } from 'node:http';
import { HttpPoster } from '../../../src/alerts/webhooks/post.ts';
import { systemClock } from '../../../src/base/clock.ts';

// Posts twice in its own process: while no file can be opened, and after that. Prints the results.

const server = createServer((_, response) => response.end('got it'));
server.listen(0, '127.0.0.1', async () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const letter = { url: `http://127.0.0.1:${port}/`, body: '{}', headers: {}, loopback: true };
  const poster = new HttpPoster({ clock: systemClock });
  const files: number[] = [];
  try {
    for (;;) files.push(openSync('/dev/null', 'r'));
  } catch {
    // there are no more
  }
  const { error } = await poster.post(letter);
  for (const file of files) closeSync(file);
  const { status } = await poster.post(letter);
  await poster.close();
  server.close();
  process.stdout.write(JSON.stringify({ error, status }));
});
