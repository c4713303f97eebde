import {
  type ArchiveProblem,
  days,
  type IndexHint,
  OPERATOR,
  parseRoleId,
  type Refusal,
  type RoleId,
  type Warning,
} from '@pinfold/core';
import {
  archiveFinding,
  FINDING_TEXTS,
  type Finding,
  type FindingTextId,
  lineOf,
  readFinding,
  warningFinding,
} from '@pinfold/http/internal/texts';
import { ofEachTest, problemOfEachRule, warningOfEachRule } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { archiveError, problemDetails, wireWarnings } from '../src/problems/problem-details.ts';
import { problemTable } from '../src/problems/problem-table.ts';
import { type Answer, ask, publish, update } from './client.ts';
import { openRig } from './rig.ts';

const path = 'site/a.txt';
const limits = { limit: 17, actual: 23 };

/** All problems except those whose data is not text, and some with more or less data than usual for their rule. */
const BROKEN: readonly ArchiveProblem[] = [
  ...problemOfEachRule.filter(({ rule }) => rule !== 'missing_index' && rule !== 'header_mismatch'),
  { rule: 'duplicate_path', path },
  { rule: 'overlapping_entries', path },
];

const SECRETS = [
  'private_key',
  'aws_access_key',
  'github_token',
  'gitlab_token',
  'slack_token',
  'stripe_secret_key',
  'anthropic_api_key',
  'openai_api_key',
  'npm_token',
  'pinfold_api_key',
] as const;

describe('The words of a refusal', () => {
  it('are a sentence for every rule, with its numbers and path', () => {
    const details = new Set(BROKEN.map((details) => archiveError(details).detail));
    expect(details.size).to.equal(BROKEN.length);
    expect([...details].join()).not.to.include('undefined');
    for (const { rule, ...details } of BROKEN) {
      const { detail } = archiveError({ rule, ...details } as ArchiveProblem);
      expect(detail, rule).to.match(/^.* .*\.$/);
      const { path: _, reason: __, ...data } = details as { path?: string; reason?: string };
      for (const value of Object.values(data)) expect(detail).to.include(String(value));
    }
    const fields = ['crc32', 'compressed_size'] as never;
    const { detail } = archiveError({ rule: 'header_mismatch', path, fields });
    expect(detail).to.match(/disagree: crc32, compressed size\. /);
  });

  it('have the path and numbers of a broken rule, and none of its other members', () => {
    const large: ArchiveProblem = { rule: 'file_too_large', path: 'a.mp4', limit: 10, actual: 12 };
    const detail = '12 bytes: A file can have at most 10 bytes. Make larger ones smaller, or leave them out.';
    expect(archiveError(large)).to.deep.equal({ ...large, detail });
    const stopped: ArchiveProblem = { rule: 'expanded_too_large', limit: 10 };
    expect(archiveError(stopped).detail).to.match(/^All files together can have at most 10 bytes /);
    const packed: ArchiveProblem = { rule: 'unsupported_compression', path: 'a', method: 14 };
    expect(archiveError(packed)).to.have.all.keys('rule', 'detail', 'path');
    expect(archiveError(packed).detail).to.include('14');
    const overlapping: ArchiveProblem = { rule: 'overlapping_entries', path };
    expect(archiveError(overlapping).detail).to.match(/^Files in the ZIP overlap\. /);
  });

  it('name the files found in place of an index.html, with advice', () => {
    const rows: readonly (readonly [hint: IndexHint, advice: RegExp])[] = [
      [{ kind: 'empty' }, /^There are no files/],
      [
        { kind: 'folder', path: 'doc/tide' },
        /folder "doc\/tide" has one\. Publish that folder, or add a page at the root that leads to it\.$/,
      ],
      [{ kind: 'folders', path: 'de', other: 'fr' }, /"de" and "fr" have one each\. Publish one/],
      [{ kind: 'spelling', path: 'INDEX.HTML' }, /"INDEX\.HTML"\. Rename it to index\.html/],
      [{ kind: 'spelling', path: 'a/index.htm', folder: 'a' }, /Rename it .* publish the folder "a"\.$/],
      [{ kind: 'page', path: 'tea.html' }, /"tea\.html"\. Rename it .* publish that page alone\.$/],
      [
        { kind: 'pages', path: 'a.html', other: 'b.html' },
        /pages such as "a\.html" and "b\.html"\. Rename the one/,
      ],
      [{ kind: 'packed', path: 'artifact.tar' }, /"artifact\.tar", which is packed\. Unpack it/],
      [{ kind: 'document' }, /^This is a document, and not a site\. Save it as a web page/],
    ];
    for (const [hint, advice] of rows) {
      const error = archiveError({ rule: 'missing_index', hint });
      expect(error).to.have.all.keys('rule', 'detail');
      expect(error.detail).to.match(advice);
    }
    expect(archiveError({ rule: 'missing_index' }).detail).to.match(/^There is no index\.html, .* Put one, /);
  });

  it('list the errors of a title, a password, a key and a name, with their numbers', () => {
    const rows: readonly (readonly [details: object, error: object, detail: RegExp])[] = [
      ...(['invalid_idempotency_key', 'invalid_title', 'invalid_password'] as const).map(
        (code) =>
          [{ code, rule: 'too_long', ...limits }, { rule: 'too_long', ...limits }, / 23 .* 17 /] as const,
      ),
      ...(['sites', 'bytes', 'names', 'keys'] as const).map(
        (rule) => [{ code: 'quota_exceeded', rule, ...limits }, { rule, ...limits }, /\b17\b/] as const,
      ),
      [{ code: 'invalid_password', rule: 'too_short', ...limits }, { rule: 'too_short', ...limits }, / 17 /],
      [{ code: 'invalid_idempotency_key', rule: 'secret' }, { rule: 'secret' }, /API key/],
      [{ code: 'invalid_filename' }, { rule: 'filename' }, /1 to 255 characters/],
    ];
    for (const [details, error, detail] of rows) {
      const [{ detail: sentence = '', ...others } = {}, ...more] =
        problemDetails({ kind: 'refused', ...details } as Refusal).errors ?? [];
      expect([others, more]).to.deep.equal([error, []]);
      expect(sentence).to.match(detail);
    }
  });

  it('explain how to make room for a name and when to retry, and add nothing if the code suffices', () => {
    const details = (refusal: object) => problemDetails({ kind: 'refused', ...refusal } as Refusal);
    expect(details({ code: 'quota_exceeded', rule: 'names', ...limits }).advice).to.match(/^Delete names/);
    expect(details({ code: 'quota_exceeded', rule: 'keys', ...limits })).to.have.all.keys('errors');
    expect(details({ code: 'invalid_state', state: 'deleted' }).errors?.[0]?.rule).to.equal('deleted');
    expect(details({ code: 'cursor_expired', oldest: 'c' })).to.deep.equal({ oldestCursor: 'c' });
    expect(details({ code: 'idempotency_in_progress', retryAt: 5 })).to.deep.equal({ retryAt: 5 });
    const { detail, ...others } = details({ code: 'rate_limited', retryAt: 5 });
    expect(detail).to.include('rate of publications');
    expect(others).to.deep.equal({ retryAt: 5 });
    const plain = ['account_blocked', 'archive_too_large', 'forbidden', 'idempotency_mismatch'];
    for (const code of [...plain, 'invalid_cursor', 'invalid_name', 'not_found', 'unauthorized']) {
      expect(details({ code }), code).to.deep.equal({});
    }
  });
});

