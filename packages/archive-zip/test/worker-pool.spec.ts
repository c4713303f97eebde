import { expect } from 'chai';
import type { Job } from '../src/jobs.ts';
import { ProofControl } from '../src/jobs.ts';
import { WorkerPool } from '../src/worker-pool.ts';

/** A job that controls a worker of the test. */
function jobOf(command: string): Job {
  return { kind: 'list', staged: { file: command }, size: 0, maxEntries: 0 };
}

const WORKER = new URL('./scripted-worker.ts', import.meta.url);

describe('WorkerPool', () => {
  let pool: WorkerPool;

  beforeEach(() => {
    pool = new WorkerPool(2, WORKER);
  });
  afterEach(() => pool.close());

  it('runs at most the allowed number of workers, and reuses them', async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => pool.run(jobOf('thread'), new ProofControl())),
    );
    const threads = new Set(replies.map((reply) => (reply.kind === 'done' ? reply.result : undefined)));
    expect(threads.size).to.equal(2);
  });

  it('fails the jobs of a worker that died, and starts another', async () => {
    for (const death of ['throw', 'exit']) {
      const [died, concurrent] = await Promise.all([
        pool.run(jobOf(death), new ProofControl()),
        pool.run(jobOf('thread'), new ProofControl()),
      ]);
      expect(died.kind).to.equal('failed');
      expect(concurrent.kind).to.be.oneOf(['done', 'failed']);
      expect((await pool.run(jobOf('thread'), new ProofControl())).kind).to.equal('done');
    }
  });

  it('removes the queued jobs of a stopped control', async () => {
    const control = new ProofControl();
    const running = Array.from({ length: 4 }, () => pool.run(jobOf('wait'), control));
    const waiting = pool.run(jobOf('thread'), control);
    control.stop();
    pool.drop(control);
    expect((await waiting).kind).to.equal('stopped');
    expect((await Promise.all(running)).map(({ kind }) => kind)).to.deep.equal(Array(4).fill('stopped'));
  });

  it('fails a job for which no thread can be started, and uses a running worker', async () => {
    const entry = new URL('http://no.thread/');
    const limited = new WorkerPool(2, entry);
    expect((await limited.run(jobOf('thread'), new ProofControl())).kind).to.equal('failed');
    entry.href = WORKER.href;
    const first = limited.run(jobOf('thread'), new ProofControl());
    entry.href = 'http://no.thread/';
    const replies = await Promise.all([first, limited.run(jobOf('thread'), new ProofControl())]);
    expect(replies.map(({ kind }) => kind)).to.deep.equal(['done', 'done']);
    await limited.close();
  });

  it('closes once every job has ended', async () => {
    const reply = pool.run(jobOf('thread'), new ProofControl());
    await pool.close();
    expect((await reply).kind).to.equal('done');
  });
});
