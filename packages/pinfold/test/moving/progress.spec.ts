import { expect } from 'chai';
import { progressTo } from '../../src/moving/progress.ts';

describe('the progress of a move', () => {
  it('is one line with the done and the expected counts, shown immediately', () => {
    const lines: string[] = [];
    const progress = progressTo({ progress: (line) => void lines.push(line) }, 'exporting');
    progress({ archives: 1, bytes: 3 * 1_048_576 }, 9);
    expect(lines).to.deep.equal(['exporting: 0 records, 1 of 9 archives, 3 MiB']);
  });

  it('is silent without a terminal', () => {
    const progress = progressTo({}, 'exporting');
    progress({ records: 1 }, 0);
    progress({ archives: 1, bytes: 1 }, 1);
  });
});
