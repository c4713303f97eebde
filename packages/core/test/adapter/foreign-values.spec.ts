import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import {
  causesOf,
  codeOf,
  isBytes,
  isError,
  isPromise,
  nameOf,
  systemCodeOf,
} from '../../src/adapter/foreign-values.ts';

/** Makes a value with the classes of another realm, as Node and a test runner do for each other. */
const foreign = (code: string): unknown => runInNewContext(code);

describe('a value of another realm', () => {
  it('is recognized by its members, not by its class', () => {
    const refused = foreign("Object.assign(new Error('no'), { code: 'ENOENT', syscall: 'open' })");
    expect(refused).not.to.be.instanceOf(Error);
    expect(isError(refused)).to.equal(true);
    expect([codeOf(refused), systemCodeOf(refused)]).to.deep.equal(['ENOENT', 'ENOENT']);
    expect(nameOf(foreign('new RangeError()'))).to.equal('RangeError');
    expect(isPromise(foreign('Promise.resolve()'))).to.equal(true);
    expect(isBytes(foreign('new Uint8Array(1)'))).to.equal(true);
  });

  it('is not recognized in other values', () => {
    for (const other of [undefined, null, 5, 'ENOENT', {}, { code: 5, name: 5 }]) {
      expect([codeOf(other), systemCodeOf(other), isPromise(other), isBytes(other)]).to.deep.equal([
        undefined,
        undefined,
        false,
        false,
      ]);
    }
    expect(systemCodeOf(Object.assign(new Error(), { code: 'ERR_INVALID_ARG_TYPE' }))).to.equal(undefined);
    for (const code of ['new Uint16Array(1)', 'new DataView(new ArrayBuffer(1))', 'new ArrayBuffer(1)']) {
      expect(isBytes(foreign(code)), code).to.equal(false);
    }
  });
});

describe('the causes of an error', () => {
  it('are found each once, even if it is among them', () => {
    const inner = new Error('inner');
    const outer = new Error('outer', { cause: inner });
    inner.cause = outer;
    expect([...causesOf(outer)]).to.deep.equal([outer, inner]);
    expect([...causesOf('no error')]).to.deep.equal([]);
  });
});
