import { expect } from 'chai';
import fc from 'fast-check';
import { fingerprintedText } from '../../src/domain/idempotency.ts';
import {
  defaultLimits,
  type Filename,
  parseFilename,
  parseIdempotencyKey,
  type Sha256,
  type Title,
} from '../../src/index.ts';

function ruleOf(outcome: ReturnType<typeof parseIdempotencyKey>): string | undefined {
  if (typeof outcome !== 'object') return undefined;
  expect(outcome.code).to.equal('invalid_idempotency_key');
  return outcome.rule;
}

describe('an Idempotency-Key', () => {
  it('is printable ASCII, and is not changed', () => {
    expect(parseIdempotencyKey('Deploy 2026-11-20 ~!', defaultLimits)).to.equal('Deploy 2026-11-20 ~!');
  });
  it('in double quotes counts and compares without them', () => {
    expect(parseIdempotencyKey('"abc"', defaultLimits)).to.equal('abc');
    expect(parseIdempotencyKey(`"${'a'.repeat(255)}"`, defaultLimits)).to.equal('a'.repeat(255));
    for (const key of ['"', '"a', 'a"', 'a"b', 'a"b"', '"a"b'])
      expect(parseIdempotencyKey(key, defaultLimits)).to.equal(key);
  });
  it('has 1 to 255 characters', () => {
    expect(parseIdempotencyKey('a'.repeat(255), defaultLimits)).to.be.a('string');
    const long = parseIdempotencyKey('a'.repeat(300), defaultLimits);
    expect(ruleOf(long)).to.equal('too_long');
    expect(long).to.include({ limit: 255, actual: 300 });
    expect(ruleOf(parseIdempotencyKey('a'.repeat(256), defaultLimits))).to.equal('too_long');
    expect(ruleOf(parseIdempotencyKey('', defaultLimits))).to.equal('empty');
    expect(ruleOf(parseIdempotencyKey('""', defaultLimits))).to.equal('empty');
  });
  it('has no other characters', () => {
    for (const key of ['a\tb', 'a\u007f', 'ключ', 'a\0', 'é']) {
      expect(ruleOf(parseIdempotencyKey(key, defaultLimits))).to.equal('characters');
    }
  });
  it('does not contain the credential of its request', () => {
    expect(ruleOf(parseIdempotencyKey('x-pf_abc_def-1', defaultLimits, 'pf_abc_def'))).to.equal('secret');
    expect(parseIdempotencyKey('x-1', defaultLimits, '')).to.equal('x-1');
    expect(parseIdempotencyKey('undefined', defaultLimits)).to.equal('undefined');
  });
});

describe('the original file name', () => {
  it('is its last path segment, after either separator', () => {
    expect(parseFilename('C:\\Users\\me/sites\\site.zip')).to.equal('site.zip');
    expect(parseFilename('サイト.zip')).to.equal('サイト.zip');
  });
  it('is not empty, has at most 255 characters, and no control character or lone surrogate', () => {
    for (const name of ['', 'folder/', 'folder\\', 'a\nb.zip', 'a\u0085', '\ud800.zip', 'a'.repeat(256)]) {
      expect(parseFilename(name)).to.deep.equal({ kind: 'refused', code: 'invalid_filename' });
    }
    expect(parseFilename('𠮷'.repeat(255))).to.be.a('string');
  });
});

describe('the text that a fingerprint is the hash of', () => {
  const parts = fc.tuple(fc.string(), fc.string(), fc.option(fc.string()));
  it('is the same exactly if archive, file name and title are', () => {
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        const [a, b] = [one, other].map(([sha, name, title]) =>
          fingerprintedText(sha as Sha256, name as Filename, title as Title | null),
        );
        expect(a === b).to.equal(JSON.stringify(one) === JSON.stringify(other));
      }),
    );
  });
});
