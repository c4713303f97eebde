import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { unjudged } from './mutation/unjudged.ts';

const textOf = (file: string): string => readFileSync(join(import.meta.dirname, '..', file), 'utf8');
const squashed = (text: string): string => text.replaceAll(/\s+/g, '');

describe('What the published suites cannot judge', () => {
  for (const { file, code, test } of unjudged) {
    it(`is in its file, and has a test: ${code.split('\n')[0]}`, () => {
      expect(squashed(textOf(file)).split(squashed(code)), 'in its file once').to.have.lengthOf(2);
      const [spec, title] = test;
      expect(textOf(spec), spec).to.include(`it('${title}'`);
    });
  }
});
