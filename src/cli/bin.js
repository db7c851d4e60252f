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
// What is compiled once is kept, in the user's own cache folder: the next start takes half the time.
// Node itself keeps it where NODE_COMPILE_CACHE says. Where nothing can be kept safely, nothing is.
if ((process.env.NODE_COMPILE_CACHE ?? '') === '') {
  const { compileCacheFolder } = await import('./compile-cache.js');
  const folder = compileCacheFolder(process.env);
  const { enableCompileCache } = await import('node:module');
  if (folder !== undefined) {
    enableCompileCache(folder);
    process.env.NODE_COMPILE_CACHE = folder; // threads and processes that it starts know it from here
  }
}
if (['serve', 'schedule', 'export'].includes(process.argv[2] ?? '')) {
  const { EXPORT_HEAP, HEAP, startAgainSmall } = await import('../base/small-memory.ts');
  startAgainSmall(process.argv[2] === 'export' ? EXPORT_HEAP : HEAP);
}
const { main } = await import('./main.ts');
await main();
