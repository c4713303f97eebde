import { after, Fault, type FaultCode, instant, type Refusal, seconds } from '@pinfold/core';
import { expect } from 'chai';
import {
  answerRefusal,
  answerThrown,
  isRetryable,
  problemOf,
  refuseRequest,
} from '../src/problems/problem.ts';
import { isWireCode, problemTable, type WireCode } from '../src/problems/problem-table.ts';

const NOW = instant(1_000_000);
const context = { requestId: '3f2b8c1e-9d47-4a6b-8e05-7c1d2f3a4b5c', publishing: false };
const TYPE = { 'Content-Type': 'application/problem+json' };
const publishing = { ...context, publishing: true };

/** The number of members that every problem has. */
const MEMBERS = 8;

/** The problems that clients can receive, each code once. */
const PROBLEMS = [...new Map(Object.values(problemTable).map((problem) => [problem.code, problem])).values()];

function headersOf(code: WireCode, wait: number): Readonly<Record<string, string>> {
  const refusal = refuseRequest(code, { retryAt: after(NOW, seconds(wait)) });
  return answerRefusal(refusal, context, NOW).headers ?? {};
}

describe('A problem', () => {
  it('is retryable if the very same request may succeed later', () => {
    const retryable = PROBLEMS.filter(isRetryable).map(({ code }) => code);
    const expected = [
      'idempotency_in_progress',
      'request_timeout',
      'rate_limited',
      'internal_error',
      'unavailable',
    ];
    expect(retryable).to.have.members(expected);
  });

  it('advises in one sentence whether to keep the Idempotency-Key, for publications only', () => {
    for (const { code, key } of PROBLEMS) {
      const suggestion = answerRefusal(refuseRequest(code), publishing, NOW).json.suggestion;
      const plain = answerRefusal(refuseRequest(code), context, NOW).json.suggestion;
      const ending = key === 'keep' ? ', keeping the same' : ' with a new';
      expect(suggestion, code).to.match(new RegExp(`^[^.]+${ending} Idempotency-Key\\.$`));
      expect(plain, code).to.match(/^[^.]+\.$/);
      expect(plain, code).not.to.include('Idempotency-Key');
    }
  });

  it('lists at most 20 errors of an archive, and counts the others', () => {
    const problems = Array.from({ length: 23 }, (_, n) => ({ rule: 'symlink', path: `p${n}` }) as const);
    const refusal: Refusal<'invalid_archive'> = { kind: 'refused', code: 'invalid_archive', problems };
    const { json: problem } = answerRefusal(refusal, publishing, NOW);
    expect(problem.errors?.map(({ path }) => path)).to.deep.equal(
      problems.slice(0, 20).map(({ path }) => path),
    );
    expect(problem.errors_omitted).to.equal(3);
    const counted = answerRefusal({ ...refusal, omitted: 100 }, publishing, NOW).json;
    expect(counted?.errors_omitted).to.equal(103);
    const few = answerRefusal({ ...refusal, problems: problems.slice(0, 20) }, publishing, NOW).json;
    expect(few?.errors).to.have.length(20);
    expect(few?.errors_omitted).to.equal(0);
  });

  it('has the text of the embedding server that refuses an archive', () => {
    const words = { en: 'Needs a licence file.', ja: 'ライセンスがありません。' };
    const refusal = { kind: 'refused', code: 'refused_by_host', rule: 'host:licence', words } as const;
    const { status, json: problem } = answerRefusal(refusal, publishing, NOW);
    expect(status).to.equal(422);
    expect(problem.code).to.equal('invalid_archive');
    expect(problem.errors).to.deep.equal([{ rule: 'host:licence', detail: words.en }]);
    expect(problemOf(refusal, publishing)).to.deep.equal(problem);
  });

  it('is the same for programs without HTTP', () => {
    for (const { code } of PROBLEMS) {
      const refusal = refuseRequest(code, { detail: 'A detail.' });
      const problem = problemOf(refusal, context);
      expect(problem).to.deep.equal(answerRefusal(refusal, context, NOW).json);
      expect(Object.keys(problem).slice(MEMBERS), code).to.deep.equal(
        code === 'invalid_archive' ? ['errors_omitted'] : [],
      );
      expect(isWireCode(code), code).to.equal(true);
    }
    for (const other of ['invalid_filename', 'toString']) expect(isWireCode(other), other).to.equal(false);
  });

  it('answers a concurrent duplicate with Retry-After 1 to 5', () => {
    for (const [wait, retryAfter] of [
      [60, '5'],
      [3, '3'],
      [0, '1'],
      [-10, '1'],
    ] as const) {
      const retryAt = instant(NOW + wait * 1_000);
      const refusal = { kind: 'refused', code: 'idempotency_in_progress', retryAt } as const;
      expect(answerRefusal(refusal, publishing, NOW).headers).to.deep.equal({
        ...TYPE,
        'Retry-After': retryAfter,
      });
    }
    expect(headersOf('rate_limited', 42)).to.deep.equal({ ...TYPE, 'Retry-After': '42' });
  });
});

describe('The answer to an exception', () => {
  const codes: readonly FaultCode[] = [
    'archive_missing',
    'hasher_overloaded',
    'publishing_overloaded',
    'staging_unavailable',
    'storage_unavailable',
    'store_unavailable',
  ];

  it('has the status 503 and Retry-After if a retry may help', () => {
    for (const code of codes) {
      const {
        status,
        headers,
        json: problem,
      } = answerThrown(new Fault(code, 'at /a/path', { cause: 'secret' }), context, NOW);
      expect(status, code).to.equal(503);
      expect(headers).to.deep.equal({ ...TYPE, 'Retry-After': '5' });
      expect(problem.code).to.equal('unavailable');
      expect(JSON.stringify(problem)).not.to.match(/path|secret/);
    }
  });

  it('has the status 500 otherwise, and does not reveal the error', () => {
    const strange = { [Symbol.for('@pinfold/core/fault')]: true, code: 'a code of a later version' };
    for (const error of [
      new Fault('store_corrupt', 'secret'),
      new Error('secret'),
      'secret',
      undefined,
      strange,
    ]) {
      const { status, json: problem } = answerThrown(error, context, NOW);
      expect(status).to.equal(500);
      expect(problem.code).to.equal('internal_error');
      expect(JSON.stringify(problem)).not.to.include('secret');
    }
  });
});
