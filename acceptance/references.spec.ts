import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect } from 'chai';
import { readPromises } from 'pinfold-proof/promises.ts';
import { documents, root, sources } from './documents/pages.ts';
import { anchorsOf, brokenMarkup, deadReferences, repeatedHeadings } from './documents/references.ts';

const files = [...documents(), ...sources()].map((file) => ({ file, text: readFileSync(file, 'utf8') }));

function found(search: (file: string, text: string) => readonly string[]): readonly string[] {
  return files.flatMap(({ file, text }) =>
    search(file, text).map((what) => `${relative(root, file)}: ${what}`),
  );
}

describe('references in documents and comments', () => {
  it('lead to existing files and headings', () => {
    expect(found(deadReferences)).to.deep.equal([]);
  });

  it('name promises that ports make', async () => {
    const ids = new Set((await readPromises()).map(({ id }) => id));
    const ports = [...new Set([...ids].map((id) => id.split('/')[0]))].join('|');
    const named = new RegExp(`(?<=\`)(?:${ports})/[a-z-]+(?=\`)`, 'g');
    const unknown = found((_file, text) => (text.match(named) ?? []).filter((id) => !ids.has(id)));
    expect(unknown).to.deep.equal([]);
  });
});

describe('documents', () => {
  it('have whole fences and tables', () => {
    expect(found(brokenMarkup)).to.deep.equal([]);
  });

  it('have each section once', () => {
    expect(found(repeatedHeadings)).to.deep.equal([]);
  });
});

describe('the check of references', () => {
  it('finds a missing heading or file', () => {
    const page = join(root, 'docs', 'page.md');
    const text = '# On it\n\n[a](#on-it) [b](#off-it) [c](wire.md#errors) [d](wire.md#gone) [e](gone.md)\n';
    expect(deadReferences(page, text)).to.deep.equal(['](#off-it)', '](wire.md#gone)', '](gone.md)']);
    const source = join(root, 'source.ts');
    const comment = `/** docs/wire.md docs/wire.md#errors docs/wire.md${'#'}gone docs/${'gone'}.md */`;
    expect(deadReferences(source, comment)).to.have.length(2);
  });

  it('finds half a fence, a table that does not end, and a repeated section', () => {
    const whole = '## A\n\n```sh\nls | wc\n```\n\n| a |\n|---|\n| b |\n\nText\n';
    expect([...brokenMarkup('page.md', whole), ...repeatedHeadings('page.md', whole)]).to.deep.equal([]);
    expect(brokenMarkup('page.md', `${whole}\`\`\`\n`)).to.deep.equal(['```']);
    expect(brokenMarkup('page.md', '| a |\n|---|\n| b |\nText\n')).to.deep.equal(['Text']);
    expect(repeatedHeadings('page.md', '## A\n\n## B\n\n## A\n')).to.deep.equal(['## A']);
  });

  it('creates the same anchors as the pages', () => {
    const page =
      '# Change: `PATCH /a/{id}`\n## [Read](x.md) it\n```sh\n# no heading\n```\n### Again\n### Again\n';
    expect([...anchorsOf(page)]).to.deep.equal(['change-patch-aid', 'read-it', 'again', 'again-1']);
  });
});
