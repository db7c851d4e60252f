import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** True for a local address or `localhost`, without brackets. */
export const isLoopback = (host: string): boolean => {
  const version = isIP(host);
  return version === 0
    ? host === 'localhost'
    : LOOPBACK.check(host, version === 4 ? 'ipv4' : 'ipv6');
};
