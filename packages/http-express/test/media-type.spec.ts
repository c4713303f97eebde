import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { hasMediaType } from '../src/reading/json-body.ts';

const withHeaders = (headers: Record<string, string>) => ({ headers }) as unknown as IncomingMessage;
const typed = (type: string) => withHeaders({ 'content-type': type });

describe('The media type of a request', () => {
  it('counts without its parameters and in any letter case', () => {
    for (const type of ['application/json', 'Application/JSON;charset=utf-8', 'application/json ; x']) {
      expect(hasMediaType(typed(type), 'application/json'), type).to.equal(true);
    }
    for (const type of ['', 'application/jsonx', 'text/json', 'application/json, text/plain']) {
      expect(hasMediaType(typed(type), 'application/json'), type).to.equal(false);
    }
    expect(hasMediaType(withHeaders({}), 'application/json')).to.equal(false);
  });

  it('is not supported when the body is compressed', () => {
    const coded = (coding: string) =>
      withHeaders({ 'content-type': 'application/json', 'content-encoding': coding });
    expect(hasMediaType(coded('gzip'), 'application/json')).to.equal(false);
    expect(hasMediaType(coded('Identity'), 'application/json')).to.equal(true);
  });
});
