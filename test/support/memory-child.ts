import { Secret } from '../../src/base/secret.ts';
import { HttpApiClient } from '../../src/upstream/client.ts';

// Asks the base URL it is given a few times and prints by how many megabytes the process grew.
const baseUrl = process.argv[2] ?? '';
const client = new HttpApiClient({ baseUrl, apiKey: new Secret('k'), timeoutMs: 20_000 });
const request = { kind: 'creator', platform: 'tiktok', handle: 'user1' } as const;
const rssMb = (): number => process.memoryUsage().rss / (1 << 20);
await client.send({ ...request, handle: 'user2' }); // what the client itself needs
const before = rssMb();
let peak = before;
const timer = setInterval(() => {
  peak = Math.max(peak, rssMb());
}, 5);
const stated: string[] = [];
for (let i = 0; i < 3; i++)
  await client.send(request).catch((error: unknown) => stated.push(String(error)));
clearInterval(timer);
await client.close();
process.stdout.write(JSON.stringify({ grownMb: Math.max(peak, rssMb()) - before, stated }));
