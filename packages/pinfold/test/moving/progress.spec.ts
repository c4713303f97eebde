import { expect } from 'chai';
import { Progress } from '../../src/moving/progress.ts';

const SILENT = { env: {}, out: () => undefined, write: async () => undefined, err: () => undefined };

describe('the progress of a move', () => {
  it('is one line of what is done and what there is to do, first at once', () => {
    const lines: string[] = [];
    const progress = new Progress('exporting', { ...SILENT, progress: (line) => void lines.push(line) });
    progress.add({ archives: 1, bytes: 3 * 1_048_576 }, 9);
    expect(lines).to.deep.equal(['exporting: 0 records, 1 of 9 archives, 3 MiB']);
  });

  it('says nothing where nobody watches', () => {
    const progress = new Progress('exporting', SILENT);
    progress.add({ records: 1 }, 0);
    progress.add({ archives: 1, bytes: 1 }, 1);
  });
});
