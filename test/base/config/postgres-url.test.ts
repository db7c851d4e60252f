import { expect, test } from 'vitest';
import { ledgerUrl } from '../../../src/base/config/setting-readers.ts';

test.each([
  'postgres://u:p@db.example/lake',
  'postgresql://u:p@10.0.0.5:5432/lake?schema=one',
  'postgres://u:p@127.0.0.1,db.example/lake',
  'postgres://u:p@localhost/lake?host=db.example',
  'postgres://u:p@localhost.example/lake',
  'postgres://u:p@db.example/lake?ssl=0',
  'postgres://u:p@db.example/lake?ssl=false',
  'postgres://u:p@db.example/lake?sslmode=',
])('refuses a remote server without TLS: %s', (text) => {
  expect(ledgerUrl(text)).toEqual({ expected: expect.stringContaining('?sslmode=verify-full') });
});

test.each([
  'postgres://u:p@db.example/lake?sslmode=disable',
  'postgres://u:p@db.example/lake?sslmode=verify-full',
  'postgres://u:p@one.example,two.example/lake?schema=one&sslmode=require',
  'postgres://u:p@db.example/lake?ssl=true',
  'postgres://u:p@db.example/lake?sslrootcert=/etc/ca.pem',
  'postgres://u:p@127.0.0.1:5432/lake',
  'postgres://u:p@127.8.8.8,localhost/lake',
  'postgres://u:p@[::1]:5432/lake',
  'postgres://u:p@localhost/lake?host=/var/run/postgresql',
])('accepts TLS, sslmode=disable or a local server: %s', (text) => {
  expect(ledgerUrl(text)).toHaveProperty('value');
});
