import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { minutes, seconds } from '@pinfold/core';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import fc from 'fast-check';
import { type JsonBody, readJson } from '../src/reading/json-body.ts';

const options = { clock: createManualClock(), idle: seconds(30), total: minutes(15) };

function read(body: string | Uint8Array): Promise<JsonBody> {
  const request = Object.assign(new PassThrough(), { headers: {} });
  request.end(body);
  return readJson(request as unknown as IncomingMessage, options);
}

describe('A body of JSON', () => {
  it('is its value, with the number of members it was written with', async () => {
    const written = fc.tuple(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom('', ' ', '\n\t'));
    const check = fc.asyncProperty(written, async ([value, space]) => {
      const text = JSON.stringify(value, undefined, space);
      const body = await read(text);
      expect(body.value).to.deep.equal(JSON.parse(text));
      expect(body.members).to.equal(Object.keys(value).length);
    });
    await fc.assert(check, { numRuns: 200 });
  });

  it('counts a member that is there twice twice, and nothing inside of members', async () => {
    const texts = [
      ['{"a":1,"a":2}', 2],
      ['{"a":{"b":1,"c":[{"d":1}]}}', 1],
      ['{"a":"\\":{"}', 1],
      ['{"a\\\\":1,"b":2}', 2],
      ['[{"a":1}]', 0],
      ['"a:b"', 0],
    ] as const;
    for (const [text, members] of texts) expect((await read(text)).members, text).to.equal(members);
  });
});
