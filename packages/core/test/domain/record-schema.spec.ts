import { expect } from 'chai';
import { count, list, object, oneOf, parsedText } from '../../src/domain/record-schema.ts';

interface Box {
  readonly itemCount: number;
  readonly color?: 'red' | 'blue' | undefined;
}

const box = object<Box>({ itemCount: count(), color: oneOf<'red' | 'blue'>('red', 'blue') }, ['color']);

describe('an object of a record', () => {
  it('has its members in snake case, and may lack an optional one', () => {
    expect(box.read({ item_count: 2 })).to.deep.equal({ itemCount: 2 });
    expect(box.read({ item_count: 2, color: 'red' })).to.deep.equal({ itemCount: 2, color: 'red' });
    expect(box.write({ itemCount: 2, color: 'blue' })).to.deep.equal({ item_count: 2, color: 'blue' });
  });

  for (const json of [null, undefined, [], [1], 'item_count', 7, true]) {
    it(`is not ${JSON.stringify(json)}`, () => {
      expect(() => box.read(json)).to.throw(TypeError, /an object/);
    });
  }

  it('has no other members, and an error names those that it may have', () => {
    expect(() => box.read({ item_count: 2, size: 1 })).to.throw(TypeError, /nothing but item_count, color/);
  });

  it('has every member that is not optional, and an error names the wrong one', () => {
    expect(() => box.read({ color: 'red' })).to.throw(TypeError, /^item_count: .*a whole number from 0/);
    expect(() => box.read({ item_count: 2, color: 'green' })).to.throw(
      TypeError,
      /^color: .*one of red, blue/,
    );
    const strict = object<Box>({ itemCount: count(), color: oneOf<'red' | 'blue'>('red', 'blue') });
    expect(() => strict.read({ item_count: 2 })).to.throw(TypeError, /^color: /);
  });
});

describe('a value of a record', () => {
  it('must be the text that its parser returns', () => {
    const lower = parsedText((text) => text.toLowerCase(), 'lower case');
    expect(lower.read('abc')).to.equal('abc');
    expect(() => lower.read('Abc')).to.throw(TypeError, /lower case/);
    const same = parsedText((text) => text, 'a text');
    expect(() => same.read(7)).to.throw(TypeError, /a text/);
  });

  it('holds only values of its kind if it is a list', () => {
    expect(list(count()).read([0, 2])).to.deep.equal([0, 2]);
    expect(() => list(count()).read([-1])).to.throw(TypeError);
    expect(() => list(count()).read({ 0: 1 })).to.throw(TypeError, /a list/);
  });
});
