import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { proveBombs, proveResponses } from './security/bombs.ts';
import { proveBrowser } from './security/browser.ts';
import { type Proof, proofTable } from './security/proof.ts';
import { proveAssistants, proveQueryTurns } from './security/queries.ts';
import { provePaths, proveScopes } from './security/routes.ts';
import { startServed } from './security/served.ts';
import { proveTargets } from './security/targets.ts';

// The promises of docs/guides/security.md in their long forms, against `trendlake serve` on this machine: prints
// the table of that page, the attacks that got through, and exits with 1 when anything did. A few minutes;
// nothing leaves the machine.
//
//   npm run prove security

/**
 * A flood of connections without a key, beside a feed with one; its own file, which says how it ended.
 * It measures: where other work keeps the machine busy, it fails for that.
 */
const proveFlood = (): Proof => {
  const path = fileURLToPath(new URL('./security/flood.ts', import.meta.url));
  const connections = 400;
  const { status, stdout } = spawnSync(
    process.execPath,
    [path, '--connections', String(connections), '--seconds', '5', '--videos', '2000'],
    { encoding: 'utf8', timeout: 120_000 },
  );
  const measured = stdout.trim().split('\n').join('; ').replaceAll('|', '/');
  const what = 'connections at once without a key, beside a keyed feed';
  const passed = status === 0 ? [] : ['slower than promised'];
  return { what, tried: connections, passed, measured };
};

/** Floods that are cheap for their sender, and pages of ever other instants; in its own file as well. */
const proveKeyless = (): Proof => {
  const path = fileURLToPath(new URL('./security/keyless.ts', import.meta.url));
  const connections = 340;
  const { status, stdout } = spawnSync(
    process.execPath,
    [path, '--connections', String(connections)],
    { encoding: 'utf8', timeout: 180_000 },
  );
  const measured = stdout.trim().split('\n').join('; ').replaceAll('|', '/');
  const what = 'OPTIONS, /health, scripts and pages of varying instants without a key';
  const passed = status === 0 ? [] : ['slower than promised'];
  return { what, tried: connections, passed, measured };
};

const served = await startServed();
const proofs: Proof[] = [];
try {
  proofs.push(...(await proveTargets(served)));
  proofs.push(await proveScopes(served));
  proofs.push(await provePaths(served));
  proofs.push(await proveBombs(served));
  proofs.push(await proveResponses());
  proofs.push(await proveQueryTurns(served));
  proofs.push(await proveAssistants(served));
  proofs.push(await proveBrowser(served));
} finally {
  await served.stop();
}
proofs.push(proveFlood());
proofs.push(proveKeyless());
console.log(proofTable(proofs));
for (const { what, passed } of proofs)
  for (const one of passed.slice(0, 20)) console.log(`came through: ${what}: ${one}`);
process.exitCode = proofs.every(({ passed }) => passed.length === 0) ? 0 : 1;
