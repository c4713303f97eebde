import { parentPort, threadId } from 'node:worker_threads';
import type { JobRequest } from '../src/jobs.ts';
import { ProofControl } from '../src/jobs.ts';

/** A worker that does what a job names as its file. */
parentPort?.on('message', async ({ id, job, control }: JobRequest) => {
  switch ('file' in job.staged && job.staged.file) {
    case 'throw':
      throw new Error('a scripted failure');
    case 'exit':
      process.exit(3);
      break;
    case 'wait':
      await untilStopped(new ProofControl(control));
      parentPort?.postMessage({ id, kind: 'stopped' });
      break;
    default:
      parentPort?.postMessage({ id, kind: 'done', result: threadId });
  }
});

async function untilStopped(control: ProofControl): Promise<void> {
  for (;;) {
    try {
      control.throwIfStopped();
    } catch {
      return;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}
