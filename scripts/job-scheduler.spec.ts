import { expect } from 'chai';
import { chosen, type Job, runInLanes } from './job-scheduler.ts';

function job(name: string, more: Partial<Job> = {}): Job {
  return { name, needs: [], derivesFrom: [], ...more };
}

const CORE = job('core');
const SIZE = job("core's size");
const BUILD = job('build');
const PACKED = job('packed', { needs: ['build'] });
const INSTALLED = job('install', { needs: ['packed'] });
const MUTANTS = job('mutants', { derivesFrom: ['core'] });

describe('jobs in lanes', () => {
  it('begin in their order, as many as there are lanes', async () => {
    const begun: string[] = [];
    let atOnce = 0;
    let max = 0;
    const jobs = ['a', 'b', 'c', 'd', 'e'].map((name) => job(name));
    await runInLanes(jobs, 2, async ({ name }) => {
      begun.push(name);
      atOnce += 1;
      max = Math.max(max, atOnce);
      await Promise.resolve();
      atOnce -= 1;
      return true;
    });
    expect([begun, max]).to.deep.equal([['a', 'b', 'c', 'd', 'e'], 2]);
  });

  it('wait for what they need, and let others go first meanwhile', async () => {
    const order: string[] = [];
    await runInLanes([PACKED, MUTANTS, BUILD, CORE], 1, async ({ name }) => {
      order.push(name);
      return true;
    });
    expect(order).to.deep.equal(['build', 'packed', 'core', 'mutants']);
  });

  it('are skipped with everything that waits for them when one fails, and stop no other', async () => {
    const order: string[] = [];
    const endings = await runInLanes([CORE, BUILD, PACKED, INSTALLED, MUTANTS, SIZE], 2, async ({ name }) => {
      order.push(name);
      return name !== 'core' && name !== 'build';
    });
    expect(order).to.deep.equal(['core', 'build', "core's size"]);
    expect(Object.fromEntries([...endings].map(([{ name }, ending]) => [name, ending]))).to.deep.equal({
      core: { kind: 'failed' },
      build: { kind: 'failed' },
      packed: { kind: 'left_out', because: 'build' },
      install: { kind: 'left_out', because: 'packed' },
      mutants: { kind: 'left_out', because: 'core' },
      "core's size": { kind: 'succeeded' },
    });
  });
});

describe('jobs that wait for the last one', () => {
  it('are skipped when it fails', async () => {
    const endings = await runInLanes([INSTALLED, PACKED, BUILD], 2, async () => false);
    expect([...endings.values()].map(({ kind }) => kind)).to.deep.equal(['failed', 'left_out', 'left_out']);
  });
});

describe('jobs chosen by name', () => {
  const all = [CORE, SIZE, BUILD, PACKED, INSTALLED, MUTANTS];

  it('are all jobs if no name is given', () => {
    expect(chosen(all, [])).to.deep.equal(all);
  });
  it('are the job with exactly that name, else those whose names contain it', () => {
    expect(chosen(all, ['core'])).to.deep.equal([CORE]);
    expect(chosen(all, ['size', 'mut'])).to.deep.equal([SIZE, MUTANTS]);
  });
  it('include the jobs that they need, but not those that they derive from', () => {
    expect(chosen(all, ['install'])).to.deep.equal([BUILD, PACKED, INSTALLED]);
    expect(chosen(all, ['mutants'])).to.deep.equal([MUTANTS]);
  });
  it('are an error that lists all jobs if no job matches', () => {
    expect(() => chosen(all, ['cores']))
      .to.throw('no check or suite is called "cores"')
      .with.property('message')
      .that.includes('mutants');
  });
});
