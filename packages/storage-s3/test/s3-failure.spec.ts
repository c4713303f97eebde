import { expect } from 'chai';
import { failureOf, NonsenseError, retryAfter, type S3Failure } from '../src/s3-failure.ts';

const answer = (httpStatusCode: number, name: string): Error =>
  Object.assign(new Error('no'), { name, $metadata: { httpStatusCode } });
const network = (code: string, name = 'Error'): Error => Object.assign(new Error('no'), { name, code });

const CASES: readonly (readonly [S3Failure, unknown])[] = [
  ['absent', answer(404, 'NoSuchKey')],
  ['absent', answer(404, 'NotFound')],
  ['absent', answer(404, 'Unknown')],
  ['no_bucket', answer(404, 'NoSuchBucket')],
  ['range', answer(416, 'InvalidRange')],
  ['lost_race', answer(412, 'PreconditionFailed')],
  ['lost_race', answer(409, 'OperationAborted')],
  ['refused', answer(403, 'Unknown')],
  ['refused', answer(403, 'RequestTimeTooSkewed')],
  ['refused', answer(301, 'PermanentRedirect')],
  ['refused', answer(400, 'AuthorizationHeaderMalformed')],
  ['refused', network('', 'CredentialsProviderError')],
  ['refused', network('ERR_INVALID_URL', 'TypeError')],
  ['refused', network('EPROTO')],
  ['refused', network('HPE_INVALID_CONSTANT')],
  ['refused', new Error('Region is missing')],
  ['refused', 'a string'],
  ['refused', undefined],
  ['unsupported', answer(501, 'NotImplemented')],
  ['again', answer(400, 'RequestTimeout')],
  ['again', answer(408, 'Unknown')],
  ['again', answer(429, 'SlowDown')],
  ['again', answer(500, 'InternalError')],
  ['again', answer(502, 'Unknown')],
  ['again', answer(503, 'SlowDown')],
  ['again', answer(504, 'Unknown')],
  ['again', network('', 'TimeoutError')],
  ['again', network('ECONNRESET', 'TimeoutError')],
  ['again', network('ECONNREFUSED')],
  ['again', network('EPIPE')],
  ['again', network('ENOTFOUND')],
  ['cancelled', network('', 'AbortError')],
  ['nonsense', new NonsenseError('a page')],
  ['nonsense', Object.assign(answer(404, 'Error'), { message: '@aws-sdk XML parse error: no tags' })],
  ['nonsense', Object.assign(answer(200, 'Error'), { message: 'Checksum mismatch: crc32' })],
];

describe('failureOf', () => {
  for (const [failure, error] of CASES) {
    const { name, code, message } = (error ?? {}) as Record<string, unknown>;
    it(`is ${failure} for ${[name, code, message].filter(Boolean).join(' ') || String(error)}`, () => {
      expect(failureOf(error)).to.equal(failure);
    });
  }
});

describe('retryAfter', () => {
  it('reads only seconds', () => {
    const withRetryAfter = (value: string): unknown => ({ $response: { headers: { 'retry-after': value } } });
    expect(retryAfter(withRetryAfter('3'))).to.equal(3_000);
    for (const error of [
      withRetryAfter(''),
      withRetryAfter('-1'),
      withRetryAfter('Fri, 20 Nov 2026 12:00:00 GMT'),
      {},
      undefined,
    ]) {
      expect(retryAfter(error)).to.equal(0);
    }
  });
});
