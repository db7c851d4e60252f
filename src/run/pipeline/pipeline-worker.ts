import { answerRequests, threadStart } from '../../base/thread.ts';
import { type Lake, openLakeForReading } from '../../lake/open.ts';
import { oneReading } from '../../lake/statements.ts';
import type { PipelineStart } from './pipeline-reader.ts';
import { type PipelineQuery, type PipelineState, pipelineState } from './pipeline-state.ts';

// Reads the pipeline in a worker thread, so that the service does not wait for counts.

const CACHE_KIB = 4 * 1024;

const { dataDir, ...settings } = threadStart<PipelineStart>();
let lake: Lake | undefined;

const read = (query: PipelineQuery): PipelineState => {
  try {
    lake ??= openLakeForReading(dataDir);
    lake.sqlite.pragma(`cache_size = -${CACHE_KIB}`);
    lake.sqlite.pragma('temp_store = FILE'); // sorting must not use memory
    const of = lake;
    return oneReading(of, () => pipelineState(of, settings, query));
  } catch (error) {
    lake?.close();
    lake = undefined; // reopened next time
    throw error;
  }
};

answerRequests(read);
