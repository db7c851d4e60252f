#!/usr/bin/env node
// The first file that runs. It loads nothing before it has checked the Node it runs on: the
// database driver ends the process on an older one without a word. It is JavaScript because such a
// Node cannot read TypeScript either.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `trendlake needs Node 22.19 or newer; this is Node ${process.versions.node}. In a checkout, run it as \`npm run -s trendlake -- <command>\`, which brings its own Node 24; elsewhere, update Node.\n`,
  );
  process.exit(2);
}
// What is compiled once is kept (in NODE_COMPILE_CACHE, or a folder of the system's temporary one):
// the next start takes half the time. Where nothing can be kept, nothing is.
const { enableCompileCache } = await import('node:module');
enableCompileCache();
if (process.argv[2] === 'serve') {
  const { startAgainSmall } = await import('../serve/small-memory.ts');
  startAgainSmall();
}
const { main } = await import('./main.ts');
await main();