/** The catalogue's sentences about a finding, in the form of the API. */
function textOf({ cause, texts, values }: Finding<FindingTextId>): string {
  return lineOf({ ...(cause && { cause }), texts, values }, FINDING_TEXTS);
}

describe('The API', () => {
  for (const problem of problemOfEachRule) {
    it(`describes ${problem.rule} as the catalogue does, after the exact cause`, () => {
      const finding = archiveFinding(problem, (size) => `${size} bytes`);
      const { detail } = archiveError(problem);
      expect(detail.slice(-textOf(finding).length)).to.equal(textOf(finding));
      const cause = detail.slice(0, -textOf(finding).length);
      if (finding.seen === undefined) expect(cause.trimEnd()).to.equal(finding.reason ?? '');
      else
        expect(readFinding(detail)).to.deep.equal({ seen: cause.slice(0, -2), sentences: textOf(finding) });
    });
  }

  for (const [problem, tool] of [
    [{ rule: 'ambiguous_structure', reason: 'trailing_bytes' }, 'end of the ZIP. If bsdtar wrote it'],
    [{ rule: 'header_mismatch', path, fields: ['missing_descriptor'] }, 'adm-zip'],
  ] as const) {
    it(`names a tool whose ZIPs break the rule ${problem.rule}`, () => {
      const finding = archiveFinding(problem, String);
      expect(finding.reason).to.include(tool);
      expect(archiveError(problem).detail).to.equal(`${finding.reason} ${textOf(finding)}`);
    });
  }

  for (const warning of warningOfEachRule) {
    it(`describes ${warning.rule} as the catalogue does, after what was found`, () => {
      const finding = warningFinding(warning);
      const [{ detail = '' } = {}] = wireWarnings([warning]);
      const read = readFinding(detail);
      expect([read.sentences, read.seen === undefined]).to.deep.equal([
        textOf(finding),
        finding.seen === undefined,
      ]);
    });
  }
});

