import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { minutes, seconds } from '@pinfold/core';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import fc from 'fast-check';
import { refuseRequest } from '../src/problems/problem.ts';
import { readJson } from '../src/reading/request-body.ts';

const wrongType = refuseRequest('unsupported_media_type');
const limits = { clock: createManualClock(), idle: seconds(30), total: minutes(15), wrongType };
const JSON_TYPE = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };

function read(
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = JSON_TYPE,
  isOptional = false,
): ReturnType<typeof readJson> {
  const request = Object.assign(new PassThrough(), { headers });
  request.end(body);
  return readJson(request as unknown as IncomingMessage, { ...limits, ...(isOptional && { isOptional }) });
}

describe('A body of JSON', () => {
  it('is its value, with the number of members in the text', async () => {
    const written = fc.tuple(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom('', ' ', '\n\t'));
    const check = fc.asyncProperty(written, async ([value, space]) => {
      const text = JSON.stringify(value, undefined, space);
      const members = Object.keys(value).length;
      expect(await read(text)).to.deep.equal({ kind: 'json', value: JSON.parse(text), members });
    });
    await fc.assert(check, { numRuns: 200 });
  });

  it('counts a repeated member twice, and nothing inside of members', async () => {
    const texts = [
      ['{"a":1,"a":2}', 2],
      ['{"a":{"b":1,"c":[{"d":1}]}}', 1],
      ['{"a":"\\":{"}', 1],
      ['{"a\\\\":1,"b":2}', 2],
      ['[{"a":1}]', 0],
      ['"a:b"', 0],
    ] as const;
    for (const [text, members] of texts) expect(await read(text), text).to.include({ kind: 'json', members });
  });

  it('may be absent or empty if it is optional, and then needs no type', async () => {
    const empty = { kind: 'json', value: {}, members: 0 };
    const [chunked, typed] = [{ 'transfer-encoding': 'chunked' }, JSON_TYPE];
    const rows = [
      { body: '', headers: {}, optional: empty, required: wrongType },
      { body: '', headers: { 'content-type': 'text/plain' }, optional: empty, required: wrongType },
      { body: '', headers: { 'content-length': '0' }, optional: empty, required: wrongType },
      { body: '', headers: chunked, optional: empty, required: wrongType },
      { body: '{}', headers: chunked, optional: wrongType, required: wrongType },
      { body: '{}', headers: { 'content-length': '2' }, optional: wrongType, required: wrongType },
      {
        body: '{}',
        headers: { ...chunked, 'content-type': 'text/plain' },
        optional: wrongType,
        required: wrongType,
      },
      {
        body: '{}',
        headers: { ...typed, 'content-encoding': 'gzip' },
        optional: wrongType,
        required: wrongType,
      },
      { body: '{}', headers: { ...typed, 'content-encoding': 'Identity' }, optional: empty, required: empty },
      {
        body: '{}',
        headers: { ...typed, 'content-type': 'Application/JSON; charset=utf-8' },
        optional: empty,
        required: empty,
      },
      {
        body: '',
        headers: { ...chunked, 'content-type': 'text/plain' },
        optional: wrongType,
        required: wrongType,
      },
      {
        body: '{}',
        headers: { ...typed, 'content-type': 'application/json\t;x' },
        optional: empty,
        required: empty,
      },
      { body: '', headers: typed, optional: empty, required: { code: 'invalid_request' } },
    ];
    for (const { body, headers, optional, required } of rows) {
      const details = JSON.stringify({ body, headers });
      expect(await read(body, headers, true), details).to.deep.include(optional);
      expect(await read(body, headers), details).to.deep.include(required);
    }
  });

  it('is refused unless it is whole, well-formed and in UTF-8', async () => {
    const detail = 'Send the body as well-formed JSON in UTF-8.';
    for (const body of ['{', '', Uint8Array.of(0x22, 0xff, 0x22)]) {
      expect(await read(body)).to.deep.include({ code: 'invalid_request', details: { detail } });
    }
    expect(await read(`"${'a'.repeat(16_382)}"`)).to.include({ kind: 'json' });
    const long = await read(`"${'a'.repeat(16_383)}"`);
    expect(long).to.deep.include({ details: { detail: 'Send at most 16 KiB of JSON.' } });
    expect(await read('\ufeff{"a":1}')).to.deep.include({ kind: 'json', value: { a: 1 } });
  });
});
