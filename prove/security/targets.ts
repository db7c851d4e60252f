import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { HttpPoster } from '../../src/alerts/webhooks/post.ts';
import { readTarget } from '../../src/alerts/webhooks/target.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { Proof } from './proof.ts';
import type { Served } from './served.ts';

/** Networks that nothing of ours may reach: the first and last address of each, and one between. */
const FORBIDDEN_V4 = [
  '0.0.0.0',
  '0.1.2.3',
  '0.255.255.255',
  '10.0.0.1',
  '10.128.0.7',
  '10.255.255.254',
  '100.64.0.1',
  '100.100.100.200',
  '100.127.255.254',
  '127.0.0.1',
  '127.1.2.3',
  '127.255.255.254',
  '169.254.0.1',
  '169.254.169.254',
  '169.254.170.2',
  '172.16.0.1',
  '172.20.10.5',
  '172.31.255.254',
  '192.0.0.1',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '192.168.255.254',
  '198.18.0.1',
  '198.19.255.254',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
];
const FORBIDDEN_V6 = [
  '::',
  '::1',
  'fe80::1',
  'fe80::1%25lo',
  'fc00::1',
  'fd00:ec2::254',
  'fec0::1',
  'ff02::1',
  '100::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2001:0:7f00:1::',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '::ffff:0:7f00:1',
];

const number = (address: string): number =>
  address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
const hexOf = (address: string): string => number(address).toString(16).padStart(8, '0');
const each = (address: string, spell: (part: number) => string): string =>
  address
    .split('.')
    .map((part) => spell(Number(part)))
    .join('.');
const wide = (address: string): string =>
  address.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));

/** Every way to write an IPv4 address that a URL parser, a resolver or a person takes. */
const spellings = (address: string): string[] => {
  const [a = '0', b = '0', c = '0', d = '0'] = address.split('.');
  const hex = hexOf(address);
  const halves = `${hex.slice(0, 4)}:${hex.slice(4)}`;
  const octal = (part: number): string => `0${part.toString(8)}`;
  const hexadecimal = (part: number): string => `0x${part.toString(16)}`;
  const plain = [
    address,
    `${address}.`,
    String(number(address)),
    `0x${hex}`,
    `0X${hex.toUpperCase()}`,
    `0${number(address).toString(8)}`,
    each(address, octal),
    each(address, hexadecimal),
    `${a}.${number(`0.${b}.${c}.${d}`)}`,
    `${a}.${b}.${number(`0.0.${c}.${d}`)}`,
    `${octal(Number(a))}.${hexadecimal(Number(b))}.${c}.${d}`,
    wide(address),
    address.replaceAll('.', '。'),
    address.replaceAll('.', '．'),
    address.replaceAll('.', '｡'),
    encodeURIComponent(address).replaceAll('.', '%2E'),
    address.replace(/\d/g, (digit) => `%3${digit}`),
  ];
  const inV6 = [
    `::ffff:${address}`,
    `::ffff:${halves}`,
    `0:0:0:0:0:ffff:${halves}`,
    `0000:0000:0000:0000:0000:FFFF:${halves}`,
    `::${address}`,
    `::${halves}`,
    `64:ff9b::${address}`,
    `64:ff9b::${halves}`,
    `2002:${halves}::`,
    `2002:${halves}::1`,
    `2001:0:${halves}::`,
    `::ffff:0:${address}`,
    `fe80::5efe:${address}`,
    `2001:db8::${halves}`,
  ].map((one) => `[${one}]`);
  return [...plain, ...inV6];
};

const HOSTS = [
  ...FORBIDDEN_V4.flatMap(spellings),
  ...FORBIDDEN_V6.flatMap((one) => [`[${one}]`, `[${one.toUpperCase()}]`]),
  'localhost',
  'LOCALHOST',
  'localhost.',
  'sub.localhost',
  'internal',
  'metadata',
  'router',
];
const WRAPPED = [
  (host: string) => `https://${host}/`,
  (host: string) => `https://${host}:443/latest/meta-data/`,
  (host: string) => `https://good.example@${host}/`,
  (host: string) => `http://${host}/`,
];

/** True if a text is refused as a target before anything is dialled. */
const isRefused = (text: string): boolean => {
  try {
    readTarget(text, false);
    return false;
  } catch {
    return true;
  }
};

/**
 * Spellings of forbidden targets: subscribed at the service, and posted to directly, past what reads
 * them. A listener of this machine counts whoever gets through.
 */
export const proveTargets = async ({ origin, newKey }: Served): Promise<Proof[]> => {
  let reached = 0;
  const canary = createServer((socket) => {
    reached += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
  const { port } = canary.address() as AddressInfo;

  const texts = [...new Set(HOSTS.flatMap((host) => WRAPPED.map((wrap) => wrap(host))))];
  const key = newKey(['webhooks']);
  const subscribed: string[] = [];
  for (const url of texts) {
    if (!isRefused(url) && /^https:\/\/[^/@]*\.(localhost)?\.?(:443)?\//.test(url)) continue; // a name: judged when it is dialled, below
    const { status } = await fetch(`${origin}/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url }),
    });
    if (status === 201) subscribed.push(url);
    else if (status !== 400) subscribed.push(`${url} (${status})`);
  }

  const poster = new HttpPoster({ clock: systemClock, timeoutMs: 2000 });
  const dialled: string[] = [];
  const hosts = [...new Set(HOSTS)].filter(
    (host) => !/^[a-z]+$/i.test(host) || /localhost/i.test(host),
  );
  for (const host of hosts) {
    const { error } = await poster.post({
      url: `http://${host}:${port}/`,
      body: '{}',
      headers: {},
      loopback: false,
    });
    if (error === null || reached > 0) dialled.push(host);
  }
  await poster.close();
  canary.close();
  return [
    {
      what: 'webhook targets, forbidden, in other spellings: subscribed',
      tried: texts.length,
      passed: subscribed,
      measured: '',
    },
    {
      what: 'the same, dialled without being read first',
      tried: hosts.length,
      passed: dialled,
      measured: `${reached} connections arrived`,
    },
  ];
};