describe('The words of a warning', () => {
  it('name the reference and the file', () => {
    const warnings: readonly Warning[] = [
      { rule: 'case_mismatch', path: 'index.html', target: 'logo.PNG', file: 'Logo.png' },
      { rule: 'possible_secret', path: 'app.js', secret: 'npm_token' },
    ];
    const [mismatch, secret] = wireWarnings(warnings);
    expect(mismatch).to.have.all.keys('rule', 'detail', 'path');
    expect(mismatch?.detail).to.include('"logo.PNG"').and.to.include('"Logo.png"');
    expect(secret?.detail).to.include('npm token');
    for (const kind of SECRETS) {
      const [warning] = wireWarnings([{ rule: 'possible_secret', path, secret: kind }]);
      expect(warning?.detail.toLowerCase()).to.match(new RegExp(`^${kind.replaceAll('_', ' ')}: `));
    }
    const [named] = wireWarnings([{ rule: 'possible_secret', path, secret: 'secret_file' }]);
    expect(named?.detail).to.match(/^a name that files with secrets usually have: /);
    const references: readonly Warning[] = [
      { rule: 'broken_reference', path, target: '/logo.png' },
      { rule: 'absolute_reference', path, target: '/logo.png' },
    ];
    for (const { detail } of wireWarnings(references)) expect(detail).to.include('"/logo.png"');
    const [full] = wireWarnings([{ rule: 'names_nearly_full', used: 17, most: 23 }]);
    expect(full?.detail).to.match(/^17 of 23 names: /);
  });

  it('exist for a rule, a need or a secret that a newer node of the same service has stored', () => {
    const path = 'a.map';
    for (const later of [
      { rule: 'later' as 'source_map', path },
      { rule: 'needs_origin', path, need: 'later' as 'worker' },
      { rule: 'possible_secret', path, secret: 'later' as 'private_key' },
    ] as const) {
      const [warning] = wireWarnings([later]);
      expect(warning).to.include({ rule: later.rule, path });
      expect(warning?.detail).to.match(/newer version/);
    }
  });
});

describe('A change that the state does not permit', () => {
  const rig = ofEachTest(openRig);

  const stop = (id: string): Promise<Answer> => ask(rig, `/api/v1/pins/${id}`, { method: 'DELETE' });

  async function published(key: string): Promise<RoleId> {
    const { json } = await publish(rig, key);
    return parseRoleId(json.pin.id) as RoleId;
  }

  /** Every refusal of the state machine, by state and operation. */
  async function refusals(): Promise<ReadonlyMap<string, Answer>> {
    const [deleted, expired, pinned] = [await published('a'), await published('b'), await published('c')];
    await stop(deleted);
    await rig.useCases.pin({ by: OPERATOR, id: pinned });
    rig.clock.advance(days(7));
    const answers = new Map<string, Answer>();
    for (const [state, id] of Object.entries({ deleted, expired })) {
      for (const change of [{ title: 'x' }, { password: 'harbour lights' }, { reset_expiration: true }]) {
        answers.set(`${state} ${Object.keys(change)}`, await update(rig, id, change));
      }
      const body = JSON.stringify({ pin: id });
      const headers = { 'content-type': 'application/json' };
      answers.set(`${state} name`, await ask(rig, '/api/v1/names/docs', { method: 'PUT', headers, body }));
    }
    answers.set('pinned reset_expiration', await update(rig, pinned, { reset_expiration: true }));
    return answers.set('deleted stop', await stop(deleted));
  }

  it('is refused with the state and the advice for this operation', async () => {
    const details = new Map<unknown, string>();
    for (const [what, { status, json }] of await refusals()) {
      const [state = ''] = what.split(' ');
      expect(`${status} ${json.code}`, what).to.equal('409 invalid_state');
      expect(json.detail, what).to.match(new RegExp(`\\b${state}\\b`));
      expect(json.detail, what).not.to.equal(problemTable.invalid_state.detail);
      expect(json.suggestion, what).to.match(/^[^.]+\.$/);
      expect(json.suggestion, what).not.to.include(problemTable.invalid_state.advice);
      expect((json.errors as readonly { readonly rule: string }[])[0]?.rule, what).to.equal(state);
      details.set(json.detail, what);
    }
    const [restored] = [...details].find(([, what]) => what === 'expired reset_expiration') ?? [];
    expect(restored).to.match(/cannot be restored/);
    // Refusals for one reason have one answer.
    expect([...details.values()]).to.deep.equal([
      'deleted reset_expiration',
      'deleted name',
      'expired password',
      'expired reset_expiration',
      'expired name',
      'pinned reset_expiration',
      'deleted stop',
    ]);
  });
});
