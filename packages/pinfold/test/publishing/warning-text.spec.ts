import { wireWarnings } from '@pinfold/http-express/internal';
import { expect } from 'chai';
import { warningGroups } from '../../src/publishing/warning-text.ts';

function absolute(count: number): readonly { rule: string; detail: string; path: string }[] {
  return Array.from({ length: count }, (_, index) => ({
    rule: 'absolute_reference',
    detail: absoluteDetail(index),
    path: `${index % 4}.html`,
  }));
}

function absoluteDetail(index: number): string {
  const warning = { rule: 'absolute_reference', path: 'x', target: `/${index}`, tool: 'vite' } as const;
  return wireWarnings([warning])[0]?.detail ?? '';
}

describe('warningGroups', () => {
  it('names one cure for all warnings of a cause, and where they are', () => {
    expect(warningGroups(absolute(9))).to.deep.equal([
      {
        sentence:
          '9 references in 4 files begin with "/" and lead out of the site here. The site was built with Vite: use `vite build --base ./` and build it again. (absolute_reference)',
        places: ['0.html', '1.html', '2.html', '3.html'],
      },
    ]);
  });

  it('says that there may be more when the answer is full', () => {
    expect(warningGroups(absolute(20))[0]?.sentence).to.match(/^at least 20 references in 4 files /);
  });

  it('gives advice for references that an older server gives none for', () => {
    const old = {
      rule: 'absolute_reference',
      path: 'a.html',
      detail: '"/x" leads out of the site here; make it relative.',
    };
    expect(warningGroups([old, old])[0]?.sentence).to.include('out of the site here. Make them relative. (');
  });

  it('shows the first places with the words of the server where they say more', () => {
    const warnings = [1, 2, 3, 4, 5, 6, 7].map((index) => ({
      rule: 'broken_reference',
      detail: `No file answers "${index}".`,
      path: 'index.html',
    }));
    const [group] = warningGroups(warnings);
    expect(group?.sentence).to.match(/^7 references in 1 file lead /);
    expect(group?.places.slice(-2)).to.deep.equal(['index.html: No file answers "5".', 'and 2 more']);
  });

  it('leaves a single warning, and those of unknown rules, in the words of the server', () => {
    const later = { rule: 'of_a_later_server', detail: 'Something new.' };
    expect(warningGroups([...absolute(1), later, later])).to.deep.equal([
      { sentence: `0.html: ${absoluteDetail(0)} (absolute_reference)`, places: [] },
      { sentence: 'Something new. (of_a_later_server)', places: [] },
      { sentence: 'Something new. (of_a_later_server)', places: [] },
    ]);
    const inherited = { rule: 'constructor', detail: 'x' };
    expect(warningGroups([inherited, inherited])).to.have.length(2);
  });
});
