// Loaded before a server, so that it tells what only it can know: what it holds, and how long its event loop was silent.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

if (isMainThread && process.send !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const answers: Readonly<Record<string, () => number>> = {
    'bytes held': () => {
      setFlagsFromString('--expose-gc');
      runInNewContext('gc')();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    },
    'longest silence': () => {
      const longest = delay.max / 1e6;
      delay.reset();
      return longest;
    },
  };
  process.on('message', (question) => process.send?.(answers[String(question)]?.()));
  // A bench that failed leaves nothing behind.
  process.on('disconnect', () => process.exit(1));
  process.channel?.unref();
}
