import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { formBoundary, hasMediaType } from '../src/media-type.ts';
import { RequestRefused } from '../src/problem.ts';

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

  it('names the boundary of a form, in quotes or without', () => {
    const boundaries = [
      ['multipart/form-data; boundary=abc', 'abc'],
      ['multipart/form-data;charset=utf-8;Boundary=----=_Part:1', '----=_Part:1'],
      ['multipart/form-data; boundary="a b\\"c"; x=y', 'a b"c'],
    ] as const;
    for (const [type, boundary] of boundaries) expect(formBoundary(typed(type))).to.equal(boundary);
    const none = [
      '',
      '; boundary',
      '; boundary=',
      '; boundary=""',
      '; boundary="a ',
      '; boundary="a "',
      '; x=y',
    ];
    for (const rest of [...none, `; boundary=${'x'.repeat(201)}`]) {
      expect(() => formBoundary(typed(`multipart/form-data${rest}`)), rest).to.throw(RequestRefused);
    }
  });
});
