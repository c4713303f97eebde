import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { createFolderFlush, type Files, nodeFiles } from '../src/files.ts';
import { systemError } from './failing-files.ts';

interface Flush {
  readonly folder: string;
  end(error?: Error): void;
}

/** Files whose flushes end when the test lets them. */
function filesWithHeldFlushes(): { readonly files: Files; readonly begun: Flush[] } {
  const begun: Flush[] = [];
  const open = async (folder: string): Promise<unknown> => ({
    sync: () =>
      new Promise<void>((resolve, reject) => {
        begun.push({ folder, end: (error) => (error === undefined ? resolve() : reject(error)) });
      }),
    close: async () => {},
  });
  return { files: { ...nodeFiles, open: open as unknown as Files['open'] }, begun };
}

describe('Flushes of a folder', () => {
  it('that are requested while one runs are joined into one after it', async () => {
    const { files, begun } = filesWithHeldFlushes();
    const flush = createFolderFlush(files);
    const ended: string[] = [];
    const request = (name: string): Promise<unknown> => flush('a').then(() => ended.push(name));
    const all = [request('first')];
    await nextTurn();
    all.push(request('second'), request('third'));
    await nextTurn();
    expect(begun.length).to.equal(1);
    begun[0]?.end();
    await nextTurn();
    expect([ended, begun.length]).to.deep.equal([['first'], 2]);
    all.push(request('fourth'));
    begun[1]?.end();
    await nextTurn();
    expect([ended, begun.length]).to.deep.equal([['first', 'second', 'third'], 3]);
    begun[2]?.end();
    await Promise.all(all);
  });

  it('do not wait for those of another folder', async () => {
    const { files, begun } = filesWithHeldFlushes();
    const flush = createFolderFlush(files);
    const all = [flush('a'), flush('b')];
    await nextTurn();
    expect(begun.map(({ folder }) => folder)).to.deep.equal(['a', 'b']);
    for (const { end } of begun) end();
    await Promise.all(all);
  });

  it('fail for requests before their end, and for no others', async () => {
    const { files, begun } = filesWithHeldFlushes();
    const flush = createFolderFlush(files);
    const failure = systemError('EIO', 'fsync');
    const outcome = (call: Promise<void>): Promise<unknown> => call.catch((error: unknown) => error);
    const outcomes = [outcome(flush('a'))];
    await nextTurn();
    outcomes.push(outcome(flush('a')), outcome(flush('a')));
    begun[0]?.end(failure);
    expect(await Promise.all(outcomes)).to.deep.equal([failure, failure, failure]);
    const last = outcome(flush('a'));
    await nextTurn();
    begun[1]?.end();
    expect(await last).to.equal(undefined);
  });
});
