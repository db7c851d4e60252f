import { appendFileSync } from 'node:fs';

// Loaded into a command and whatever processes of Node it starts (NODE_OPTIONS): each reports at its
// end the peak of its memory, in kilobytes, and its processor time, in microseconds.

process.on('exit', () => {
  const { PEAKS } = process.env;
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  if (PEAKS !== undefined) appendFileSync(PEAKS, `${maxRSS} ${userCPUTime + systemCPUTime}\n`);
});
