import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { unjudged } from './mutation/unjudged.ts';

const textOf = (file: string): string => readFileSync(join(import.meta.dirname, '..', file), 'utf8');
const squashed = (text: string): string => text.replaceAll(/\s+/g, '');

describe('What the published suites cannot judge', () => {
  for (const {
    code,
    test: [spec, title],
  } of unjudged) {
    it(`is in its file, and has a test: ${title}`, () => {
      expect(textOf(spec), spec).to.include(`it('${title}'`);
      for (const [file, pieces] of Object.entries(code)) {
        for (const piece of pieces) {
          expect(squashed(textOf(file)).split(squashed(piece)), `once in ${file}: ${piece}`).to.have.lengthOf(
            2,
          );
        }
      }
    });
  }
});
